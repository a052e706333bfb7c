import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'

import { methods } from '../../src/rpc/methods/index.ts'

/** The code blocks of README.md, docs/ and the examples: each is executed by a test of its page, type-checked or parsed here. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const pages = [
  'README.md',
  ...['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { encoding: 'utf8', recursive: true })
      .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
      .map((file) => join(folder, file)),
  ),
]

/** The methods of a gateway. One is served beside the table, because it runs the others. */
const served = [...Object.keys(methods), 'ethgate_explain']

/** A block: where it is, its language and its text. An indented block loses its indentation. */
type Block = { at: string; language: string; text: string }

const blocks: Block[] = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^( *)```(\w*)[^\n]*\n([\s\S]*?)^ *```$/gm)].map(
    ({ 1: indent = '', 2: language = '', 3: body = '', index }) => ({
      at: `${page}:${text.slice(0, index).split('\n').length}`,
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
})
const of = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language))

// Inside the repository, so that the blocks find the packages. Git and the linter ignore it.
const cache = join(root, 'node_modules', '.cache')
let folder = ''
beforeAll(() => {
  mkdirSync(cache, { recursive: true })
  folder = mkdtempSync(join(cache, 'docs-blocks-'))
})
afterAll(() => rmSync(folder, { force: true, recursive: true }))

test('default: every block has a language that is checked, or is plain output', () => {
  expect(blocks.length).toBeGreaterThan(60)
  // test/cli/cliPage.test.ts runs those of `console`; the site draws those of `mermaid`.
  const known = ['', 'console', 'html', 'js', 'json', 'mermaid', 'sh', 'solidity', 'ts', 'yaml']
  expect(blocks.filter(({ language }) => !known.includes(language)).map(({ at }) => at)).toEqual([])
})

test(
  'behavior: every program has the types of the packages that it imports',
  { timeout: 300_000 },
  async () => {
    // test/tools/tutorial.test.ts runs those of the tutorial, which have packages of their own.
    const programs = of('ts', 'js').filter(({ at }) => !at.startsWith('docs/tutorial.md'))
    expect(programs.length).toBeGreaterThan(6)
    const names = programs.map(({ at, language }) => {
      const [page = '', line] = at.replaceAll(/[/.]/g, '-').split(':')
      return `${page}-${line}.${language}`
    })
    for (const [at, name] of names.entries())
      writeFileSync(join(folder, name), programs[at]?.text ?? '')
    const source = (file: string) => [join(root, 'src', file)]
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: {
          allowJs: true,
          checkJs: true,
          noPropertyAccessFromIndexSignature: false,
          noUnusedLocals: false,
          lib: ['es2023', 'dom'],
          paths: {
            ethgate: source('gateway/gateway.ts'),
            'ethgate/client': source('sdk/client.ts'),
            'ethgate/ethers': source('sdk/ethers.ts'),
            'ethgate/viem': source('sdk/viem.ts'),
          },
        },
        files: names,
        include: [],
        exclude: [],
      }),
    )
    const checked = await run(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
    ]).catch((error: { stdout: string }) => error)
    // Sources are checked with their own settings elsewhere.
    const wrong = checked.stdout.split('\n').filter((line) => line.includes('docs-blocks-'))
    expect(wrong).toEqual([])
  },
)

test('behavior: JSON and YAML can be parsed', () => {
  const failed = of('json', 'yaml').flatMap(({ at, language, text }) => {
    try {
      void (language === 'json' ? JSON.parse(text) : parse(text))
      return []
    } catch (error) {
      return [`${at}: ${String(error)}`]
    }
  })
  expect(failed).toEqual([])
})

test('behavior: shell blocks can be parsed by bash', async () => {
  for (const { at, text } of of('sh')) {
    const { stderr } = await run('bash', ['-n', '-c', text]).catch(
      (error: { stderr: string }) => error,
    )
    expect({ at, stderr }).toEqual({ at, stderr: '' })
  }
})

test('behavior: each request of curl is JSON-RPC with a method that exists', () => {
  const bodies = of('sh').flatMap(({ at, text }) =>
    [...text.matchAll(/\bcurl [^\n]*?(?:-d|--data) '([^']*)'(?![$"])/g)].map(([, body = '']) => ({
      at,
      body,
    })),
  )
  expect(bodies.length).toBeGreaterThan(2)
  for (const { at, body } of bodies) {
    const requests = [JSON.parse(body)].flat() as { jsonrpc: string; method: string }[]
    for (const { jsonrpc, method } of requests) {
      const known = served.includes(method)
      expect({ at, jsonrpc, known, method }).toEqual({ at, jsonrpc: '2.0', known: true, method })
    }
  }
})

test('behavior: each call of docs/cursors.md is one that its methods take', () => {
  const calls = of('sh').flatMap(({ text }) => [...text.matchAll(/^rpc (\w+) '(.*)'$/gm)])
  expect(calls.length).toBeGreaterThan(3)
  for (const [, method = '', params = ''] of calls) {
    expect(served).toContain(method)
    expect(() => JSON.parse(params) as unknown).not.toThrow()
  }
})

test('behavior: each script that a shell block runs with npm exists', () => {
  const scripts = of('sh').flatMap(({ at, text }) =>
    at.startsWith('examples')
      ? []
      : [...text.matchAll(/\bnpm run ([\w:]+)(?! --prefix)/g)].map(([, name = '']) => name),
  )
  const { scripts: known } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.filter((name) => !(name in known))).toEqual([])
})
