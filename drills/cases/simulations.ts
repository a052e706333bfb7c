// What one stranger may take with --simulate, while another one simulates too.
import type { Case, Outcome, Target } from '../case.ts'
import { callText } from '../requests.ts'

const STRANGER = '203.0.113.9'
const OTHER = '203.0.113.10'
const WHO = `0x${'ab'.repeat(20)}`

/** Returns its own balance. */
const BALANCE = '0x4760005260206000f3'
/** Runs without end. */
const LOOP = '0x5b600056'
/** Uses about as much memory as one frame may have, then calls itself. */
const DEEP = '0x6001620c800053600080808080305af100'
/** Hashes 2.9 MB again and again, without a jump between 40 of them. */
const HASHES = `0x5b${'622c4020600020'.repeat(40)}600056`
/** Returns 1.4 MB. */
const LARGE = '0x6215f9006000f3'

const MOST_GAS = '0xffffffffffff'

/** Calls of a contract with this code, with each method that simulates. */
function calls(code: string): string[] {
  const call = { to: WHO, gas: MOST_GAS }
  const stateOverrides = { [WHO]: { code } }
  const blockStateCalls = [{ calls: [call], stateOverrides }]
  return [
    callText('eth_simulateV1', [{ blockStateCalls }]),
    callText('debug_traceCall', [call, 'latest', { tracer: 'callTracer', stateOverrides }]),
    callText('eth_createAccessList', [call, 'latest', stateOverrides]),
    callText('eth_call', [call, 'latest', stateOverrides]),
  ]
}

/** Sends calls at once, while another client simulates every half second. */
async function attack({ url }: Target, bodies: readonly string[]): Promise<Outcome> {
  const post = async (body: string, from: string) => {
    const headers = { 'x-forwarded-for': from }
    return (await fetch(url, { method: 'POST', body, headers })).text()
  }
  const overrides = { [WHO]: { code: BALANCE, balance: '0x7b' } }
  const own = callText('eth_call', [{ to: WHO }, 'latest', overrides])
  // The first one starts the thread and is not measured.
  await post(own, OTHER)
  const waits: number[] = []
  const wrong: string[] = []
  const attacked = { isOver: false }
  const other = async () => {
    while (!attacked.isOver) {
      const began = performance.now()
      const answer = await post(own, OTHER)
      if (!answer.includes(`${'0'.repeat(62)}7b"`)) wrong.push(answer.slice(0, 200))
      waits.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
  const others = other()
  const answers = await Promise.all(bodies.map((body) => post(body, STRANGER)))
  attacked.isOver = true
  await others
  const results = answers.filter((answer) => answer.includes('"result"')).length
  const slowest = Math.max(...waits).toFixed(0)
  const note = `${results} of ${bodies.length} have a result; ${waits.length} of another client, the slowest after ${slowest} ms ${wrong[0] ?? ''}`
  return { tried: waits.length, wrong: wrong.length, note }
}

const FLAGS = ['--rate-per-client', '20', '--trust-proxy', '1']

/** Each with the most memory, MiB, that it may add. */
export const simulations: readonly Case[] = [
  {
    name: 'simulated-memory',
    what: 'simulations with gas without end that use memory in each frame',
    growth: 700,
    run: (target) => attack(target, [...calls(DEEP), ...calls(DEEP)]),
  } satisfies Case,
  {
    name: 'simulated-time',
    what: 'simulations without end, and of hashes of 2.9 MB, with each method',
    growth: 700,
    // Each takes the 5 s of computing that a simulation may have.
    run: (target) => attack(target, [...calls(LOOP).slice(0, 2), ...calls(HASHES).slice(2)]),
  } satisfies Case,
  {
    name: 'simulated-results',
    what: '60 simulations at once with results of 2.9 MB',
    growth: 700,
    run: (target) => attack(target, Array.from({ length: 15 }, () => calls(LARGE)).flat()),
  } satisfies Case,
].map((one) => ({ ...one, flags: FLAGS, simulates: true }))
