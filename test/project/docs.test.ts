import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, inject, test } from 'vitest'

import { ethgate, type RunningCommand, startCommand, startDev } from '../support/cli.ts'

/** The programs and commands of README.md, docs/native-client.md and docs/page.md run in a folder as a user has it. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'ethgate-docs-'))
const running: RunningCommand[] = []
let url = ''

/** The blocks of a language in a page. */
function blocks(file: string, language: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const pattern = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g')
  return [...text.matchAll(pattern)].map(([, block = '']) => block.trim())
}

beforeAll(async () => {
  const chain = await startDev()
  running.push(chain.command)
  url = chain.url
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(inject('package'), join(folder, 'node_modules', 'ethgate'))
  for (const name of ['viem', 'ethers'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
})
afterAll(async () => {
  for (const command of running) {
    command.process.kill('SIGTERM')
    await command.ended
  }
  rmSync(folder, { force: true, recursive: true })
})

/** Runs a program, and has what it printed. `end` stops one that serves. TypeScript needs a loader. */
async function runProgram(code: string, { end = '', language = 'js' } = {}) {
  const here = code
    .replaceAll('http://127.0.0.1:8545', url)
    .replaceAll('http://127.0.0.1:8090', url)
  const file = join(folder, `program.${language}`)
  writeFileSync(file, `${here}\n${end}`)
  const loader = language === 'ts' ? ['--import', import.meta.resolve('tsx')] : []
  return run(process.execPath, [...loader, file], {
    cwd: folder,
    env: { ...process.env, NATIVE_URL: `${url}/wallet` },
  })
}

test('default: the viem program of the README', async () => {
  const [code = ''] = blocks('README.md', 'js')
  expect((await runProgram(code)).stdout).toMatch(/number: \d+n/)
})

test('default: the gateway program of the README', async () => {
  const [, code = ''] = blocks('README.md', 'js')
  const end = 'console.log(new URL(url).hostname)\nawait gateway.ready\nawait gateway.stop()'
  expect((await runProgram(code, { end })).stdout).toContain('127.0.0.1')
})

test('default: the program of docs/native-client.md', async () => {
  const [code = ''] = blocks('docs/native-client.md', 'ts')
  const { stdout } = await runProgram(code, { language: 'ts' })
  expect(stdout).toMatch(/[\da-f]{64}[\s\S]*chainParameter/)
})

test('error: an error that a program does not catch is short', async () => {
  const code = `import { createNativeClient } from 'ethgate/client'
    await createNativeClient('http://127.0.0.1:1').wallet.getNowBlock()`
  // Node prints the line of the bundle that threw it.
  const { stderr } = await runProgram(code).catch((error: { stderr: string }) => error)
  expect(stderr).toContain('the upstream node is unreachable')
  expect(stderr.length).toBeLessThan(5000)
})

test('default: the commands of the README', async () => {
  const commands = blocks('README.md', 'sh')
  expect(commands.slice(0, 2)).toEqual([
    'npm ci && npm start',
    'npm start -- serve --upstream http://127.0.0.1:8090',
  ])
  const curl = commands.find((command) => command.startsWith('curl')) ?? ''
  const { stdout } = await run('bash', ['-c', curl.replace('http://127.0.0.1:8545', url)])
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: expect.stringMatching(/^0x/) })

  const serve = startCommand(['serve', '--upstream', url, '--port', '0'])
  running.push(serve)
  await serve.lines(1)
  expect(serve.stdout()).toContain('listening')
})

test('behavior: the README is short', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThan(120)
})

test('default: CI runs the test command of the README', () => {
  const ci = readFileSync(join(root, '.ci', 'run'), 'utf8')
  const [command = ''] = blocks('README.md', 'sh').filter((block) => block.endsWith('npm test'))
  expect(command).toBe('npm ci && npm test')
  for (const part of command.split(' && '))
    expect(ci).toMatch(new RegExp(`^(?:tests )?${part}`, 'm'))
})

test('default: the commands of docs/page.md', async () => {
  const [explain = '', verify = ''] = blocks('docs/page.md', 'sh')
  const { stdout } = await run('bash', ['-c', explain.replace('http://127.0.0.1:8545', url)])
  expect(JSON.parse(stdout)).toMatchObject({ result: { method: 'eth_gasPrice', calls: [] } })

  const words = verify
    .replace('http://127.0.0.1:8545', url)
    .replace('http://127.0.0.1:8555', url)
    .split(' ')
  expect(words.shift()).toBe('ethgate')
  const { code, stdout: compared } = await ethgate(words)
  expect({ code, compared }).toMatchObject({
    code: 0,
    compared: expect.stringMatching(/, [1-9]\d* answers compared, 0 differ$/m),
  })
})

test.each(['SECURITY.md', 'docs/contributors/differences.md'])(
  '%s names tests that exist',
  (page) => {
    const lines = readFileSync(join(root, page), 'utf8').split('\n')
    const named = lines.flatMap((line) => [
      ...line.matchAll(/`((?:src|test)\/[\w./-]+\.ts)`(?: “([^”]+)”)?/g),
    ])
    expect(named.length).toBeGreaterThan(25)
    const missing = named.filter(([, file = '', title = '']) => {
      const path = join(root, file)
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(title)
    })
    expect(missing.map(([whole]) => whole)).toEqual([])
  },
)

test('default: a test shows each row of docs/differences.md', () => {
  const rows = (page: string) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^\| (?!---)(.+?) +\|/gm)]
      .map(([, what = '']) => what)
      .filter((what) => what !== 'What' && what !== 'Difference')
  expect(rows('docs/differences.md').length).toBeGreaterThan(25)
  expect(rows('docs/contributors/differences.md')).toEqual(rows('docs/differences.md'))
})
