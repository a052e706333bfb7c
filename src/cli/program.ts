import { Command } from 'commander'

import { VERSION } from '../lib/version.ts'
import { runProgram } from './support/command.ts'
import { type Io, processIo } from './support/io.ts'

type Adder = (program: Command, io: Io) => void

/** Every subcommand, loaded on use: `serve` does not load the modules of `send`. */
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
  verify: async () => (await import('./commands/verify.ts')).addVerifyCommand,
  index: async () => (await import('./commands/index.ts')).addIndexCommand,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
}

/** Runs `ethgate` with these arguments and returns its exit code. */
export async function runEthgate(args: readonly string[], io: Io = processIo()): Promise<number> {
  const argv = withCommand([...args], io.env)
  const program = new Command('ethgate')
    .description('Ethereum JSON-RPC for java-tron nodes: a gateway, a development chain, and tools')
    .version(VERSION)
  for (const add of await loadersOf(argv[0])) add(program, io)
  return runProgram(program, argv, io)
}

/** The default subcommand: `serve` if an upstream is given, otherwise `dev`. */
function withCommand(args: string[], env: NodeJS.ProcessEnv): string[] {
  const [first] = args
  if (first !== undefined && !first.startsWith('-')) return args
  if (first !== undefined && /^(?:-h|--help|-V|--version)$/.test(first)) return args
  const isServe =
    env['ETHGATE_UPSTREAM'] ||
    env['ETHGATE_CONFIG'] ||
    args.some((arg) => /^--(?:upstream|config)(?:=|$)/.test(arg))
  return [isServe ? 'serve' : 'dev', ...args]
}

/** The subcommand of this name; all of them for another name, so that help and suggestions are complete. */
function loadersOf(name: string | undefined): Promise<Adder[]> {
  const one = name === undefined || !Object.hasOwn(commands, name) ? undefined : commands[name]
  return Promise.all((one ? [one] : Object.values(commands)).map((load) => load()))
}
