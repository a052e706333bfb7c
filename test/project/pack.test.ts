import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterAll, expect, inject, test } from 'vitest'

import { isLong } from '../support/long.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ethgate-pack-'))
afterAll(() => rmSync(folder, { force: true, recursive: true }))

function run(cwd: string, file: string, ...args: string[]): string {
  const options = { cwd, encoding: 'utf8', shell: process.platform === 'win32' } as const
  return execFileSync(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
}

const bin = (name: string) => join(root, 'node_modules', '.bin', name)

const PROGRAM = `
import { createGateway } from 'ethgate'
import { type Client, createNativeClient, signTransaction, toBase58Address } from 'ethgate/client'
import { NativeSigner } from 'ethgate/ethers'
import { defineNativeChain, toNativeAccount } from 'ethgate/viem'

const key = '0x${'11'.repeat(32)}' as const
const client: Client = createNativeClient('http://127.0.0.1:1')
const account = toNativeAccount(key)
const chain = defineNativeChain({ id: 1, url: 'http://127.0.0.1:1' })
// @ts-expect-error an address is no number
const wrong: number = account.address
const { signature } = signTransaction({ raw_data: {} }, key)
console.log(
  JSON.stringify({
    client: typeof client.wallet.getNowBlock,
    gateway: typeof createGateway,
    chain: chain.id,
    base58: toBase58Address(account.address),
    same: new NativeSigner(key).address === wrong as unknown,
    signatures: signature.length,
  }),
)
`

const CONFIG = {
  compilerOptions: {
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    outDir: 'out',
    skipLibCheck: true,
    strict: true,
    target: 'es2023',
    types: [],
  },
  include: ['program.ts'],
}

/** Packs what `npm publish` would upload. Returns the tarball. */
function pack(): string {
  const answer = run(
    inject('package'),
    'npm',
    'pack',
    '--ignore-scripts',
    '--json',
    '--pack-destination',
    folder,
  )
  const [{ filename, files }] = JSON.parse(answer) as [
    { filename: string; files: { path: string }[] },
  ]
  expect(files.map(({ path }) => path).filter((path) => /\.(test|contract)\./.test(path))).toEqual(
    [],
  )
  return join(folder, filename)
}

/** A folder with a program that uses every entry of the package. */
function createProgram(name: string): string {
  const fresh = join(folder, name)
  mkdirSync(fresh)
  writeFileSync(join(fresh, 'package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(join(fresh, 'program.ts'), PROGRAM)
  writeFileSync(join(fresh, 'tsconfig.json'), JSON.stringify(CONFIG))
  return fresh
}

function expectWorks(fresh: string): void {
  run(fresh, bin('tsc'))
  expect(JSON.parse(run(fresh, process.execPath, join('out', 'program.js')))).toEqual({
    base58: 'TCLBgkbfVkJroVBJVqBEsxtPNQEQMTQCLQ',
    chain: 1,
    client: 'function',
    gateway: 'function',
    same: true,
    signatures: 1,
  })
}

test('default: the package type-checks and runs with its declared dependencies alone', () => {
  const fresh = createProgram('linked')
  const modules = join(fresh, 'node_modules')
  mkdirSync(join(modules, 'ethgate'), { recursive: true })
  run(folder, 'tar', '-xzf', pack(), '-C', join(modules, 'ethgate'), '--strip-components=1')
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  for (const name of [...Object.keys(dependencies), 'ethers']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  expectWorks(fresh)
  expect(
    run(fresh, process.execPath, join(modules, 'ethgate', 'dist', 'main.js'), '--help'),
  ).toContain('ethgate')
})

test.runIf(isLong)(
  'default: the package installs from a registry',
  { timeout: 300_000 },
  (context) => {
    const fresh = createProgram('installed')
    try {
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
      run(fresh, 'npm', 'install', ...quiet, pack(), 'ethers@6.17.0')
    } catch (error) {
      const { stderr } = error as { stderr: string }
      // Dependencies come from a registry; without one there is nothing to install.
      if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(stderr))
        throw error
      process.stderr.write('skipped: no package registry can be reached to install from\n')
      context.skip('no package registry')
    }
    expectWorks(fresh)
    expect(run(fresh, join(fresh, 'node_modules', '.bin', 'ethgate'), '--help')).toContain(
      'ethgate',
    )
  },
)
