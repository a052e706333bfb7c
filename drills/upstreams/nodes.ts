// Two nodes of one chain, each behind a proxy with faults, in a separate process. A block arrives every second.
import { startFaultProxy } from '../../test/support/faultProxy.ts'
import { createDrillChain, mineNext, nodeOf } from './chain.ts'
import type { NodeFault, NodesCommand } from './faults.ts'

const BLOCK_MS = 1_000

const chain = createDrillChain()
const other = createDrillChain('another chain')
/** The same chain, which stops growing while its node is stopped. */
const still = createDrillChain()
const proxies = [await startFaultProxy(nodeOf(chain)), await startFaultProxy(nodeOf(chain))]
const stuck = { on: false }

setInterval(() => {
  const number = mineNext(chain)
  mineNext(other)
  if (!stuck.on) catchUp()
  process.send?.({ head: number, time: performance.timeOrigin + performance.now() })
}, BLOCK_MS)

function catchUp(): void {
  while (still.head().number < chain.head().number) mineNext(still)
}

async function begin(index: number, fault: NodeFault): Promise<void> {
  const proxy = proxies[index]
  if (fault.kind === 'stuck') {
    // This node stopped some blocks ago. The other node has continued.
    stuck.on = true
    await proxy?.fail({ kind: 'target', target: nodeOf(still) })
    for (let block = 0; block < fault.blocks; block++) {
      mineNext(chain)
      mineNext(other)
    }
    process.send?.({ head: chain.head().number, time: performance.timeOrigin + performance.now() })
  } else if (fault.kind === 'otherChain')
    await proxy?.fail({ kind: 'target', target: nodeOf(other, 1_000_000) })
  else await proxy?.fail(fault)
}

process.once('disconnect', () => process.exit())
process.on('message', ({ fail, heal }: NodesCommand) => {
  void (async () => {
    if (fail) await begin(fail.index, fail.fault)
    if (heal !== undefined) {
      stuck.on = false
      catchUp()
      await proxies[heal]?.heal()
    }
    process.send?.('done')
  })()
})
process.send?.({ urls: proxies.map(({ url }) => url) })
