import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
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

test(
  'default: the package installs, type-checks and runs in a fresh folder',
  { timeout: 300_000 },
  (context) => {
    // Packed from a copy, so that no other build is disturbed.
    const stage = join(folder, 'stage')
    for (const file of ['package.json', 'LICENSE', 'README.md'])
      cpSync(join(root, file), join(stage, file), { force: true, recursive: true })
    run(root, bin('tsc'), '-p', 'tsconfig.build.json', '--outDir', join(stage, 'dist'))
    const [{ filename, files }] = JSON.parse(
      run(stage, 'npm', 'pack', '--ignore-scripts', '--json'),
    ) as [{ filename: string; files: { path: string }[] }]
    expect(
      files.map(({ path }) => path).filter((path) => /\.(test|contract)\./.test(path)),
    ).toEqual([])

    const fresh = join(folder, 'fresh')
    mkdirSync(fresh)
    writeFileSync(join(fresh, 'package.json'), '{ "private": true, "type": "module" }')
    writeFileSync(join(fresh, 'program.ts'), PROGRAM)
    writeFileSync(join(fresh, 'tsconfig.json'), JSON.stringify(CONFIG))
    const ethers = 'ethers@6.17.0'
    try {
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
      run(fresh, 'npm', 'install', ...quiet, join(stage, filename), ethers)
    } catch (error) {
      const { stderr } = error as { stderr: string }
      // Dependencies come from a registry; without one there is nothing to install.
      if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(stderr))
        throw error
      process.stderr.write('skipped: no package registry can be reached to install from\n')
      context.skip('no package registry')
    }
    run(fresh, bin('tsc'))
    expect(JSON.parse(run(fresh, process.execPath, join('out', 'program.js')))).toEqual({
      base58: 'TCLBgkbfVkJroVBJVqBEsxtPNQEQMTQCLQ',
      chain: 1,
      client: 'function',
      gateway: 'function',
      same: true,
      signatures: 1,
    })
    expect(run(fresh, join(fresh, 'node_modules', '.bin', 'ethgate'), '--help')).toContain(
      'ethgate',
    )
  },
)
