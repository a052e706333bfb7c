import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { Script, ScriptedLog } from '../../../test/support/chain.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { recordedRpc } from '../../../test/support/node.ts'
import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { CHAIN, labels } from '../../../test/support/recordedChain.ts'
import { createScriptedView } from '../../../test/support/scriptedChainView.ts'
import { toRpcLogs } from '../../codec/log.ts'
import type { RpcLog } from '../../codec/types.ts'
import type { RpcError } from '../../lib/errors.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import type { Chain, LogQuery } from '../blocks/chainTypes.ts'

const everything = { addresses: [], topics: [] }
const token = `0x${labels.contracts.Token.address.slice(2)}`

const read = async (chain: Chain, query: Partial<LogQuery>): Promise<RpcLog[]> =>
  fromPrepared(await chain.logs({ ...everything, fromBlock: 0, toBlock: 'latest', ...query }))

describe('the recorded chain', () => {
  test('default', async () => {
    const { chain, node } = await createReplayContext({ config: { logsMaxResults: 20_000 } })
    const expected = Array.from({ length: CHAIN.head + 1 }, (_, number) => {
      const { block, infos } = recordedBlock(number)
      return toRpcLogs(block, infos)
    }).flat()
    expect(await read(chain, {})).toEqual(expected)
    // A hundred blocks cost one call, and each block with transactions one more.
    expect(node.requests.count('/wallet/getblockbylimitnext')).toBeLessThanOrEqual(6)
    expect(node.requests.count('/wallet/getblockbynum')).toBe(0)
  })

  test('args: address and topics', async () => {
    const { chain } = await createReplayContext()
    const rows = await read(chain, {
      addresses: [token],
      topics: [['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef']],
    })
    const range = { fromBlock: '0x0', toBlock: 'latest', address: token }
    const theirs = recordedRpc('eth_getLogs', [range]).result as RpcLog[]
    const transfers = theirs.filter(({ topics }) => topics[0]?.startsWith('0xddf252ad'))
    expect(rows.map(({ transactionHash, logIndex }) => transactionHash + logIndex)).toEqual(
      transfers.map(({ transactionHash, logIndex }) => transactionHash + logIndex),
    )
    expect(rows.length).toBeGreaterThan(0)
  })

  test('args: blockHash', async () => {
    const { chain } = await createReplayContext()
    const { block, infos } = recordedBlock(131)
    const query = { ...everything, blockHash: `0x${block.blockID}` as const }
    expect(fromPrepared(await chain.logs(query))).toEqual(toRpcLogs(block, infos))
  })

  test('behavior: a repeated search costs no call', async () => {
    const { chain, node } = await createReplayContext()
    const query = { addresses: [token] }
    const first = await read(chain, query)
    node.requests.reset()
    expect(await read(chain, query)).toEqual(first)
    // Another search in the same blocks costs none either.
    await read(chain, { topics: [null, null, null, null] })
    expect(node.requests.total()).toBe(0)
  })

  test('error: too many logs, with a shorter range in the error', async () => {
    const { chain } = await createReplayContext()
    const error = (await read(chain, {}).catch((error: unknown) => error)) as RpcError
    expect(error).toMatchObject({ code: -32005, message: 'query returned more than 10000 results' })
    const { from, limit, to } = error.data as { from: string; to: string; limit: number }
    expect([from, limit]).toEqual(['0x0', 10_000])
    const rows = await read(chain, { fromBlock: Number(from), toBlock: Number(to) })
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThanOrEqual(10_000)
  })

  test('error: too many blocks, with a shorter range in the error', async () => {
    const { chain, node } = await createReplayContext({ config: { logsMaxBlocks: 100 } })
    await expect(read(chain, { fromBlock: 5 })).rejects.toMatchObject({
      code: -32602,
      data: { from: '0x5', limit: 100, to: '0x69' },
      message: 'exceed max block range: 100',
    })
    expect(node.requests.total()).toBe(0)
    await expect(read(chain, { fromBlock: 5, toBlock: 0x69 })).resolves.toBeDefined()
  })

  test('behavior: a front end without bulk reads is read block by block', async () => {
    const { chain } = await createReplayContext({
      intercept: ({ path }) =>
        path.endsWith('limitnext') ? { status: 404, text: '<html>' } : undefined,
    })
    expect(await read(chain, { fromBlock: 120, toBlock: 140 })).toEqual(
      Array.from({ length: 21 }, (_, offset) => {
        const { block, infos } = recordedBlock(120 + offset)
        return toRpcLogs(block, infos)
      }).flat(),
    )
  })

  test('error: a node that fails during the search', async () => {
    const { chain } = await createReplayContext({
      intercept: ({ body, path }) =>
        path.endsWith('gettransactioninfobyblocknum') && body.includes('150')
          ? { status: 500, text: '' }
          : path.endsWith('gettransactioninfobyblocknum') && body.includes('131')
            ? { status: 500, text: '' }
            : undefined,
    })
    await expect(read(chain, { addresses: [token] })).rejects.toMatchObject({ code: -32603 })
  })

  test('behavior: a search ends when its client disconnects', async () => {
    const { chain, node } = await createReplayContext()
    const gone = new AbortController()
    gone.abort(new Error('gone'))
    const query: LogQuery = { ...everything, fromBlock: 0, toBlock: 'latest' }
    await expect(chain.logs(query, gone)).rejects.toThrow('gone')
    expect(node.requests.total()).toBe(0)
  })
})

