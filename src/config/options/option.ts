/** An entry of the table of options. `--help` and docs/options.md are generated from the table. */
export type OptionEntry = {
  /** How the value is written in help; absent for switches. */
  value?: string
  default: string | number | boolean | undefined
  parse: (text: string) => unknown
  /** Whether it may be given more than once; the values are separated by spaces in the environment. */
  repeats?: true
  help: string
}

/** How an option is given: `logsMaxBlocks` is `--logs-max-blocks` and `ETHGATE_LOGS_MAX_BLOCKS`. */
type Names = { flag: string; env: string }

/** An option with its flag and its environment variable. */
export type Option = OptionEntry & Names

/** The entries of a table with their flags and environment variables. */
export function withNames<table extends Record<string, OptionEntry>>(table: table) {
  const named = Object.entries(table).map(([key, entry]) => {
    const words = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const env = `ETHGATE_${words.replaceAll('-', '_').toUpperCase()}`
    return [key, { flag: `--${words}`, env, ...entry }]
  })
  return Object.fromEntries(named) as { [key in keyof table]: table[key] & Names }
}
