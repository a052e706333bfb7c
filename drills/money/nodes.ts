import { type FaultProxy, startFaultProxy } from '../../test/support/faultProxy.ts'
import { answerBehind } from '../../test/support/faultProxy/behind.ts'
import type { ProxyReply, ProxyRequest } from '../../test/support/faultProxy/exchange.ts'

/** Asks the chain behind a proxy. */
export type Ask = (request: ProxyRequest) => Promise<ProxyReply>

/** What happens to one broadcast: whether the chain gets it, and what the gateway sees. */
type Fate = { passed: boolean; seen: ProxyReply | 'answer' | 'reset' | 'hang' }

const refusal = (code: string): Fate => ({
  passed: false,
  seen: { status: 200, text: JSON.stringify({ result: false, code, message: 'by chance' }) },
})

/** The front end of a node passes the broadcast on and answers something else. */
const frontEnd = (status: number, text = `HTTP ${status}`): Fate => ({
  passed: true,
  seen: { status, text },
})

/** What may happen to a broadcast that is not simply passed on, each as often as the others. */
const FATES: Record<string, Fate> = {
  SERVER_BUSY: refusal('SERVER_BUSY'),
  NO_CONNECTION: refusal('NO_CONNECTION'),
  NOT_ENOUGH_EFFECTIVE_CONNECTION: refusal('NOT_ENOUGH_EFFECTIVE_CONNECTION'),
  BLOCK_UNSOLIDIFIED: refusal('BLOCK_UNSOLIDIFIED'),
  OTHER_ERROR: refusal('OTHER_ERROR'),
  DUP_TRANSACTION_ERROR: refusal('DUP_TRANSACTION_ERROR'),
  CONTRACT_VALIDATE_ERROR: refusal('CONTRACT_VALIDATE_ERROR'),
  TAPOS_ERROR: refusal('TAPOS_ERROR'),
  TRANSACTION_EXPIRATION_ERROR: refusal('TRANSACTION_EXPIRATION_ERROR'),
  SIGERROR: refusal('SIGERROR'),
  'reset before': { passed: false, seen: 'reset' },
  'reset after': { passed: true, seen: 'reset' },
  'hang before': { passed: false, seen: 'hang' },
  'hang after': { passed: true, seen: 'hang' },
  '408 after': frontEnd(408),
  '413 after': frontEnd(413),
  '429 after': frontEnd(429),
  '503 after': frontEnd(503),
  'Error after': frontEnd(200, '{"Error":"class java.lang.IllegalStateException : by chance"}'),
}

/** Share of broadcasts that get a fate of the table. */
const FAULTY = 0.5

/** Milliseconds for which a node stands, and between two such times. */
const STANDS = { least: 4_000, most: 12_000 }
const MOVES = { least: 6_000, most: 20_000 }

/** A proxy with faults by chance, and how often each of them happened. */
export type FaultyNode = { url: string; faults: Map<string, number>; close(): Promise<void> }

/**
 * A node that loses, refuses and forgets broadcasts by chance, and that stands at times: it then knows no newer block and no transaction
 * of one.
 *
 * @param isShared - one address in front of two nodes: while the one stands, each request goes to one of the two.
 */
export async function startFaultyNode(ask: Ask, isShared: boolean): Promise<FaultyNode> {
  const faults = new Map<string, number>()
  const count = (name: string) => faults.set(name, (faults.get(name) ?? 0) + 1)
  let standsAt: number | undefined
  let timer: NodeJS.Timeout

  function change(): void {
    const { least, most } = standsAt === undefined ? MOVES : STANDS
    timer = setTimeout(
      () => {
        void toggle().finally(change)
      },
      least + Math.random() * (most - least),
    )
  }

  async function toggle(): Promise<void> {
    if (standsAt !== undefined) return void (standsAt = undefined)
    const { text } = await ask({ method: 'POST', path: '/wallet/getnowblock', body: '{}' })
    const { block_header } = JSON.parse(text) as {
      block_header: { raw_data: { number?: number } }
    }
    standsAt = block_header.raw_data.number ?? 0
    count('stands')
  }

  async function broadcast(request: ProxyRequest): Promise<ProxyReply> {
    const names = Object.keys(FATES)
    const name = Math.random() < FAULTY ? names[Math.floor(Math.random() * names.length)] : 'accept'
    count(name ?? '')
    const { passed, seen } = FATES[name ?? ''] ?? { passed: true, seen: 'answer' }
    const answer = passed ? await ask(request) : undefined
    if (seen === 'hang') return new Promise(() => {})
    // The proxy closes the connection.
    if (seen === 'reset') throw new Error('reset')
    return seen === 'answer' ? (answer as ProxyReply) : seen
  }

  const proxy: FaultProxy = await startFaultProxy(async (request) => {
    if (request.path.startsWith('/wallet/broadcast')) return broadcast(request)
    const stands = standsAt !== undefined && (!isShared || Math.random() < 0.5)
    return stands ? answerBehind(request, standsAt ?? 0, ask) : ask(request)
  })
  change()
  return {
    url: proxy.url,
    faults,
    async close() {
      clearTimeout(timer)
      await proxy.close()
    },
  }
}
