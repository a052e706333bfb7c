import { type Config, ConfigError } from '../../config/config.ts'
import { upstreamsOf } from '../../config/upstreamList.ts'
import type { Upstream } from '../../native/upstream.ts'
import type { Log } from '../log.ts'

/**
 * Reads the configuration again and replaces the nodes. Other settings apply only at the start; the log names those that
 * differ. An invalid configuration changes nothing.
 */
export async function reload({ apply, log, read, running }: reload.Options): Promise<void> {
  try {
    const next = read()
    const upstreams = upstreamsOf(next)
    if (upstreams.length === 0) throw new ConfigError('upstreams', 'expected at least one node')
    const others = (Object.keys(next) as (keyof Config)[]).filter(
      (key) => !RELOADED.has(key) && next[key] !== running[key],
    )
    await apply(upstreams)
    log.info({ upstreams: upstreams.map(({ name }) => name) }, 'reloaded the nodes')
    if (others.length > 0) log.warn({ settings: others }, 'these settings need a restart')
  } catch (error) {
    log.error({ err: error }, 'the configuration is invalid; nothing was changed')
  }
}

export declare namespace reload {
  type Options = {
    apply: (upstreams: readonly Upstream[]) => Promise<void>
    log: Pick<Log, 'error' | 'info' | 'warn'>
    /** @throws ConfigError */
    read: () => Config
    /** The configuration at the start, as it was read. */
    running: Config
  }
}

/** The settings of the nodes. */
const RELOADED = new Set<keyof Config>([
  'upstream',
  'upstreamGrpc',
  'upstreamHeader',
  'upstreamRate',
  'upstreamRpc',
  'upstreams',
  'upstreamSolidity',
  'upstreamTimeout',
])