const address = (digit: string) => digit.repeat(40)
const topic = (digit: string) => digit.repeat(64)
const one: ScriptedLog = { address: address('1'), topics: [topic('a')] }
const two: ScriptedLog = { address: address('2'), topics: [] }
const twenty: Script[] = Array.from({ length: 20 }, (_, index) => ({
  logs: [[one], index % 2 ? [two] : []],
}))

describe('ranges', () => {
  const numbers = async (query: Partial<LogQuery>, view: 'full' | 'solid' = 'full') => {
    const { chain } = createScriptedView({ scripts: twenty, solid: 10, view })
    return [...new Set((await read(chain, query)).map(({ blockNumber }) => Number(blockNumber)))]
  }

  test('args: numbers and tags', async () => {
    expect(await numbers({ fromBlock: 3, toBlock: 5 })).toEqual([3, 4, 5])
    expect(await numbers({ fromBlock: 'latest', toBlock: 'latest' })).toEqual([20])
    expect(await numbers({ fromBlock: 'finalized', toBlock: 'safe' })).toEqual([10])
    expect(await numbers({ fromBlock: 'earliest', toBlock: 2 })).toEqual([1, 2])
    expect(await numbers({ fromBlock: 19, toBlock: 'pending' })).toEqual([19, 20])
  })

  test('error: a bound beyond the newest block of the view', async () => {
    const beyond = (requested: number, head: number) => ({
      code: -32602,
      message: `block range extends beyond current head block: requested ${requested}, head ${head}`,
    })
    for (const query of [{ fromBlock: 19, toBlock: 21 }, { fromBlock: 21 }, { toBlock: 21 }])
      await expect(numbers(query)).rejects.toMatchObject(beyond(21, 20))
    await expect(numbers({ fromBlock: 9, toBlock: 12 }, 'solid')).rejects.toMatchObject(
      beyond(12, 10),
    )
  })

  test('behavior: the solid view ends at the solidified block', async () => {
    expect(await numbers({ fromBlock: 9, toBlock: 'latest' }, 'solid')).toEqual([9, 10])
  })

  test('error: fromBlock above toBlock', async () => {
    await expect(numbers({ fromBlock: 5, toBlock: 3 })).rejects.toMatchObject({ code: -32602 })
    await expect(numbers({ fromBlock: 'latest', toBlock: 3 })).rejects.toMatchObject({
      code: -32602,
    })
    await expect(numbers({ fromBlock: 30, toBlock: 25 })).rejects.toMatchObject({ code: -32602 })
  })
})

