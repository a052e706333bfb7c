import type { NativeTransport } from '../transport.ts'
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
  let floor: ServedBlocks = { head: 0, solid: 0 }
  let current = start(options.upstreams)

  function start(upstreams: readonly Upstream[]): Current {
    const [only, ...others] = upstreams
    if (!only) throw new TypeError('at least one upstream is needed')
    if (others.length > 0) {
      const pool = createUpstreamPool({ ...options, upstreams })
      return { ...pool, update: (next) => pool.update(next), underway: 0 }
    }
    return { ...createSingleUpstream({ ...options, upstream: only }), underway: 0 }
  }

  return {
    async send(path, body, sendOptions) {
      const chosen = current
      chosen.underway++
      try {
        return await chosen.send(path, body, sendOptions)
      } finally {
        if (--chosen.underway === 0) chosen.onIdle?.()
      }
    },
    setFloor(next) {
      floor = next
      current.setFloor(next)
    },
    status: () => current.status(),
    order: () => current.order(),
    confirm: (name) => current.confirm(name),
    async update(upstreams) {
      if (current.update && upstreams.length > 1) return current.update(upstreams)
      const old = current
      current = start(upstreams)
      current.setFloor(floor)
      if (old.underway > 0) await new Promise<void>((resolve) => (old.onIdle = resolve))
      return old.close()
    },
    close: () => current.close(),
  }
}

type Current = NativeTransport &
  Pick<UpstreamPool, 'confirm' | 'order' | 'setFloor' | 'status'> & {
    update?: UpstreamPool['update']
    underway: number
    onIdle?: () => void
  }
