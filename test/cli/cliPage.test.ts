import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { commandFile, ethgate, type RunningCommand, startDev } from '../support/cli.ts'
import { type ReplayNode, startReplayNode } from '../support/node.ts'
import { formOf, type Step, stepsOf, wordsOf, writePage } from './cliPage.ts'

/**
 * Every command of docs/cli.md runs in an empty folder as it is written, in the order of the page, and prints what the page
 * shows. With
 * UPDATE_DOCS=1 the page is written anew.
 */

const ROOT = new URL('../..', import.meta.url)
const PAGE = new URL('docs/cli.md', ROOT)

const page = readFileSync(PAGE, 'utf8')
const sections = stepsOf(page).filter(({ steps }) => steps.length > 0)
/** The output of each command line. A line that the page has twice has two entries, in order. */
const printed = new Map<string, string[][]>()
const folder = mkdtempSync(join(tmpdir(), 'ethgate-page-'))
const before = process.cwd()
let chain: RunningCommand
let node: ReplayNode
let url = ''

beforeAll(async () => {
  node = await startReplayNode()
  const [, options = ''] = /^ethgate dev (.*)$/m.exec(page) ?? []
  const started = await startDev(...options.split(' '))
  chain = started.command
  url = started.url
  process.chdir(folder)
  writeFileSync('ethgate', `#!/bin/sh\nexec "${process.execPath}" "${commandFile()}" "$@"\n`)
  chmodSync('ethgate', 0o755)
})
afterAll(async () => {
  process.chdir(before)
  chain.process.kill('SIGTERM')
  await chain.ended
  await node.close()
  rmSync(folder, { force: true, recursive: true })
  if (process.env['UPDATE_DOCS'] === '1')
    writeFileSync(
      PAGE,
      writePage(page, ({ line }) => printed.get(line)?.shift()),
    )
})

/** Runs a line as a user types it. A terminal shows tables, so those are asked for where the page shows them. */
async function run({ line, output }: Step): Promise<{ code: number | null; lines: string[] }> {
  const here = line
    .replace('http://127.0.0.1:8090', node.url)
    .replace('PATH/', fileURLToPath(ROOT))
    .replaceAll('http://127.0.0.1:8545', url)
  const isTable =
    !/^ethgate verify|--(?:json|out|help)/.test(line) && !/^(?:["{]|\[["[{])/.test(output[0] ?? '')
  const env = { ETH_RPC_URL: url }
  const words = wordsOf(here)
  if (words) {
    const run = await ethgate(isTable ? [...words, '--table'] : words, { env })
    return { code: run.code, lines: linesOf(run.stdout + run.stderr) }
  }
  return new Promise((resolve) => {
    const all = { ...process.env, ...env, PATH: `${folder}:${process.env['PATH']}` }
    execFile('bash', ['-c', here], { env: all }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, lines: linesOf(stdout + stderr) }),
    )
  })
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return text
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .trimEnd()
        .replaceAll(url, 'http://127.0.0.1:8545')
        .replaceAll(node.url, 'http://127.0.0.1:8090'),
    )
}

/** The output of a command and that of the page, in a form that is the same in every run. */
async function compare(step: Step) {
  const { code, lines } = await run(step)
  printed.set(step.line, [...(printed.get(step.line) ?? []), lines])
  const end = step.output.at(-1) === '…' ? step.output.length - 1 : undefined
  const shown = process.env['UPDATE_DOCS'] === '1' ? lines : step.output
  return {
    actual: { line: step.line, code, output: lines.slice(0, end).map(formOf) },
    page: { line: step.line, code: step.code ?? 0, output: shown.slice(0, end).map(formOf) },
  }
}

// A section may use what the sections before it sent.
test.each(sections)('behavior: the commands of the section $section', async ({ steps }) => {
  for (const step of steps) {
    const { actual, page } = await compare(step)
    expect(actual).toEqual(page)
  }
})
