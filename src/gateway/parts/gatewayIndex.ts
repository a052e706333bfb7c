import type { Head } from '../../chain/head/headTypes.ts'
import type { Config } from '../../config/config.ts'
import { upstreamsOf } from '../../config/upstreamList.ts'
import type { Meter } from '../../lib/call.ts'
import { INDEX_READ_PRICE } from '../../limits/prices.ts'
import { createLogIndex, type LogIndex } from '../../logIndex/logIndex.ts'
import type { ChainIdentity } from '../../native/capabilities.ts'
import { storeOf } from './gatewayStore.ts'

/** Milliseconds that one search in the index may take. */
const DEADLINE = 10_000

/** Milliseconds of a search that failed that cost one unit. */
const MS_PER_UNIT = 25

/** The share of the sockets per node port that filling gets, and the most. */
const SOCKETS_SHARE = 0.2
const MOST_SOCKETS = 8

/** Sockets per node port of the log index, of those that the gateway may have in all; none without an index. */
export function indexSockets(config: Config): number {
  if (config.index === undefined || upstreamsOf(config).length === 0) return 0
  return Math.min(MOST_SOCKETS, Math.max(1, Math.floor(config.upstreamSockets * SOCKETS_SHARE)))
}

/** The configured log index, kept up to date with the head. Undefined without one, and for a chain in this process. */
export function createGatewayIndex({
  config,
  head,
  identity: { chainId, genesis },
  log,
}: createGatewayIndex.Options): LogIndex | undefined {
  const upstreams = upstreamsOf(config)
  if (config.index === undefined || upstreams.length === 0) return undefined
  const index = createLogIndex({
    address: config.index,
    deadline: DEADLINE,
    log,
    writer: {
      from: config.indexFrom,
      genesis,
      rate: config.indexRate,
      sockets: indexSockets(config),
      store: config.storeFill === 'index' ? storeOf(config, chainId) : undefined,
      timeout: config.upstreamTimeout,
      upstreams,
    },
  })
  let solid = -1
  head.onUpdate(({ removed, solidified }) => {
    const isBelow = removed.some(({ number }) => number <= solid)
    solid = solidified.number
    if (isBelow) index.recheck(solid)
    else index.solidified(solid)
  })

  /** Charges a search to its caller. */
  async function metered<answer>(
    meter: Meter | undefined,
    run: () => Promise<answer>,
    readsOf: (answer: answer) => number,
  ): Promise<answer> {
    const began = performance.now()
    try {
      const answer = await run()
      if (meter) meter.cost += readsOf(answer) * INDEX_READ_PRICE
      return answer
    } catch (error) {
      // A search that its client leaves has done work too. How much is not known, so its time counts.
      if (meter) meter.cost += (performance.now() - began) / MS_PER_UNIT
      throw error
    }
  }

  return {
    ...index,
    search: (request, options) =>
      metered(
        options?.call?.meter,
        () => index.search(request, options),
        (answers) => answers.reduce((sum, { reads }) => sum + reads, 0),
      ),
    accounts: (request, options) =>
      metered(
        options?.call?.meter,
        () => index.accounts(request, options),
        (answer) => answer?.reads ?? 0,
      ),
    start() {
      index.start()
      const window = head.window()
      if (window) index.solidified(window.solidified.number)
    },
  }
}

export declare namespace createGatewayIndex {
  type Options = {
    config: Config
    identity: ChainIdentity
    head: Pick<Head, 'onUpdate' | 'window'>
    log: createLogIndex.Options['log']
  }
}
