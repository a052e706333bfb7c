import { open, readFile, stat } from 'node:fs/promises'

import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'

import { type AddressForms, parseAddress } from './address.ts'
import { CommandError, usageError } from './errors.ts'
import type { Terminal } from './terminal.ts'

/** A private key: 32 bytes as 64 hexadecimal characters. Printed only when it was just created. */
export type PrivateKey = { hex: string; address: AddressForms }

/** A key from the system's random source. */
export function newKey(): PrivateKey {
  return keyOf(Buffer.from(secp256k1.utils.randomSecretKey()).toString('hex'), 'new key')
}

/** @throws CommandError (usage) when the text is not a private key; the error does not contain the text. */
export function keyOf(text: string, where: string): PrivateKey {
  const hex = text.trim().replace(/^0x/i, '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(hex) || !secp256k1.utils.isValidSecretKey(Buffer.from(hex, 'hex')))
    throw usageError(`${where} contains no private key (64 hexadecimal characters)`)
  const point = secp256k1.getPublicKey(Buffer.from(hex, 'hex'), false)
  const twenty = Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString('hex')
  return { hex, address: parseAddress(`0x${twenty}`, where) }
}

/** The sources of a key. A key on the command line causes a warning. */
export type KeyOptions = { keyFile?: string; key?: string }

/**
 * The key of `--key-file`, else of the environment's ETHGATE_KEY; undefined without either.
 *
 * @throws CommandError (usage)
 */
export async function readKey(
  options: KeyOptions,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<PrivateKey | undefined> {
  if (options.key !== undefined) {
    terminal.error(
      'ethgate: warning: other users can see the key of --key, and the shell history stores it; use --key-file FILE or ETHGATE_KEY',
    )
    return keyOf(options.key, '--key')
  }
  if (options.keyFile !== undefined) return readKeyFile(options.keyFile, terminal)
  const fromEnv = env['ETHGATE_KEY']
  return fromEnv ? keyOf(fromEnv, 'ETHGATE_KEY') : undefined
}

async function readKeyFile(path: string, terminal: Terminal): Promise<PrivateKey> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
    const { mode } = await stat(path)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      terminal.error(`ethgate: warning: other users can read ${path}; run "chmod 600 ${path}"`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw usageError(
      `--key-file ${path}: ${code === 'ENOENT' ? 'the file does not exist; "ethgate account new --save FILE" creates one' : (code ?? 'not readable')}`,
    )
  }
  return keyOf(text, `--key-file ${path}`)
}

/** Writes a key for its owner only. An existing file is never replaced. */
export async function saveKey(path: string, key: PrivateKey): Promise<void> {
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${key.hex}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(
      code === 'EEXIST'
        ? `${path} already exists and was not changed; choose another name`
        : `cannot write ${path} (${code ?? 'unknown reason'})`,
      { cause: error },
    )
  }
}