describe('reorg', () => {
  test('behavior: a cached answer of another branch is not returned', async () => {
    const { chain, head, node } = createScriptedView({ scripts: twenty, solid: 10 })
    const query = { addresses: [`0x${address('1')}`], fromBlock: 15 }
    const before = await read(chain, query)
    expect(await read(chain, query)).toEqual(before)
    node.reorg(3, [{ logs: [[two]] }, { logs: [[one]] }, {}])
    head.follow()
    const after = await read(chain, query)
    expect(after.map(({ blockNumber }) => Number(blockNumber))).toEqual([15, 16, 17, 19])
    const canonical = new Set<string>(node.canonical().map(({ hash }) => hash))
    expect(after.every(({ blockHash }) => canonical.has(blockHash))).toBe(true)
  })

  test('error: the logs of an orphan', async () => {
    const { chain, hash, head, node } = createScriptedView({ scripts: twenty, solid: 10 })
    const blockHash = hash(19)
    expect(fromPrepared(await chain.logs({ ...everything, blockHash }))).toHaveLength(1)
    node.reorg(3, [{}, {}, {}])
    head.follow()
    await expect(chain.logs({ ...everything, blockHash })).rejects.toMatchObject({
      code: -32000,
      message: 'unknown block',
    })
  })

  test('behavior: a reorg while the range is read', async () => {
    const { chain, head, node } = createScriptedView({ scripts: twenty, solid: 10 })
    const reading = read(chain, { fromBlock: 11 })
    node.reorg(
      5,
      Array.from({ length: 5 }, () => ({ logs: [[two]] })),
    )
    head.follow()
    const rows = await reading
    const canonical = new Set<string>(node.canonical().map(({ hash }) => hash))
    expect(rows.every(({ blockHash }) => canonical.has(blockHash))).toBe(true)
    expect(new Set(rows.map(({ blockNumber }) => blockNumber)).size).toBe(10)
  })

  test('error: a reorg during every attempt', async () => {
    const { chain, node } = createScriptedView({ scripts: twenty, solid: 10 })
    node.reorg(
      5,
      Array.from({ length: 5 }, () => ({})),
    )
    await expect(read(chain, { fromBlock: 11 })).rejects.toMatchObject({ code: -32603 })
  })
})

test('error: a single block with too many logs suggests no range', async () => {
  const scripts = [{ logs: [[one, one, one]] }]
  const { chain, hash } = createScriptedView({ config: { logsMaxResults: 2 }, scripts, solid: 1 })
  const expected = {
    code: -32005,
    data: { limit: 2 },
    message: 'query returned more than 2 results',
  }
  await expect(read(chain, { fromBlock: 1, toBlock: 1 })).rejects.toMatchObject(expected)
  await expect(chain.logs({ ...everything, blockHash: hash(1) })).rejects.toMatchObject(expected)
})

test('behavior: any search over any chain finds the same logs as a full scan', async () => {
  const digit = fc.constantFrom('1', '2', '3')
  const log = fc.record({
    address: digit.map(address),
    topics: fc.array(digit.map(topic), { maxLength: 3 }),
  })
  const script = fc.record({ logs: fc.array(fc.array(log, { maxLength: 3 }), { maxLength: 3 }) })
  const choice = fc.option(
    fc.array(
      digit.map((digit) => `0x${topic(digit)}`),
      { maxLength: 2 },
    ),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(script, { minLength: 1, maxLength: 40 }),
      fc.record({
        addresses: fc.array(
          digit.map((digit) => `0x${address(digit)}`),
          { maxLength: 2 },
        ),
        topics: fc.array(choice, { maxLength: 3 }),
      }),
      fc.nat(40),
      fc.nat(40),
      async (scripts, match, solid, start) => {
        const length = scripts.length
        const { chain } = createScriptedView({ scripts, solid: Math.min(solid, length) })
        const from = Math.min(start, length)
        const rows = await read(chain, { ...match, fromBlock: from })
        const all: RpcLog[] = []
        for (let number = from; number <= length; number++)
          for (const receipt of fromPrepared((await chain.receipts(number))!))
            all.push(...receipt.logs)
        const expected = all.filter(
          ({ address, topics }) =>
            (match.addresses.length === 0 || match.addresses.includes(address)) &&
            match.topics.every((choice, index) => {
              const topic = topics[index]
              return topic !== undefined && (!choice?.length || choice.includes(topic))
            }),
        )
        expect(rows).toEqual(expected)
      },
    ),
    { numRuns: 60 },
  )
})
