import { type Command, Option } from 'commander'

import {
  type Config,
  ConfigError,
  type Option as ConfigOption,
  options,
  readConfig,
} from '../../config.ts'
import { usageError } from '../errors.ts'

/** Flags of a gateway as the parser gives them. */
export type ConfigFlags = Record<string, string | boolean | undefined>

/** Adds the options of the table in `config.ts`. */
export function addConfigOptions(command: Command): Command {
  for (const { default: fallback, env, flag, help, value } of Object.values<ConfigOption>(
    options,
  )) {
    const notes = fallback === undefined ? `env ${env}` : `env ${env}, default ${String(fallback)}`
    command.addOption(new Option(value ? `${flag} <${value}>` : flag, `${help} (${notes})`))
  }
  return command
}

/** The settings from flags and environment. @throws CommandError with exit code 2 */
export function configOf(flags: ConfigFlags, env = process.env): Config {
  try {
    return readConfig({ env, flags })
  } catch (error) {
    if (error instanceof ConfigError) throw usageError(error.message)
    throw error
  }
}
