import { type Command, CommanderError, Option } from 'commander'

import { EXIT, usageError } from '../base/errors.ts'
import { failureOf } from '../base/failures.ts'
import type { Io } from '../base/io.ts'
import { createTerminal, ReaderGoneError, type Terminal } from '../base/terminal.ts'
import type { Target, TargetOptions } from '../node/target.ts'
import type { Result } from '../output/result.ts'
import { answerFor } from './oldWords.ts'

// Shared parts of subcommands. Each file of `commands/` exports `addXCommand(program, io)`, which declares the arguments and
// options of one or several subcommands. An action imports modules that load slowly (viem, the wire formats), so that
// `serve` and `--help` start at once.

/** The texts of a subcommand's help. */
export type Help = {
  summary: string
  /** More than the summary says. */
  description?: string
  /** Command lines, each with its meaning. */
  examples: readonly (readonly [line: string, meaning: string])[]
}

/** Declares a subcommand with examples. */
export function addCommand(program: Command, usage: string, help: Help): Command {
  const width = Math.max(...help.examples.map(([line]) => line.length))
  const examples = help.examples.map(([line, meaning]) =>
    line.length > 60
      ? `  $ ${line}\n      ${meaning}`
      : `  $ ${line.padEnd(Math.min(width, 60))}  ${meaning}`,
  )
  return program
    .command(usage)
    .summary(help.summary)
    .description(help.description ?? `${help.summary[0]?.toUpperCase()}${help.summary.slice(1)}.`)
    .addHelpText('after', `\nExamples:\n${examples.join('\n')}`)
    .showHelpAfterError(false)
}

/** Adds `--rpc-url`, `--header` and `--timeout`. */
function addRpcOptions(command: Command): Command {
  return command
    .option(
      '-r, --rpc-url <url>',
      'JSON-RPC address of a gateway or node (env ETH_RPC_URL, default http://127.0.0.1:8545)',
    )
    .option(
      '--header <line>',
      '"NAME: VALUE" sent with every request; may be repeated (env ETHGATE_HEADER)',
      collect,
    )
    .option('--timeout <seconds>', 'timeout of one request (default 30)')
}

/** Adds `--node`. */
function addNodeOption(command: Command): Command {
  return command.option(
    '--node <url>',
    'native HTTP address of a node (env ETHGATE_NODE, default: the host of --rpc-url)',
  )
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

/** What the action of a word gets. */
export type Task<options> = {
  io: Io
  terminal: Terminal
  target: Target
  options: options & TargetOptions & { field?: string; json?: boolean }
}

/** A subcommand whose action returns what to print. */
export type Word<options> = Help & {
  /** Its name and arguments. */
  usage: string
  /** Other names. */
  aliases?: readonly string[]
  /** The third part is a default, or `collect` for an option that may be given several times. */
  options?: readonly (readonly [flags: string, help: string, more?: string | typeof collect])[]
  /** What it calls: JSON-RPC (`rpc`), also the native API (`node`), or nothing. */
  calls: 'rpc' | 'node' | 'nothing'
  /** Whether it prints objects, so that `--field` chooses one of their fields. */
  hasFields?: boolean
  run: (task: Task<options>, words: (string | undefined)[]) => Promise<Result>
}

/** Declares a word. A variadic argument gives the last words. */
export function addWord<options = unknown>(program: Command, io: Io, word: Word<options>): Command {
  const command = addCommand(program, word.usage, word).aliases(word.aliases ?? [])
  for (const [flags, help, more] of word.options ?? []) {
    const option = new Option(flags, help)
    if (typeof more === 'function') option.argParser(more)
    command.addOption(typeof more === 'string' ? option.default(more) : option)
  }
  if (word.hasFields)
    command.option('-f, --field <name>', 'print only this field, such as hash or logs[0].address')
  if (word.calls !== 'nothing') addRpcOptions(command)
  if (word.calls === 'node') addNodeOption(command)
  return addOutputOptions(command).action(async (...given: unknown[]) => {
    const [{ show }, { resolveTarget }] = await Promise.all([
      import('../output/result.ts'),
      import('../node/target.ts'),
    ])
    const options = command.optsWithGlobals<Task<options>['options']>()
    const terminal = createTerminal(options, io)
    const target = resolveTarget(options, io)
    const words = given.slice(0, -2).flat() as (string | undefined)[]
    await show(terminal, await word.run({ io, terminal, target, options }, words), options.field)
  })
}

/**
 * Runs the program and returns its exit code. A failure is one line on stderr (`--json`: one line of JSON). A reader
 * that closes the pipe ends the command without an error.
 */
export async function runProgram(
  program: Command,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  const terminal = createTerminal({}, io)
  const json = argv.includes('--json')
  prepare(program, io, terminal, json)
  // A write to a closed pipe or a full disk fails twice: with an `error` event, which needs a listener, and in the callback, which
  // ends the command.
  for (const stream of [io.stdout, io.stderr]) stream.on('error', () => {})
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (error instanceof ReaderGoneError) return EXIT.ok
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    const failure = failureOf(error)
    terminal.fail(failure, json)
    return failure.exitCode
  }
}

function prepare(command: Command, io: Io, terminal: Terminal, json: boolean): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
    outputError: (text) => {
      const line = text
        .replace(/^error: /, '')
        // The value of a misspelt option may be an address with a password.
        .replace(/^(unknown option '[^=']*)=.*'/s, "$1'")
        .replaceAll(/\s+/g, ' ')
        .replace(/\.? *$/, '')
      const path = pathOf(command)
      terminal.fail(usageError(answerFor(line, path) ?? `${line}; see "${path} --help"`), json)
    },
  })
  for (const child of command.commands) prepare(child, io, terminal, json)
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
