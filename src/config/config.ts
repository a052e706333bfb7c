import type { Upstream } from '../native/upstream.ts'
import { accessOptions } from './options/access.ts'
import { limitOptions } from './options/limits.ts'
import { type Option, withNames } from './options/option.ts'
import { servingOptions } from './options/serving.ts'

export type { Option } from './options/option.ts'

/** Every option of `serve` and `dev`. The key is the name in `Config`. */
export const options = withNames({ ...servingOptions, ...accessOptions, ...limitOptions })

type Options = typeof options

/** The settings of one gateway, frozen. */
export type Config = {
  readonly [key in keyof Options]:
    | ReturnType<Options[key]['parse']>
    | Extract<Options[key]['default'], undefined>
} & {
  /** The nodes of a configuration file. Absent: those of the `upstream…` options. */
  readonly upstreams?: readonly Upstream[] | undefined
}

/**
 * The settings from command line flags (by key, as typed), environment and a file. Flags override the environment, and the
 * environment overrides the file. An empty variable counts as absent.
 *
 * @throws ConfigError naming the flag or variable.
 */
export function readConfig({ env, file = {}, flags }: readConfig.Sources): Config {
  const given: [string, unknown][] = []
  for (const [key, option] of Object.entries(options) as [keyof Options, Option][]) {
    const flag = flags[key]
    const input = flag ?? (env[option.env] || undefined)
    if (input === undefined) continue
    try {
      given.push([key, option.parse(Array.isArray(input) ? input.join(' ') : String(input))])
    } catch (error) {
      throw new ConfigError(flag === undefined ? option.env : option.flag, (error as Error).message)
    }
  }
  const chosen: Partial<Config> = Object.fromEntries(given)
  // Nodes on the command line replace those of the file.
  const nodes = chosen.upstream === undefined ? file.upstreams : undefined
  return createConfig({ ...file, ...chosen, upstreams: nodes })
}

export declare namespace readConfig {
  type Sources = {
    env: Record<string, string | undefined>
    /** The settings of a configuration file. */
    file?: Partial<Config>
    /** Flags in the format of the command line parser: text, a list if an option repeats, or true for switches. */
    flags: Record<string, string | string[] | boolean | undefined>
  }
}

/** The defaults with some values replaced. */
export function createConfig(given: Partial<Config> = {}): Config {
  const defaults = Object.fromEntries(
    Object.entries(options).map(([key, option]) => [key, option.default]),
  )
  return Object.freeze({ ...defaults, ...given } as Config)
}

/** An option whose value is wrong. `option` is the flag or environment variable as the user knows it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly option: string

  constructor(option: string, reason: string) {
    super(`${option}: ${reason}`)
    this.option = option
  }
}
