import { plural } from '../../codec/coin.ts'
import { type Config, type Option, options, readConfig } from '../../config/config.ts'
import { readConfigFile } from '../../config/file.ts'
import { upstreamsOf } from '../../config/upstreamList.ts'
import { secretsIn } from '../../lib/secrets.ts'
import { readKeysFile } from '../../limits/keysFile.ts'
import { checked, CommandError, EXIT } from '../base/errors.ts'
import type { Terminal } from '../base/terminal.ts'
import type { Result } from '../output/result.ts'
import { renderRows } from '../output/table.ts'
import { type ConfigFlags, NODE_MISSING } from './configOptions.ts'

/** Checks everything that `serve` reads at its start. @throws CommandError with exit code 1 */
export function validatedSettings(flags: ConfigFlags, env: NodeJS.ProcessEnv): Result {
  const { config, path } = checked(() => read(flags, env))
  const keys = checked(() => (config.apiKeys === undefined ? [] : readKeysFile(config.apiKeys)))
  const nodes = checked(() => upstreamsOf(config))
  // `--api-keys` alone can be validated without a node.
  if (nodes.length === 0 && (path !== undefined || config.apiKeys === undefined))
    throw new CommandError(NODE_MISSING)
  const value = { valid: true, file: path ?? null, upstreams: nodes.length, apiKeys: keys.length }
  const text = () => `valid: ${plural(nodes.length, 'upstream')}, ${plural(keys.length, 'API key')}`
  return { value, text }
}

/** Each setting, its value and its source: flag, environment, file or default. @throws CommandError (usage) */
export function shownSettings(flags: ConfigFlags, given: NodeJS.ProcessEnv): Result {
  const { config, file, path } = checked(() => read(flags, given), EXIT.usage)
  const sourceOf = (key: keyof typeof options, { env, flag }: Option): string => {
    if (flags[key] !== undefined) return flag
    if (given[env]) return env
    return key in file ? (path ?? '') : 'default'
  }
  const rows = (Object.entries(options) as [keyof typeof options, Option][]).map(
    ([key, option]) => ({
      option: option.flag.slice(2),
      value: shown(key, config[key]),
      source: sourceOf(key, option),
    }),
  )
  if (config.upstreams)
    rows.unshift({
      option: 'upstreams',
      value: config.upstreams.map(({ name }) => name).join(', '),
      source: path ?? '',
    })
  const cells = rows.map(({ option, source, value }) => [option, value ?? '', source])
  const text = (terminal: Terminal) => renderRows(terminal, ['option', 'value', 'source'], cells)
  return { value: rows, text }
}

type Read = { config: Config; file: Partial<Config>; path: string | undefined }

function read(flags: ConfigFlags, env: NodeJS.ProcessEnv): Read {
  const given = flags['config'] ?? (env['ETHGATE_CONFIG'] || undefined)
  const path = given === undefined ? undefined : String(given)
  const file = path === undefined ? {} : readConfigFile(path, { env })
  return { config: readConfig({ env, file, flags }), file, path }
}

/** A value as text, without secrets; null for none. */
function shown(
  key: keyof typeof options,
  value: boolean | number | string | undefined,
): string | null {
  if (value === undefined) return null
  if (SECRET.has(key)) return HIDDEN
  const text = String(value)
  return secretsIn(text.split(' ')).reduce((left, secret) => left.replaceAll(secret, HIDDEN), text)
}

const SECRET = new Set<keyof typeof options>(['keys', 'upstreamHeader'])
const HIDDEN = '[hidden]'
