import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'

import { build } from 'esbuild'
import { afterAll, expect, inject, test } from 'vitest'

import { addressFromKey, recoverSigners } from '../../src/native/protobuf/signature.ts'
import { decodeTransaction, rawDataFromJson } from '../../src/native/protobuf/transaction.ts'
import { isLong } from '../support/long.ts'
import { packProject } from '../support/pack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ethgate-pack-'))
afterAll(() => rmSync(folder, { force: true, recursive: true }))

function run(cwd: string, file: string, ...args: string[]): string {
  const options = { cwd, encoding: 'utf8', shell: process.platform === 'win32' } as const
  return execFileSync(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'optionalDependencies' | 'peerDependencies',
  Record<string, string>
>

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

/** CommonJS, which Node lets require modules from 20.19 on. */
const COMMON = `
const names = ['ethgate', 'ethgate/client', 'ethgate/viem', 'ethgate/ethers']
console.log(names.map((name) => Object.keys(require(name)).length > 0))
`

/** A page signs a transaction that a gateway has prepared. */
const BROWSER = `
import { defineNativeChain, toNativeAccount } from 'ethgate/viem'

const account = toNativeAccount('0x${'11'.repeat(32)}')
const { serializers } = defineNativeChain({ id: 1, url: 'http://127.0.0.1:1' })
const native = '${rawDataFromJson({ contract: [], expiration: 1 }).toString('hex')}'
globalThis.signed = account.signTransaction({ native }, { serializer: serializers.transaction })
`

/** Packages that programs bring: the peers, and the types of Node for the entries that need them. */
const WITH = Object.entries({ ...manifest.peerDependencies, '@types/node': '20' })

const CONFIG = {
  compilerOptions: {
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    module: 'nodenext',
    outDir: 'out',
    // The types of the entries resolve with what is installed.
    skipLibCheck: false,
    strict: true,
    target: 'es2023',
    types: ['node'],
  },
  include: ['program.ts'],
}

test('behavior: the packed package.json has no script and no package of developers, and every version is exact', () => {
  const packed = JSON.parse(
    readFileSync(join(inject('package'), 'package.json'), 'utf8'),
  ) as typeof manifest
  expect(packed).not.toHaveProperty('scripts')
  expect(packed).not.toHaveProperty('devDependencies')
  expect(packed).toHaveProperty('private', true)
  const versions = Object.values({ ...packed.dependencies, ...packed.optionalDependencies })
  expect(versions.length).toBeGreaterThan(20)
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

/** Packs what `npm publish` would upload. Returns the tarball. */
function pack(): string {
  const { files, tarball } = packProject(inject('package'), folder)
  expect(files.filter((path) => /\.(test|contract)\./.test(path))).toEqual([])
  return tarball
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
  writeFileSync(join(fresh, 'common.cjs'), COMMON)
  expect(run(fresh, process.execPath, '--no-warnings', 'common.cjs')).toBe(
    '[ true, true, true, true ]\n',
  )
  run(fresh, bin('tsc'))
  // As with esbuild or Vite.
  run(fresh, bin('tsc'), '--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler')
  expect(JSON.parse(run(fresh, process.execPath, join('out', 'program.js')))).toEqual({
    base58: 'TCLBgkbfVkJroVBJVqBEsxtPNQEQMTQCLQ',
    chain: 1,
    client: 'function',
    gateway: 'function',
    same: true,
    signatures: 1,
  })
}

test(
  'default: the package type-checks and runs with its declared dependencies alone',
  // Two type checks with all types, which take minutes on a busy machine.
  { timeout: 900_000 },
  () => {
    const fresh = createProgram('linked')
    const modules = join(fresh, 'node_modules')
    mkdirSync(join(modules, 'ethgate'), { recursive: true })
    run(folder, 'tar', '-xzf', pack(), '-C', join(modules, 'ethgate'), '--strip-components=1')
    for (const name of [...Object.keys(manifest.dependencies), ...WITH.map(([name]) => name)]) {
      mkdirSync(dirname(join(modules, name)), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
    }
    expectWorks(fresh)
    const main = join(modules, 'ethgate', 'dist', 'main.js')
    expect(run(fresh, process.execPath, main, '--help')).toContain('ethgate')
    // Without the optional packages, what needs one says so.
    for (const [name, ...args] of [
      ['lmdb', 'index', 'status', '--index', 'logs'],
      ['pg', 'index', 'status', '--index', 'postgres://127.0.0.1:1/none'],
      ['@ethereumjs/[a-z]+', 'dev', '--port', '0'],
    ] as const)
      expect(() => run(fresh, process.execPath, main, ...args)).toThrow(
        new RegExp(`the package ${name} is not installed; run npm install`),
      )
  },
)

test('behavior: a browser runs a bundle of the viem entry', async () => {
  const fresh = join(folder, 'linked')
  writeFileSync(join(fresh, 'browser.ts'), BROWSER)
  const { outputFiles } = await build({
    absWorkingDir: fresh,
    bundle: true,
    entryPoints: ['browser.ts'],
    format: 'iife',
    platform: 'browser',
    write: false,
  })
  const { crypto, TextDecoder, TextEncoder } = globalThis
  // Without the globals of Node.
  const page = createContext({ crypto, TextDecoder, TextEncoder, URL })
  runInContext(outputFiles[0]?.text ?? '', page)
  const signed = (await runInContext('signed', page)) as string
  const account = addressFromKey('11'.repeat(32))
  expect(recoverSigners(decodeTransaction(signed))).toEqual([account])
})

test.runIf(isLong)(
  'default: the package installs from a registry',
  { timeout: 300_000 },
  (context) => {
    const fresh = createProgram('installed')
    try {
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
      run(fresh, 'npm', 'install', ...quiet, pack(), ...WITH.map((pair) => pair.join('@')))
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
