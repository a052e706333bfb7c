import { UpstreamError } from '../../lib/errors.ts'
import { sleep } from '../../lib/sleep.ts'
import { createNodeClient } from '../../native/client.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import type { NativeTransport } from '../../native/transport/transport.ts'
import { openFork } from '../fork/open.ts'
import { createDevChain, type DevChain, runFetching, type StateReader } from '../index.ts'
import { counted, countedForAll, type Run } from './run.ts'

/** Work on the newest state of a node. */
export type NewestState = ReturnType<typeof createNewestState>

/** Attempts to read the state of one block. A block is there for three seconds; reads of a second attempt are made at once. */
const ATTEMPTS = 4

/** Attempts to see the same newest block on both interfaces of the node, and milliseconds between two of them. */
const LOOKS = 20
const LOOK_AGAIN = 100

/** A fork makes no blocks here, so it needs no accounts and no producers. */
const NOTHING_ADDED = { accounts: [], producers: [], firstMaintenance: 0 }

type Table = Parameters<StateReader['get']>[0]

/** The state of one block, as far as it was read. */
type Opened = {
  chain: DevChain
  id: string
  /** Reads so far, and how many of them were made before the node was seen at this block the last time. */
  reads: number
  checked: number
}

/**
 * Reads the newest state of one node when it is first needed, and keeps it until the node has another block. A node has no
 * state of a given block, so the newest block is compared before and after the reads.
 */
export function createNewestState({ chainId, rpc, transport }: createNewestState.Options) {
  let current: Promise<Opened> | undefined
  let currentId: string | undefined

  /** The newest block of both interfaces, which the JSON-RPC of another node would not have. */
  async function newest(floor: number): Promise<string> {
    for (let look = 1; look <= LOOKS; look++) {
      // A client of its own: clients share answers in flight, and an answer that another run waits for may be older.
      const { wallet } = createNodeClient({ transport })
      const [block, height] = await counted(() =>
        Promise.all([wallet.getBlock({}), rpc.call('eth_blockNumber', [])]),
      )
      const number = block?.block_header.raw_data.number ?? 0
      if (block && BigInt(height as string) === BigInt(number) && number >= floor)
        return block.blockID
      if (look < LOOKS) await sleep(LOOK_AGAIN)
    }
    throw new UpstreamError(
      'the HTTP API and the JSON-RPC of the upstream node do not have the newest block that clients were shown',
    )
  }

  async function open(): Promise<Opened> {
    const opened = { id: '', reads: 0, checked: 0 }
    const read = <answer>(ask: () => Promise<answer>) => {
      opened.reads++
      return opened.id === '' ? countedForAll(ask) : counted(ask)
    }
    const fork = await openFork({
      rpc: { ...rpc, call: (...call) => read(() => rpc.call(...call)) },
      transport: { ...transport, send: (...call) => read(() => transport.send(...call)) },
      urls: [],
    })
    if (fork.chainId !== chainId || Number(await rpc.call('eth_chainId', [])) !== chainId)
      throw new UpstreamError('the upstream node or its JSON-RPC is of another chain')
    if (fork.reach.storage === 'none')
      throw new UpstreamError(
        'the JSON-RPC of the upstream node does not answer eth_getStorageAt, which simulations need',
      )
    const chain = await createDevChain({
      fork,
      rules: { genesis: NOTHING_ADDED, profile: 'native' },
    })
    return Object.assign(opened, { chain, id: fork.block.id })
  }

  /** The state of the newest block. Runs share it. */
  async function stateAt(id: string): Promise<Opened> {
    if (!current || currentId !== id) {
      const opening = open()
      current = opening
      currentId = id
      opening.catch(() => {
        if (current === opening) current = undefined
      })
    }
    const opening = current
    const opened = await opening
    // The node may have got another block meanwhile.
    if (current === opening) currentId = opened.id
    return opened
  }

  return {
    /**
     * Runs work on a chain whose newest block is that of the node. The work must not change the chain. It runs again when the node
     * got a block while values were read.
     *
     * @param floor - the lowest block that counts as newest: the one that clients were shown
     * @throws UpstreamError when the node gets blocks faster than the state can be read, or its interfaces do not agree
     */
    async run<result>(work: (chain: DevChain) => Promise<result>, run: Run, floor: number) {
      let wanted: (readonly [table: Table, key: string])[] = []
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const opened = await stateAt(await newest(floor))
        const { chain } = opened
        const state = chain.ledger.newestState()
        await Promise.all(wanted.map(([table, key]) => runFetching(() => state.get(table, key))))
        const missed: typeof wanted = []
        const [outcome] = await Promise.allSettled([
          work(guarded(chain, run.signal, (table, key) => missed.push([table, key]))),
        ])
        const { reads } = opened
        if (reads > opened.checked) {
          if ((await newest(floor)) !== opened.id) {
            wanted = [...wanted, ...missed]
            continue
          }
          opened.checked = Math.max(opened.checked, reads)
        }
        if (outcome.status === 'rejected') throw outcome.reason
        return outcome.value
      }
      throw new UpstreamError(
        `the node got a new block ${ATTEMPTS} times while the state was read, try again`,
      )
    },
  }
}

export declare namespace createNewestState {
  type Options = {
    chainId: number
    /** JSON-RPC and HTTP API of one node. */
    rpc: NodeRpc
    transport: NativeTransport
  }
}

/** The same chain for one run: its reads end with the signal, and the values that must be fetched are reported. */
function guarded(
  chain: DevChain,
  signal: AbortSignal,
  onMissing: (table: Table, key: string) => void,
): DevChain {
  const { ledger } = chain
  const stateAt = (number: number): StateReader => {
    const state = ledger.stateAt(number)
    return {
      get(table, key) {
        signal.throwIfAborted()
        try {
          return state.get(table, key)
        } catch (error) {
          onMissing(table, key)
          throw error
        }
      },
    }
  }
  return { ...chain, ledger: { ...ledger, stateAt } }
}
