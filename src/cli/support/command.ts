import { type Command, CommanderError } from 'commander'

import { CommandError, EXIT, usageError } from './errors.ts'
import { type Io, processIo } from './io.ts'
import { createTerminal, ReaderGoneError, type Terminal } from './terminal.ts'

// Shared parts of subcommands. Each file of this folder exports `addXCommand(program)`, which declares the arguments and
// options of one subcommand. Its action imports modules that load slowly (viem, the wire formats), so that `serve` and
// `--help` start at once.

/** Declares a subcommand with examples: a command line and its meaning. */
export function addCommand(
  program: Command,
  usage: string,
  options: {
    summary: string
    description?: string
    examples: readonly (readonly [string, string])[]
  },
): Command {
  const width = Math.max(...options.examples.map(([line]) => line.length))
  const examples = options.examples.map(([line, meaning]) =>
    line.length > 60
      ? `  $ ${line}\n      ${meaning}`
      : `  $ ${line.padEnd(Math.min(width, 60))}  ${meaning}`,
  )
  return program
    .command(usage)
    .summary(options.summary)
    .description(
      options.description ?? `${options.summary[0]?.toUpperCase()}${options.summary.slice(1)}.`,
    )
    .addHelpText('after', `\nExamples:\n${examples.join('\n')}`)
    .showHelpAfterError(false)
}

/** Adds `--rpc`. */
export function addRpcOption(command: Command): Command {
  return command.option(
    '--rpc <url>',
    'JSON-RPC address of a gateway or node (env ETHGATE_RPC, default http://127.0.0.1:8545)',
  )
}

/** Adds `--node`. */
export function addNodeOption(command: Command): Command {
  return command.option(
    '--node <url>',
    'native HTTP address of a node (env ETHGATE_NODE, default: the host of --rpc)',
  )
}

/** Adds `--header` and `--timeout`, for every request of a command. */
export function addRequestOptions(command: Command): Command {
  return command
    .option('--header <line>', '"NAME: VALUE" sent with every request (env ETHGATE_HEADER)')
    .option('--timeout <seconds>', 'timeout of one request (default 30)')
}

/** Adds `--json` and `--table`. Without either, a terminal gets tables and a pipe gets JSON. */
export function addOutputOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON even on a terminal; errors are one line of JSON on stderr')
    .option('--table', 'print tables even into a pipe')
}

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/**
 * Runs the program and returns its exit code. A failure is one line on stderr (`--json`: one line of JSON). A reader
 * that closes the pipe ends the command without an error.
 */
export async function runProgram(
  program: Command,
  argv: readonly string[],
  io: Io = processIo(),
): Promise<number> {
  const terminal = createTerminal({}, io)
  const json = argv.includes('--json')
  prepare(program, io, terminal, json)
  // A write to a closed pipe fails twice: with an `error` event, which needs a listener, and in the callback, which ends the
  // command.
  for (const stream of [io.stdout, io.stderr]) stream.on('error', onStreamError)
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (error instanceof ReaderGoneError) return EXIT.ok
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    const failure = error instanceof CommandError ? error : unexpected(error)
    terminal.fail(failure, json)
    return failure.exitCode
  }
}

function onStreamError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

function prepare(command: Command, io: Io, terminal: Terminal, json: boolean): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
    outputError: (text) => {
      const line = text
        .replace(/^error: /, '')
        .replaceAll(/\s+/g, ' ')
        .trim()
      terminal.fail(usageError(`${line}; see "${pathOf(command)} --help"`), json)
    },
  })
  for (const child of command.commands) prepare(child, io, terminal, json)
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

function unexpected(error: unknown): CommandError {
  const message = error instanceof Error ? error.message : String(error)
  return new CommandError(message.split('\n')[0] || 'failed without a message', { cause: error })
}
