import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Command } from 'commander'
import { expect, test } from 'vitest'

import { devMethodRows } from '../../scripts/devMethods.ts'
import { processIo } from '../../src/cli/base/io.ts'
import { createProgram } from '../../src/cli/program.ts'
import { type Option, options } from '../../src/config/config.ts'
import { methods } from '../../src/rpc/methods/index.ts'

/** The options, variables, metrics and methods that the documentation names. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = [
  'README.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
].map((file) => ({ file, text: read(file) }))

/** What a pattern finds in the pages and is not known, with its page. */
function unknown(pattern: RegExp, isKnown: (name: string) => boolean): string[] {
  const found = pages.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(([name]) => ({ file, name })),
  )
  expect(found.length).toBeGreaterThan(10)
  return [
    ...new Set(
      found.filter(({ name }) => !isKnown(name)).map(({ file, name }) => `${file}: ${name}`),
    ),
  ]
}

const everyCommand = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap((child) => everyCommand(child)),
]

/** Options of other programs that the pages name: npm, anvil, Hardhat, cast, forge, esbuild, systemctl, redis-cli, Node. */
const OTHERS =
  '--always-sparkplug --bundle --broadcast --build --cluster --evm --format --fork-block-number --fork-url --global --hardfork --kill-whom --latency --max-semi-space-size --no-deploy --no-mining --network --no-lazy-feedback-allocation --omit --outfile --reuse-values --serve --servedir --set --signal --steps-tracing --trace'.split(
    ' ',
  )

test('default: every option is one of a command', async () => {
  const options = everyCommand(await createProgram(processIo())).flatMap((command) => [
    '--help',
    ...command.options.map(({ long }) => long),
  ])
  const known = new Set([...options, ...OTHERS])
  expect(unknown(/(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]/g, (name) => known.has(name))).toEqual([])
  const unused = OTHERS.filter((option) => pages.every(({ text }) => !text.includes(option)))
  expect(unused).toEqual([])
})

test('default: every variable of the environment exists', () => {
  const own = new Set<string>(Object.values<Option>(options).map(({ env }) => env))
  // Those of the tools of the command line, of the examples of sending, and one of an error that names the new one.
  const others = /^ETHGATE_(?:HEADER|KEY|NODE|RPC|URL)$/
  expect(unknown(/\bETHGATE_[A-Z_]+\b/g, (name) => own.has(name) || others.test(name))).toEqual([])
})

test('default: every metric and every method exists', async () => {
  const metrics = new Set(
    [...read('src/gateway/metrics.ts').matchAll(/'(ethgate_[a-z_]+)'/g)].map(([, name]) => name),
  )
  const served = new Set([
    ...Object.keys(methods),
    'ethgate_explain',
    'ethgate_limits',
    // An example of an unknown method, and the schemas of the index and the store in PostgreSQL.
    'eth_nothing',
    'ethgate_blocks',
    'ethgate_index',
    ...(await devMethodRows()).flatMap(([names = '']) => names.replaceAll('`', '').split(', ')),
  ])
  const names =
    /(?<![\w/.-])(?:anvil|debug|dev|erigon|eth|ethgate|evm|hardhat|net|ots|personal|tenderly|trace|txpool|web3)_[a-z]\w+(?![\w*/.])/g
  expect(unknown(names, (name) => served.has(name) || metrics.has(name))).toEqual([])
})

test('default: every file of the source that a page names exists', () => {
  const files = ['src', 'test', 'bench', 'drills', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { encoding: 'utf8', recursive: true }).map(
      (file) => `/${folder}/${file}`,
    ),
  )
  // Those of other projects, and those that a reader writes.
  const others =
    /^(?:PairFlash|PositionValue)\.spec\.ts$|^hardhat\.config\.ts$|^(?:deploy|example)\.mjs$/
  expect(
    unknown(
      /(?<=`)[\w./-]+\.(?:ts|tsx|mjs)(?=`)/g,
      (name) => others.test(name) || files.some((file) => file.endsWith(`/${name}`)),
    ),
  ).toEqual([])
})
