import { createConfig, getBlockNumber, http } from '@wagmi/core'
import { mainnet } from '@wagmi/core/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Web3 } from 'web3'

import { startGateway, type TestGateway } from '../../support/gateway.ts'

/** What clients do with a call that is refused because its caller made too many. */

let replay: TestGateway

beforeAll(async () => {
  // Never refilled within the test: a unit a day.
  replay = await startGateway({ config: { ratePerClient: 0.00001, burstPerClient: 1 } })
  const body = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}'
  // Uses up the burst.
  for (let call = 0; call < 30; call++) await fetch(replay.url, { method: 'POST', body })
})
afterAll(() => replay.close())

test('behavior: wagmi reports the error', async () => {
  const config = createConfig({
    chains: [mainnet],
    transports: { [mainnet.id]: http(replay.url, { retryCount: 0 }) },
  })
  await expect(getBlockNumber(config)).rejects.toThrow('too many requests')
})

test('behavior: web3.js reports the error', async () => {
  const web3 = new Web3(replay.url)
  const error: unknown = await web3.eth.getChainId().catch((error: unknown) => error)
  expect(JSON.stringify(error)).toContain('-32005')
})
