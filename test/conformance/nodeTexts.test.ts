import { readFileSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { searchNode } from '../../src/chain/logs/logHints.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { sleep } from '../../src/lib/sleep.ts'
import { nodeErrorOf, NodeRpcError } from '../../src/native/errors.ts'
import { outcomeOf } from '../../src/native/pool/outcome.ts'
import type { NodeRpc } from '../../src/native/transport/nodeRpc.ts'
import { parseNative } from '../../src/native/wire/json.ts'
import { simulateOnNode } from '../../src/rpc/execution/ownSimulation.ts'
import { broadcast } from '../../src/sending/broadcast.ts'
import { post } from '../support/client.ts'
import { startGateway, prepareGateway } from '../support/gateway.ts'
import type { ReplayReply, ReplayRequest } from '../support/node.ts'
import { labels } from '../support/recordedChain.ts'

// The texts of the node that the gateway matches, in the words of each release, and what is left when a release hides its words.
// docs/contributors/node-releases.md has the same list.

const NOTHING = { blocks: [], hasTransfers: false, isChecked: false, isFull: false }

const RELEASES = ['4.8.0', '4.8.2']

const answers = JSON.parse(
  readFileSync(new URL('../fixtures/nodeTexts.json', import.meta.url), 'utf8'),
) as Record<string, Record<string, { status: number; text: string }>>

function answerOf(name: string, release: string): { status: number; text: string } {
  const found = answers[name]?.[release]
  if (!found) throw new Error(`not recorded: ${name} of ${release}`)
  return found
}

/** The texts in the table of the documentation. */
const documented = (
  readFileSync(new URL('../../docs/contributors/node-releases.md', import.meta.url), 'utf8')
    .split('| Text ')[1]
    ?.split('\n## ')[0]
    ?.split('\n') ?? []
).flatMap((row) => (/^\| (`[^|]*) +\|/.exec(row)?.[1]?.match(/`[^`]+`/g) ?? []).map(unquoted))

function unquoted(text: string): string {
  return text.slice(1, -1)
}

const kitchen = `0x${labels.contracts.Kitchen.address.slice(2)}`
const from = `0x${'77'.repeat(20)}`
const hash = `0x${'ab'.repeat(32)}` as const

const rpc =
  (method: string, params: readonly unknown[] = [{ from, to: kitchen, data: '0x01' }, 'latest']) =>
  (gateway: Gateway) =>
    gateway.request({ method, params })
const call = rpc('eth_call')
const payingCall = rpc('eth_call', [{ from, to: kitchen, data: '0x01', value: '0x5' }, 'latest'])
const balance = rpc('eth_getBalance', [from, 'latest'])
const build = rpc('buildTransaction', [{ from, to: `0x${'11'.repeat(20)}`, value: '0x5' }])
const send = async ({ native }: Gateway) => {
  const delivery = await broadcast({ hex: '00', id: hash }, { native, sleep })
  return delivery.kind === 'refused' ? delivery.error : delivery
}

const refused = (code: number, words: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(words) })
const noFunds = refused(-32000, /^insufficient funds for gas \* price \+ value/)

/** One answer of the node and what a client gets for it. */
type Case = {
  /** Its name in test/fixtures/nodeTexts.json. */
  answer: string
  /** The matched text, as it is documented. */
  text: string
  /** The operation that answers it. */
  at: string
  ask: (gateway: Gateway) => Promise<unknown>
  /** The result or the error. */
  expected: unknown
  /** Answers of other operations. */
  others?: Record<string, ReplayReply>
  /** How often the operation is asked. @default 1 */
  times?: number
}

const RAN = { text: '{"result":{"result":true},"energy_used":40000,"constant_result":[""]}' }
const MISSING = { gettransactionbyid: { text: '{}' } }

const cases: Case[] = [
  {
    answer: 'lite',
    text: 'this API is closed because this node is a lite fullnode',
    at: 'getaccount',
    ask: balance,
    expected: refused(-32603, /it is a lite node without history$/),
  },
  {
    answer: 'disabled',
    text: 'this API is unavailable due to config',
    at: 'getaccount',
    ask: balance,
    expected: refused(-32603, /it is disabled in the node’s configuration$/),
  },
  {
    answer: 'busy',
    text: 'lack of computing resources',
    at: 'getaccount',
    ask: balance,
    expected: refused(-32005, /^the upstream node limits the request rate/),
    times: 4,
  },
  {
    answer: 'tooBig',
    text: 'body size is too big',
    at: 'getaccount',
    ask: balance,
    expected: refused(-32005, /larger than the upstream node accepts$/),
  },
  {
    answer: 'callsOff',
    text: 'does not support constant',
    at: 'triggerconstantcontract',
    ask: call,
    expected: refused(-32000, /set vm\.supportConstant = true/),
  },
  {
    answer: 'callsOffEstimate',
    text: 'does not support constant',
    at: 'estimateenergy',
    ask: rpc('eth_estimateGas'),
    others: { triggerconstantcontract: RAN },
    expected: '0x9c40',
  },
  {
    answer: 'estimatesOff',
    text: 'does not support estimate energy',
    at: 'estimateenergy',
    ask: rpc('eth_estimateGas'),
    others: { triggerconstantcontract: RAN },
    expected: '0x9c40',
  },
  {
    answer: 'timeout',
    text: 'CPU timeout for',
    at: 'triggerconstantcontract',
    ask: call,
    expected: refused(-32000, /^execution timed out/),
    times: 3,
  },
  {
    answer: 'noCode',
    text: 'Smart contract is not exist',
    at: 'triggerconstantcontract',
    ask: call,
    expected: '0x',
  },
  {
    answer: 'notEnoughEnergy',
    text: 'Not enough energy',
    at: 'estimateenergy',
    ask: rpc('eth_estimateGas'),
    others: { triggerconstantcontract: RAN },
    expected: refused(-32000, /^gas required exceeds allowance/),
  },
  {
    answer: 'notEnoughEnergy',
    text: 'curInvokeEnergyLimit[…]',
    at: 'estimateenergy',
    ask: rpc('eth_estimateGas'),
    others: { triggerconstantcontract: RAN },
    expected: refused(-32000, / \(4761904\)$/),
  },
  {
    answer: 'noOwner',
    text: 'no OwnerAccount',
    at: 'triggerconstantcontract',
    ask: payingCall,
    expected: noFunds,
  },
  {
    answer: 'noBalance',
    text: 'balance is not sufficient',
    at: 'triggerconstantcontract',
    ask: payingCall,
    expected: noFunds,
  },
  {
    answer: 'toYourself',
    text: 'to yourself',
    at: 'triggerconstantcontract',
    ask: payingCall,
    expected: refused(-32000, /^a contract cannot be called with value by itself$/),
  },
  {
    answer: 'balanceNotEnough',
    text: 'balance is not enough',
    at: 'broadcasthex',
    ask: send,
    others: MISSING,
    expected: noFunds,
  },
  {
    answer: 'accountMissing',
    text: 'does not exist',
    at: 'broadcasthex',
    ask: send,
    others: MISSING,
    expected: noFunds,
  },
  {
    answer: 'insufficientFee',
    text: 'insufficient',
    at: 'createtransaction',
    ask: build,
    expected: noFunds,
  },
  {
    answer: 'revert',
    text: 'REVERT opcode executed',
    at: 'triggerconstantcontract',
    ask: call,
    expected: refused(3, /^execution reverted$/),
  },
]

/** Texts that are matched where several nodes are used, or in an answer of the node's own JSON-RPC; tested below. */
const ELSEWHERE = [
  'id must be legal block hash',
  'max block range',
  'internal server error',
  'internal error',
]

describe.each(RELEASES)('the words of release %s', (release) => {
  test.each(cases)('$text ($at)', async ({ answer, ask, at, expected, others = {}, times = 1 }) => {
    const scene = { isActive: false, asked: 0 }
    const { gateway } = await prepareGateway({
      intercept({ path }: ReplayRequest) {
        if (!scene.isActive) return undefined
        const operation = path.split('/').at(-1) ?? ''
        if (operation !== at) return others[operation]
        scene.asked++
        return answerOf(answer, release)
      },
    })
    await gateway.start()
    scene.isActive = true
    expect(await ask(gateway).catch((error: unknown) => error)).toEqual(expected)
    expect(scene.asked).toBe(times)
  })

  test('behavior: of several nodes another one is asked where the words say so', () => {
    const kindOf = (operation: string, name: string) => {
      const reply = answerOf(name, release)
      return outcomeOf(operation, reply, parsed(reply.text)).kind
    }
    expect(kindOf('getblock', 'illegalHash')).toBe('unknown')
    expect(kindOf('getaccount', 'lite')).toBe('lacks')
    expect(kindOf('getaccount', 'disabled')).toBe('lacks')
    expect(kindOf('getpaginatednowwitnesslist', 'notOffered')).toBe('lacks')
    expect(kindOf('triggerconstantcontract', 'callsOff')).toBe('lacks')
    expect(kindOf('estimateenergy', 'estimatesOff')).toBe('lacks')
    expect(kindOf('getaccount', 'busy')).toBe('busy')
  })

  test('behavior: max block range: the range of a search is split', async () => {
    const reply = answerOf('tooManyBlocks', release)
    const ranges: number[] = []
    const gateway = await startGateway({
      intercept({ body, path }: ReplayRequest) {
        if (path !== '/jsonrpc' || !body.includes('eth_getLogs')) return undefined
        const { id, params } = JSON.parse(body) as {
          id: number
          params: [{ fromBlock: string; toBlock: string }]
        }
        const blocks = Number(params[0].toBlock) - Number(params[0].fromBlock) + 1
        ranges.push(blocks)
        if (blocks <= 100) return { text: JSON.stringify({ jsonrpc: '2.0', id, result: [] }) }
        return { ...reply, text: reply.text.replace('"id":1', `"id":${id}`) }
      },
    })
    const { node, url } = gateway
    // No block has a log of an account.
    const filter = { fromBlock: '0x0', toBlock: 'latest', address: from }
    expect(await post(url, 'eth_getLogs', [filter])).toMatchObject({ result: [] })
    // The search goes on with shorter ranges, and does not read whole blocks instead.
    expect(node.requests.count('/wallet/getblockbylimitnext')).toBe(0)
    expect(Math.max(...ranges)).toBeGreaterThan(100)
    expect(ranges.filter((blocks) => blocks <= 100).length).toBeGreaterThan(1)
  })
})

/** The answer of a release that hides the names and the texts of its exceptions, as is announced for those after 4.8.2. */
function hidden(name: string): { status: number; text: string } {
  const { status, text } = answerOf(name, '4.8.2')
  const answer = parsed(text) as { Error?: string; message?: string; result?: object }
  const message = Buffer.from('internal server error').toString('hex')
  const other = answer.Error
    ? { Error: 'internal server error' }
    : answer.result
      ? { ...answer, result: { ...answer.result, message } }
      : { ...answer, message }
  return { status, text: JSON.stringify(other) }
}

const failedCall = refused(-32000, /^execution failed in the virtual machine of the node$/)
const unclear = refused(-32603, /^the upstream node refused the request or failed at it$/)
const rejected = refused(-32000, /^refused: the node gives no reason that may be shown$/)
const poor = { getaccount: { text: `{"address":"41${from.slice(2)}","balance":4}` } }
const rich = { getaccount: { text: `{"address":"41${from.slice(2)}","balance":5000000}` } }
const noCode = { getcontractinfo: { text: '{}' } }

describe('words that are hidden', () => {
  test.each<[string, Omit<Case, 'answer' | 'text'> & { answer: string }]>([
    [
      'no code',
      {
        answer: 'noCode',
        at: 'triggerconstantcontract',
        ask: call,
        expected: '0x',
        others: noCode,
      },
    ],
    [
      'no code, and coins that the sender lacks',
      {
        answer: 'noCode',
        at: 'triggerconstantcontract',
        ask: payingCall,
        expected: noFunds,
        others: { ...noCode, ...poor },
      },
    ],
    [
      'no coins',
      {
        answer: 'noBalance',
        at: 'triggerconstantcontract',
        ask: payingCall,
        expected: noFunds,
        others: poor,
      },
    ],
    [
      'another refusal',
      {
        answer: 'toYourself',
        at: 'triggerconstantcontract',
        ask: payingCall,
        expected: failedCall,
        others: rich,
      },
    ],
    [
      'a failure',
      { answer: 'timeout', at: 'triggerconstantcontract', ask: call, expected: failedCall },
    ],
    [
      'a revert',
      {
        answer: 'revert',
        at: 'triggerconstantcontract',
        ask: call,
        expected: refused(3, /^execution reverted$/),
      },
    ],
    [
      'no estimates',
      {
        answer: 'estimatesOff',
        at: 'estimateenergy',
        ask: rpc('eth_estimateGas'),
        expected: '0x9c40',
        others: { triggerconstantcontract: RAN },
      },
    ],
    [
      'a broadcast',
      {
        answer: 'balanceNotEnough',
        at: 'broadcasthex',
        ask: send,
        expected: rejected,
        others: MISSING,
      },
    ],
    [
      'a build',
      { answer: 'insufficientFee', at: 'createtransaction', ask: build, expected: unclear },
    ],
    ['a read', { answer: 'busy', at: 'getaccount', ask: balance, expected: unclear }],
    [
      'a broadcast that may have been done',
      {
        answer: 'busy',
        at: 'broadcasthex',
        ask: send,
        expected: expect.objectContaining({ kind: 'unclear' }),
        others: MISSING,
      },
    ],
  ])('%s', async (_, { answer, ask, at, expected, others = {} }) => {
    const scene = { isActive: false }
    const { gateway } = await prepareGateway({
      intercept({ path }: ReplayRequest) {
        if (!scene.isActive) return undefined
        const operation = path.split('/').at(-1) ?? ''
        return operation === at ? hidden(answer) : others[operation]
      },
    })
    await gateway.start()
    scene.isActive = true
    expect(await ask(gateway).catch((error: unknown) => error)).toEqual(expected)
  })

  test('behavior: of several nodes another one is asked, and the node stays in use', () => {
    const text = '{"Error":"internal server error"}'
    expect(outcomeOf('getaccount', { status: 200, text }, parsed(text))).toMatchObject({
      kind: 'failed',
      isOfText: true,
    })
  })

  test.each([
    ['the code of 4.8.2', -32602, 'invalid argument'],
    ['another code', -32000, 'exceed max block range: 100'],
  ])('behavior: a range of a search is split by %s', async (_, code, message) => {
    const ranges: number[] = []
    const rpcOfNode = {
      call: async (_method: string, params: unknown[]) => {
        const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
        const blocks = Number(toBlock) - Number(fromBlock) + 1
        ranges.push(blocks)
        if (blocks > 100) throw new NodeRpcError('eth_getLogs', { code, message })
        return []
      },
    }
    const match = { addresses: [from], topics: [] }
    expect(await searchNode(rpcOfNode, { from: 0, to: 199 }, match, {})).toEqual([])
    expect(ranges).toEqual([200, 100, 100])
  })

  test.each([
    [-32603, 'Internal error'],
    [-32001, 'Chain identity unavailable'],
    [-32000, 'Internal error'],
    [-32601, 'the method eth_simulateV1 does not exist'],
  ])('error: %i %s of the JSON-RPC is a failure of the node', async (code, message) => {
    const rpcOfNode = {
      call: async () => {
        throw new NodeRpcError('eth_simulateV1', { code, message })
      },
    } as unknown as NodeRpc
    await expect(simulateOnNode(rpcOfNode, NOTHING, {})).rejects.toMatchObject({
      code: -32603,
      message: 'the upstream node’s JSON-RPC does not answer eth_simulateV1',
    })
  })
})

function parsed(text: string): unknown {
  try {
    return parseNative(text)
  } catch {
    return undefined
  }
}

test('behavior: every matched text is documented and has a test', () => {
  const tested = [...cases.map(({ text }) => text), ...ELSEWHERE]
  expect(new Set(tested)).toEqual(new Set(documented))
})

test('error: an answer without a known text is passed on as a refusal of the node', () => {
  const text = '{"Error":"class org.tron.core.exception.ContractValidateException : other words"}'
  expect(nodeErrorOf('getx', { status: 200, text }, parsed(text))).toMatchObject({
    code: -32000,
    message: 'other words',
  })
})
