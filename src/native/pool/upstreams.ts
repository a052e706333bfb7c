import { drained } from './drained.ts'
import { createUpstreamPool, type UpstreamPool } from './pool.ts'
import type { ServedBlocks } from './servedChain.ts'
import { createSingleUpstream } from './single.ts'
import type { Upstream } from './upstream.ts'

/**
 * The nodes of a gateway, one or several, which may change while it runs.
 *
 * @throws Error when an address or a header cannot be used.
 */
export function createUpstreams(options: createUpstreamPool.Options): UpstreamPool {
  let floor: ServedBlocks | undefined
  let genesis: string | undefined
  let current = start(options.upstreams)

  function start(upstreams: readonly Upstream[]): Current {
    const [only, ...others] = upstreams
    if (!only) throw new TypeError('at least one upstream is needed')
    return others.length > 0
      ? createUpstreamPool({ ...options, upstreams })
      : createSingleUpstream({ ...options, upstream: only })
  }

  return {
    send: (path, body, sendOptions) => current.send(path, body, sendOptions),
    expect(hash) {
      genesis = hash
      current.expect(hash)
    },
    setFloor(next) {
      floor = next
      current.setFloor(next)
    },
    status: () => current.status(),
    order: () => current.order(),
    confirm: (name) => current.confirm(name),
    isIdle: () => current.isIdle(),
    async update(upstreams) {
      if (current.update && upstreams.length > 1) return current.update(upstreams)
      const old = current
      current = start(upstreams)
      if (genesis !== undefined) current.expect(genesis)
      if (floor) current.setFloor(floor)
      await drained(old, options.timeout ?? DRAIN)
      return old.close()
    },
    close: () => current.close(),
  }
}

/** Milliseconds that calls in flight get at most, where calls have no limit of their own. */
const DRAIN = 10_000

type Current = Omit<UpstreamPool, 'update'> & Partial<Pick<UpstreamPool, 'update'>>
