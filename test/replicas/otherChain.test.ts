import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../support/chain.ts'
import { startGateway } from '../support/gateway.ts'
import { startTcpProxy } from '../support/tcpProxy.ts'
import { until } from '../support/until.ts'

const portOf = ({ url }: { url: string }) => Number(new URL(url).port)

test('behavior: answers are refused when a load balancer switches to another chain', async () => {
  const [chain, other] = [createScriptedChain(), createScriptedChain({ seed: 'other' })]
  for (const one of [chain, other]) for (let count = 0; count < 3; count++) one.mine()
  const [node, wrong] = [await chain.listen(), await other.listen()]
  const proxy = await startTcpProxy(portOf(node))
  onTestFinished(() => proxy.close())
  const gateway = await startGateway({ config: { upstream: `http://127.0.0.1:${proxy.port}` } })
  const balance = () => gateway.rpc('eth_getBalance', `0x${'11'.repeat(20)}`, 'latest')
  const ready = async () => (await fetch(`${gateway.url}/ready`)).status
  try {
    expect(await balance()).toBe('0x0')
    proxy.switchTo(portOf(wrong))
    // The first answers may be those of connections that broke.
    for (let count = 0; count < 5; count++)
      await expect(balance()).rejects.toMatchObject({ code: -32603 })
    await until(async () => expect(await ready()).toBe(503))
    await expect(balance()).rejects.toMatchObject({
      message: 'the upstream node serves another chain than before',
    })
    expect(gateway.gateway.health().reasons).toContain(
      'the upstream node serves another chain than before',
    )
    expect(await gateway.rpc('eth_blockNumber')).toBe('0x3')
    proxy.switchTo(portOf(node))
    await until(async () => expect(await balance()).toBe('0x0'))
    await until(async () => expect(await ready()).toBe(200))
  } finally {
    await gateway.close()
    await node.close()
    await wrong.close()
  }
})
