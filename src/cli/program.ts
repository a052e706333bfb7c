import { Command } from 'commander'

import { VERSION } from '../lib/version.ts'
import { type Io, processIo } from './base/io.ts'
import { runProgram } from './words/command.ts'

type Adder = (program: Command, io: Io) => void

/** The subcommands by group of `--help`. A module declares one or several; each is loaded on use. */
const GROUPS: readonly {
  title: string
  modules: readonly (readonly [string, () => Promise<Adder>])[]
}[] = [
  {
    title: 'Serve:',
    modules: [
      ['serve', async () => (await import('./commands/serve.ts')).addServeCommand],
      ['dev', async () => (await import('./commands/dev.ts')).addDevCommand],
      ['index', async () => (await import('./commands/index.ts')).addIndexCommand],
      ['api-keys', async () => (await import('./commands/apiKeys.ts')).addApiKeysCommand],
      ['config validate', async () => (await import('./commands/config.ts')).addConfigCommands],
      ['doctor', async () => (await import('./commands/doctor.ts')).addDoctorCommand],
      ['verify', async () => (await import('./commands/verify.ts')).addVerifyCommand],
    ],
  },
  {
    title: 'Read the chain (words of cast):',
    modules: [
      [
        'block block-number tx receipt run trace balance nonce code storage chain-id gas-price',
        async () => (await import('./commands/chain.ts')).addChainCommands,
      ],
      ['call estimate', async () => (await import('./commands/call.ts')).addCallCommands],
      ['logs', async () => (await import('./commands/logs.ts')).addLogsCommand],
      ['history', async () => (await import('./commands/history.ts')).addHistoryCommand],
      ['watch', async () => (await import('./commands/watch.ts')).addWatchCommand],
      ['rpc', async () => (await import('./commands/rpc.ts')).addRpcCommand],
    ],
  },
  {
    title: 'Send:',
    modules: [
      ['send', async () => (await import('./commands/send.ts')).addSendCommand],
      ['keys', async () => (await import('./commands/keys.ts')).addKeysCommand],
    ],
  },
  {
    title: 'Only on this chain:',
    modules: [
      ['account', async () => (await import('./commands/account.ts')).addAccountCommand],
      ['native', async () => (await import('./commands/native.ts')).addNativeCommand],
    ],
  },
  {
    title: 'Convert, without a request:',
    modules: [
      ['decode', async () => (await import('./commands/decode.ts')).addDecodeCommand],
      [
        'encode sig 4byte keccak address to-unit from-unit',
        async () => (await import('./commands/convert.ts')).addConvertCommands,
      ],
      ['completion', async () => (await import('./commands/completion.ts')).addCompletionCommand],
    ],
  },
]

/** Runs `ethgate` with these arguments and returns its exit code. */
export async function runEthgate(args: readonly string[], io: Io = processIo()): Promise<number> {
  // The scripts of "ethgate completion" ask this. The words are those of a line that is not finished, so they do not parse.
  if (args[0] === 'completion' && args[1] === '--words') {
    const { completionsOf } = await import('./commands/completion.ts')
    for (const word of completionsOf(await createProgram(io), args.slice(2)))
      io.stdout.write(`${word}\n`)
    return 0
  }
  const argv = withCommand([...args], io.env)
  return runProgram(await createProgram(io, argv[0]), argv, io)
}

/** The program with the subcommand of this name; with all of them for another name, so that help and suggestions are complete. */
export async function createProgram(io: Io, name?: string): Promise<Command> {
  const program = new Command('ethgate')
    .description('Ethereum JSON-RPC for java-tron nodes: a gateway, a development chain, and tools')
    .version(VERSION, '-v, --version')
    // Options after a subcommand belong to the subcommand: `ethgate dev -v` is `ethgate dev --verbose`.
    .enablePositionalOptions()
    .addHelpText(
      'after',
      '\nWithout a command, ethgate runs "ethgate dev"; with --upstream or --config it runs "ethgate serve".',
    )
  const all = GROUPS.flatMap(({ modules, title }) =>
    modules.map(([names, load]) => ({ names: names.split(' '), load, title })),
  )
  const one = all.filter(({ names }) => names.includes(name ?? ''))
  for (const { load, title } of one.length > 0 ? one : all) {
    program.commandsGroup(title)
    const add = await load()
    add(program, io)
  }
  return program
}

/** The default subcommand: `serve` if an upstream is given, otherwise `dev`. */
function withCommand(args: string[], env: NodeJS.ProcessEnv): string[] {
  const [first] = args
  if (first !== undefined && !first.startsWith('-')) return withoutAlias(first, args.slice(1))
  if (first !== undefined && /^(?:-h|--help|-v|-V|--version)$/.test(first))
    return [first === '-V' ? '-v' : first]
  const isServe =
    env['ETHGATE_UPSTREAM'] ||
    env['ETHGATE_CONFIG'] ||
    args.some((arg) => /^--(?:upstream|config)(?:=|$)/.test(arg))
  return [isServe ? 'serve' : 'dev', ...args]
}

/** Words of cast that have another form here: what they stand for. */
const ALIASES: Readonly<Record<string, (words: string[]) => string[]>> = {
  '4byte-decode': (words) => ['decode', ...words],
  'abi-encode': (words) => ['encode', 'abi', ...words],
  age: (words) => ['block', ...words, '-f', 'timestamp'],
  calldata: (words) => ['encode', 'calldata', ...words],
  'from-wei': ([amount = '', unit = 'coin', ...rest]) => ['to-unit', `${amount}wei`, unit, ...rest],
  'to-wei': ([amount = '', unit = 'coin', ...rest]) => [
    'to-unit',
    `${amount}${unit}`,
    'wei',
    ...rest,
  ],
}

function withoutAlias(word: string, words: string[]): string[] {
  return Object.hasOwn(ALIASES, word) ? (ALIASES[word]?.(words) ?? []) : [word, ...words]
}
