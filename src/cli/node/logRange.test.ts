import fc from 'fast-check'
import { expect, test } from 'vitest'

import { type Rpc, RpcFailure } from '../base/rpcClient.ts'
import { readLogs } from './logRange.ts'

type Limits = { blocks: number; results: number; suggest: boolean }

/** A server with `counts[n]` logs in block n and these limits. */
function server(counts: readonly number[], limits: Limits): Rpc & { requests: number } {
  const rpc = {
    url: 'test',
    requests: 0,
    async call(method: string, params: readonly unknown[] = []) {
      rpc.requests += 1
      const query = params[0] as { fromBlock: string; toBlock: string }
      const [from, to] = [Number(query.fromBlock), Number(query.toBlock)]
      if (to - from > limits.blocks)
        throw new RpcFailure(method, {
          code: -32602,
          message: `exceed max block range: ${limits.blocks}`,
          data: undefined,
        })
      const logs = counts
        .slice(from, to + 1)
        .flatMap((count, index) => Array.from({ length: count }, (_, i) => `${from + index}:${i}`))
      if (logs.length > limits.results)
        throw new RpcFailure(method, {
          code: -32005,
          message: `query returned more than ${limits.results} results`,
          data: limits.suggest
            ? { from: query.fromBlock, to: query.fromBlock, limit: 1 }
            : undefined,
        })
      return logs
    },
  }
  return rpc
}

test('behavior: every log once and in order, whatever the limits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(8), { minLength: 1, maxLength: 120 }),
      fc.record({
        blocks: fc.integer({ min: 0, max: 50 }),
        results: fc.integer({ min: 8, max: 60 }),
        suggest: fc.boolean(),
      }),
      fc.integer({ min: 1, max: 5 }),
      async (counts, limits, concurrency) => {
        const found: unknown[] = []
        let next = 0
        for await (const page of readLogs({
          rpc: server(counts, limits),
          filter: {},
          from: 0,
          to: counts.length - 1,
          concurrency,
          retries: 0,
        })) {
          expect(page.from).toBe(next)
          expect(page.logs.length).toBeLessThanOrEqual(limits.results)
          next = page.to + 1
          found.push(...page.logs)
        }
        expect(next).toBe(counts.length)
        expect(found).toEqual(
          counts.flatMap((count, block) =>
            Array.from({ length: count }, (_, i) => `${block}:${i}`),
          ),
        )
      },
    ),
  )
})

test('behavior: grows where logs are few', async () => {
  const rpc = server(
    Array.from({ length: 20_000 }, () => 0),
    { blocks: 5_000, results: 10_000, suggest: false },
  )
  for await (const page of readLogs({
    rpc,
    filter: {},
    from: 0,
    to: 19_999,
    concurrency: 1,
    retries: 0,
  }))
    expect(page.logs).toEqual([])
  expect(rpc.requests).toBeLessThan(12)
})

test('error: another error ends the search', async () => {
  const rpc: Rpc = {
    url: 'test',
    call: (method) =>
      Promise.reject(new RpcFailure(method, { code: -32000, message: 'no', data: undefined })),
  }
  const pages = readLogs({ rpc, filter: {}, from: 0, to: 9, concurrency: 3, retries: 3 })
  await expect(pages.next()).rejects.toThrow('eth_getLogs: no (code -32000)')
})
