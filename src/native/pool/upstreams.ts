import type { ServedBlocks } from '../identity/servedChain.ts'
import { isSameUpstream, type Upstream } from '../upstream.ts'
import { drained } from './drained.ts'
import { createUpstreamPool, type UpstreamPool } from './pool.ts'
import { createSingleUpstream } from './single.ts'

/**
 * The nodes of a gateway, one or several, which may change while it runs.
 *
 * @throws Error when an address or a header cannot be used.
 */
export function createUpstreams(options: createUpstreamPool.Options): UpstreamPool {
  let floor: ServedBlocks | undefined
  let genesis: string | undefined
  let current = start(options.upstreams)
  /** The present nodes. */
  let present = options.upstreams
  let isClosed = false
  let changes: Promise<unknown> = Promise.resolve()

  function start(upstreams: readonly Upstream[]): Current {
    const [only, ...others] = upstreams
    if (!only) throw new TypeError('at least one upstream is needed')
    return others.length > 0
      ? createUpstreamPool({ ...options, upstreams })
      : createSingleUpstream({ ...options, upstream: only })
  }

  async function change(upstreams: readonly Upstream[]): Promise<void> {
    if (current.update && upstreams.length > 1) {
      present = upstreams
      return current.update(upstreams)
    }
    // A single node that did not change keeps its connections and what is known of it, as the nodes of a list do.
    const [only, ...others] = upstreams
    const isOnly = present.length === 1 && others.length === 0
    if (isOnly && only && isSameUpstream(present[0] as Upstream, only)) return
    const old = current
    const next = start(upstreams)
    if (genesis !== undefined) next.expect(genesis)
    // Several nodes get calls only after their first probe, so the one from before stays until then.
    await next.probed()
    if (isClosed) return next.close()
    current = next
    present = upstreams
    if (genesis !== undefined) current.expect(genesis)
    if (floor) current.setFloor(floor)
    await drained(old, options.timeout ?? DRAIN)
    return old.close()
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
    peers: () => current.peers(),
    sendTo: (...call) => current.sendTo(...call),
    confirm: (name) => current.confirm(name),
    probed: () => current.probed(),
    isIdle: () => current.isIdle(),
    // One after the other: a change waits for the probes of new nodes.
    update(upstreams) {
      const changed = changes.then(() => change(upstreams))
      changes = changed.catch(() => {})
      return changed
    },
    close() {
      isClosed = true
      return current.close()
    },
  }
}

/** Milliseconds that calls in flight get at most, where calls have no limit of their own. */
const DRAIN = 10_000

type Current = Omit<UpstreamPool, 'update'> & Partial<Pick<UpstreamPool, 'update'>>
