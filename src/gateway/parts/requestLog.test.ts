import { expect, test } from 'vitest'

import type { ObservedCall } from '../../rpc/jsonrpc/call.ts'
import { createLog } from '../log.ts'
import { createRequestLog } from './requestLog.ts'

const client = '10.0.0.7'

function logged(slow: number, ...calls: Omit<ObservedCall, 'started'>[]) {
  const lines: Record<string, unknown>[] = []
  const log = createLog('info', {
    write: (text) => void lines.push(JSON.parse(text) as Record<string, unknown>),
  })
  const requests = createRequestLog({ log, slow })
  for (const call of calls) requests.call({ ...call, client })
  return lines.map(({ level: _level, time: _time, ...line }) => line)
}

test('default: a slow call and a failed one get a line each', () => {
  const lines = logged(
    1_000,
    { code: 0, id: 7, method: 'eth_getLogs', ms: 1_500.12345 },
    { code: -32603, id: 'a', method: 'eth_call', ms: 3 },
    { code: 0, id: 8, method: 'eth_blockNumber', ms: 2 },
    { code: -32602, id: 9, method: 'eth_call', ms: 2 },
  )
  expect(lines).toEqual([
    { client: '10.0.0.7', id: 7, method: 'eth_getLogs', ms: 1500.123, msg: 'slow request' },
    { client: '10.0.0.7', code: -32603, id: 'a', method: 'eth_call', ms: 3, msg: 'request failed' },
  ])
})

test('args: 0 turns lines of slow calls off', () => {
  expect(logged(0, { code: 0, method: 'eth_getLogs', ms: 60_000 })).toEqual([])
})

test('args: the line names the nodes that were asked', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const asked = { names: new Set(['a', 'b']), refusals: [] }
  createRequestLog({ log, slow: 1 }).call({ asked, client, code: 0, method: 'eth_call', ms: 5 })
  expect(JSON.parse(lines.join(''))).toMatchObject({ method: 'eth_call', upstreams: ['a', 'b'] })
})
