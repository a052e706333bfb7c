import { readdir, readFile } from 'node:fs/promises'

import type { Command, Help } from 'commander'
import { beforeAll, expect, test } from 'vitest'

import { processIo } from '../../src/cli/base/io.ts'
import { createProgram as create } from '../../src/cli/program.ts'

/** Every subcommand, with its action taken out. */
async function createProgram(): Promise<Command> {
  const program = await create(processIo())
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
    // `index` does something itself and has subcommands too.
    if (command.commands.length === 0 || command.name() === 'index') command.action(() => {})
  }
  return program
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap((child) => everyCommand(child))]
}

/** The words of a shell line up to its pipe or redirection; quotes as a shell reads them. */
function words(line: string): string[] {
  const found = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"|>&])+|[|>&]/g) ?? []
  const end = found.findIndex((word) => /^[|>&]$/.test(word))
  return (end < 0 ? found : found.slice(0, end)).map((word) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, single: string | undefined, double: string | undefined) => single ?? double ?? '',
    ),
  )
}

// In the help, two spaces part a line from what it does.
function linesOf(text: string): string[] {
  return [...text.matchAll(/^\s*\$ (?:.*\| )?ethgate (.*?)(?: {2}.*)?$/gm)].map(
    ([, line = '']) => line,
  )
}

let helps = ''
beforeAll(async () => {
  for (const command of everyCommand(await createProgram())) {
    const write = (text: string) => (helps += text)
    command.configureOutput({ writeOut: write }).outputHelp()
  }
})

test('behavior: every example of the help is a command line that parses', async () => {
  const lines = linesOf(helps)
  expect(lines.length).toBeGreaterThan(40)
  for (const line of lines) await (await createProgram()).parseAsync(words(line), { from: 'user' })
})

test('behavior: every command line of docs/cli.md parses', async () => {
  const text = await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8')
  const lines = linesOf(text)
  expect(lines.length).toBeGreaterThan(30)
  for (const line of lines) await (await createProgram()).parseAsync(words(line), { from: 'user' })
})

test('behavior: docs/cli.md has a chapter for every tool and names every option of the tools', async () => {
  const text = await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8')
  const program = await createProgram()
  const tools = program.commands.filter(
    (command) => !/^(serve|dev|doctor|help|index|api-keys|config|validate)$/.test(command.name()),
  )
  expect(
    tools
      .filter(
        (tool) =>
          !new RegExp(`^## ${tool.name()}$|\`${tool.name()}\\b|ethgate ${tool.name()} `, 'm').test(
            text,
          ),
      )
      .map((tool) => tool.name()),
  ).toEqual([])
  const help: Help = program.createHelp()
  const missing = tools
    .flatMap((tool) => everyCommand(tool))
    .flatMap((tool) => help.visibleOptions(tool))
    .map(({ long }) => long ?? '')
    .filter((option) => option !== '--help' && !text.includes(option))
  expect([...new Set(missing)]).toEqual([])
})

/** A command line of `ethgate`: installed, from a checkout or from the registry. */
const COMMAND = /^(?:[A-Z_]+=\S+ )*(?:ethgate|npx ethgate|npm start --) (.*)$/

test('behavior: every ethgate command in a shell block of the docs parses', async () => {
  const folder = new URL('../../docs/', import.meta.url)
  const pages = [
    ...(await readdir(folder)).filter((name) => name.endsWith('.md')),
    '../README.md',
    '../examples/README.md',
  ]
  const texts = await Promise.all(pages.map((name) => readFile(new URL(name, folder), 'utf8')))
  const lines = texts
    .flatMap((text) => [...text.matchAll(/```sh\n([\s\S]*?)```/g)])
    // A backslash continues a line.
    .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
    .flatMap((line) => COMMAND.exec(line)?.[1] ?? [])
  expect(lines.length).toBeGreaterThan(5)
  for (const line of lines) await (await createProgram()).parseAsync(words(line), { from: 'user' })
})
