import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN, labels } from '../../../test/support/recordedChain.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { eth_getLogs } from './eth_getLogs.ts'
import { ethgate_countLogs } from './ethgate_countLogs.ts'

const token = `0x${labels.contracts.Token.address.slice(2)}`

test('default: as many as eth_getLogs gives', async () => {
  const context = await createReplayContext()
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: token }
  const logs = fromPrepared(await callMethod(eth_getLogs, context, [filter]))
  expect(Number(await callMethod(ethgate_countLogs, context, [filter]))).toBe(logs.length)
})

test('behavior: counts more logs than one answer may have', async () => {
  const context = await createReplayContext({ config: { logsMaxResults: 10 } })
  const filter = { fromBlock: '0x0', toBlock: 'latest' }
  expect(Number(await callMethod(ethgate_countLogs, context, [filter]))).toBeGreaterThan(10_000)
})

test('error: a bound beyond the head', async () => {
  const context = await createReplayContext()
  for (const filter of [{ fromBlock: '0xffff' }, { fromBlock: '0x0', toBlock: '0xffff' }])
    await expect(callMethod(ethgate_countLogs, context, [filter])).rejects.toMatchObject({
      code: -32602,
      message: `block range extends beyond current head block: requested 65535, head ${CHAIN.head}`,
    })
})

test('error: a block hash', async () => {
  const context = await createReplayContext()
  const filter = { blockHash: `0x${'00'.repeat(32)}` }
  await expect(
    (async () => callMethod(ethgate_countLogs, context, [filter]))(),
  ).rejects.toMatchObject({
    code: -32602,
  })
})
