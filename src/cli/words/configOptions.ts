import { type Command, Option } from 'commander'

import {
  type Config,
  type Option as ConfigOption,
  options,
  readConfig,
} from '../../config/config.ts'
import { readConfigFile } from '../../config/file.ts'
import { checked, EXIT } from '../base/errors.ts'
import { collect } from './command.ts'

/** Flags of a gateway, as parsed. */
export type ConfigFlags = Record<string, string | string[] | boolean | undefined>

/** The groups of `serve --help`, in order. An option belongs to the first that has its name. */
const GROUPS: readonly (readonly [title: string, names: RegExp])[] = [
  [
    'Most used:',
    /^(upstream|upstreamRpc|upstreamGrpc|config|host|port|redis|keys|index|logLevel)$/,
  ],
  ['Node:', /^(upstream|headQuorum|walletPassthrough|verifyRate|simulate)/],
  ['Listen:', /^(cors|allowedHosts|trustProxy|page|drain)/],
  ['Keys and storage:', /^(keys|apiKeys|predicted|redis|dataDir|store|stateWindow|feeSignal)/],
  ['Index:', /^index/],
  ['Log:', /^(log[FL]|slow|otel|metrics)/],
  ['Limits:', /^/],
]

/**
 * Adds the options of the table in `config.ts`, by group.
 *
 * @param without - names of options that the command does not have
 * @param shown - names of the options that its help lists; the others work too. @default all
 * @param defaults - defaults in its help, where they differ from the table's
 */
export function addConfigOptions(
  command: Command,
  without: readonly string[] = [],
  shown?: readonly string[],
  defaults: Readonly<Record<string, string>> = {},
): Command {
  const groupOf = (name: string) => GROUPS.findIndex(([, names]) => names.test(name))
  const sorted = Object.entries<ConfigOption>(options).toSorted(
    ([a], [b]) => groupOf(a) - groupOf(b),
  )
  for (const [name, option] of sorted) {
    if (without.includes(name)) continue
    const { env, flag, help, repeats, value } = option
    const fallback = defaults[name] ?? option.default
    const notes = fallback === undefined ? `env ${env}` : `env ${env}, default ${String(fallback)}`
    const added = new Option(value ? `${flag} <${value}>` : flag, `${help} (${notes})`)
    if (repeats) added.argParser(collect)
    if (!shown) added.helpGroup(GROUPS[groupOf(name)]?.[0] ?? '')
    else if (!shown.includes(name)) added.hideHelp()
    command.addOption(added)
  }
  return command
}

/** The settings from flags, environment and configuration file. @throws CommandError with exit code 2 */
export function configOf(flags: ConfigFlags, env = process.env): Config {
  const path = flags['config'] ?? (env['ETHGATE_CONFIG'] || undefined)
  return checked(() => {
    const file = path === undefined ? {} : readConfigFile(String(path), { env })
    return readConfig({ env, file, flags })
  }, EXIT.usage)
}

/** What `serve` says without a node. */
export const NODE_MISSING =
  'the node is missing: give --upstream URL (or ETHGATE_UPSTREAM), such as http://127.0.0.1:8090; "ethgate dev" needs none'
