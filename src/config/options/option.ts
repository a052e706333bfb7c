/** One option: flag, environment variable, default, meaning. `--help` and docs/options.md are generated from it. */
export type Option = {
  flag: string
  env: string
  /** How the value is written in help; absent for switches. */
  value?: string
  default: string | number | boolean | undefined
  parse: (text: string) => unknown
  /** Whether it may be given more than once; the values are separated by spaces in the environment. */
  repeats?: true
  help: string
}
