// The thread that fills. It has its own sockets to the nodes, so that answers are parsed in this thread.
import { setMaxListeners } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'

import { answerCalls } from '../../lib/threadCalls.ts'
import { createNodeClient } from '../../native/client.ts'
import type { Upstream } from '../../native/upstream.ts'
import { createKeeper, type Keeper } from '../blocks/keeper.ts'
import { throughStore } from '../blocks/throughStore.ts'
import { openBlockWriter } from '../blocks/writer.ts'
import { createFollower } from '../fill/follow.ts'
import { openIndexWriter } from '../fill/writer.ts'
import { accountsProblem } from '../store/coverage.ts'
import { createFillTransport } from './fillTransport.ts'

/** The settings of a writer. */
export type WriterData = {
  address: string
  addresses?: readonly string[] | undefined
  from?: number | undefined
  genesis: string
  /** Calls to the nodes a second. */
  rate: number
  /** Sockets for each port of a node. */
  sockets: number
  /** The store of blocks that gets what is read; absent when none does. */
  store?: { address: string; limit: number } | undefined
  /** Milliseconds for one call. */
  timeout: number
  /** The nodes to read from. */
  upstreams: readonly Upstream[]
}

/** Events of a writer. */
export type WriterEvent =
  | { kind: 'problem'; message: string }
  | {
      kind: 'status'
      state: 'starting' | 'filling' | 'following'
      problem?: string
      /** Since it was started. */
      blocks: number
      logs: number
      calls: number
    }

/** Milliseconds between reports. */
const REPORT_EVERY = 1_000

const { address, addresses, from, genesis, rate, sockets, store, timeout, upstreams } =
  workerData as WriterData
const added = { blocks: 0, logs: 0 }
/** Logs in the main thread. */
let note: (message: string) => void = () => {}
// The gateway reports the states of the same nodes, as it sees them.
const noteNode = (_: object, message: string) => note(`log index: ${message}`)
const transport = createFillTransport({
  genesis,
  log: { info: noteNode, warn: noteNode },
  sockets,
  timeout,
  upstreams,
})
const blocks = store && (await openStore(store))
const native = createNodeClient({
  transport: throughStore(transport, () => {
    const into = blocks
    return into && { ...NO_BLOCKS, keep: (part) => into.keep(part) }
  }),
})
const writer = await openIndexWriter({
  address,
  addresses,
  ask: (number, signal) => transport.solidHashes(number, signal),
  concurrency: sockets,
  genesis,
  native,
  onAdded({ blocks, logs }) {
    added.blocks += blocks
    added.logs += logs
  },
  rate,
})
const stopping = new AbortController()
// Every call to the node listens to it.
setMaxListeners(0, stopping.signal)

if (parentPort) {
  const port = answerCalls(parentPort, {
    solidified: (number: number) => follower.solidified(number),
    recheck: (number: number) => follower.recheck(number),
    setUpstreams: (next: readonly Upstream[]) => transport.update(next),
    async stop() {
      stopping.abort(new Error('stopping'))
      await running
      clearInterval(reporting)
      await blocks?.end()
      await writer.close()
      await native.close()
    },
  })
  const send = (event: WriterEvent) => port.event(event)
  note = (message) => send({ kind: 'problem', message })
  const follower = createFollower({ from, onProblem: note, writer })
  const report = () =>
    send({ kind: 'status', ...added, calls: writer.pace.calls(), ...follower.status() })
  const reporting = setInterval(report, REPORT_EVERY)
  const running = follower.run(stopping.signal)
  // From now on there is work to end.
  report()
  const lacking = accountsProblem(await writer.store.segments(), !writer.facts.addresses)
  if (lacking !== undefined) note(lacking)
}

/** Whoever fills the index reads each block once, and only final ones. */
const NO_BLOCKS = {
  solid: () => Infinity,
  get: async () => undefined,
  heightOf: async () => undefined,
}

/** Opens the store of blocks. One that cannot be opened is not filled, but the index is. */
async function openStore(given: { address: string; limit: number }): Promise<Keeper | undefined> {
  const tell = (error: unknown) => note(`the store of blocks: ${(error as Error).message}`)
  try {
    const opened = await openBlockWriter({ ...given, genesis, onProblem: note })
    const keeper = createKeeper((parts, used) => opened.add(parts, used).catch(tell))
    const end = async () => {
      await keeper.end()
      await opened.close()
    }
    return { ...keeper, end }
  } catch (error) {
    tell(error)
    return undefined
  }
}
