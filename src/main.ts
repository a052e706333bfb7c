#!/usr/bin/env node
import { Command } from 'commander'

import { runProgram } from './commands/command.ts'
import { VERSION } from './version.ts'

type Adder = (program: Command) => void

/** Every subcommand, loaded when it is asked for: `serve` does not wait for what `send` needs. */
const commands: Record<string, () => Promise<Adder>> = {
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  dev: async () => (await import('./commands/dev.ts')).addDevCommand,
  call: async () => (await import('./commands/call.ts')).addCallCommand,
  wallet: async () => (await import('./commands/wallet.ts')).addWalletCommand,
  account: async () => (await import('./commands/account.ts')).addAccountCommand,
  send: async () => (await import('./commands/send.ts')).addSendCommand,
  decode: async () => (await import('./commands/decode.ts')).addDecodeCommand,
  watch: async () => (await import('./commands/watch.ts')).addWatchCommand,
  logs: async () => (await import('./commands/logs.ts')).addLogsCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
}

const argv = withCommand(process.argv.slice(2))
const program = new Command('ethgate')
  .description('Ethereum JSON-RPC for java-tron nodes: a gateway, a development chain, and tools')
  .version(VERSION)
for (const add of await loadersOf(argv[0])) add(program)
process.exitCode = await runProgram(program, argv)

/** Without a subcommand: `serve` when a node is named, else the development chain. */
function withCommand(args: string[]): string[] {
  const [first] = args
  if (first !== undefined && !first.startsWith('-')) return args
  if (first !== undefined && /^(?:-h|--help|-V|--version)$/.test(first)) return args
  const named =
    process.env['ETHGATE_UPSTREAM'] || args.some((arg) => /^--upstream(?:=|$)/.test(arg))
  return [named ? 'serve' : 'dev', ...args]
}

/** One subcommand when it is known which, else all of them, for `--help` and for suggestions. */
function loadersOf(name: string | undefined): Promise<Adder[]> {
  const one = name === undefined || !Object.hasOwn(commands, name) ? undefined : commands[name]
  return Promise.all((one ? [one] : Object.values(commands)).map((load) => load()))
}
