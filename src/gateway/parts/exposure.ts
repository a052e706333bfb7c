import { type Config, ConfigError } from '../../config/config.ts'
import { isLoopback } from '../../http/access.ts'
import type { Log } from '../log.ts'

/**
 * Checks who can reach a gateway whose calls can spend, and warns of options that allow web pages to call it.
 *
 * @throws ConfigError when managed keys would be served on an address that other machines reach.
 */
export function checkExposure({ canSpend, config, hasKeys, log }: checkExposure.Options): void {
  if (hasKeys && !config.keysPublic && !isLoopback(config.host))
    throw new ConfigError(
      '--host',
      `every client that reaches ${config.host} could spend the coins of the managed keys: listen on 127.0.0.1, or allow it with --keys-public`,
    )
  if (!canSpend) return
  if (config.cors === '*')
    log.warn('--cors * lets every web page send transactions with the managed keys')
  if (config.allowedHosts === '*')
    log.warn(
      '--allowed-hosts * lets web pages of any host name send transactions with the managed keys',
    )
}

/** Who may simulate: with `auto` everybody where only this machine reaches the gateway, else callers with API keys. */
export function simulationOf({ apiKeys, host, simulate }: Config): Config['simulate'] {
  if (simulate !== 'auto') return simulate
  if (isLoopback(host)) return 'on'
  return apiKeys === undefined ? 'off' : 'keys'
}

export declare namespace checkExposure {
  type Options = {
    /** Whether a call can spend: there are managed keys, or the chain is in this process. */
    canSpend: boolean
    config: Config
    hasKeys: boolean
    log: Pick<Log, 'warn'>
  }
}
