import { mkdir, open, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

import { secp256k1 } from '@noble/curves/secp256k1.js'

import { accountOfKey } from '../../lib/accountOfKey.ts'
import { CommandError, EXIT, usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import type { Terminal } from '../base/terminal.ts'
import { type AddressForms, parseAddress } from '../text/address.ts'
import { readText } from '../text/input.ts'

/** A private key: 32 bytes as 64 hexadecimal characters. Printed only when it was just created. */
export type PrivateKey = { hex: string; address: AddressForms }

/** The sources of a key. A key on the command line causes a warning. */
export type KeyOptions = {
  keyFile?: string
  privateKey?: string
  account?: string
  keystoreDir?: string
  passwordFile?: string
}

/** The options of a command that reads a key. */
export const KEY_OPTIONS = [
  [
    '--key-file <file>',
    'file with the private key, plain or encrypted (env ETHGATE_KEY: the key itself)',
  ],
  ['--account <name>', 'name of a keystore in --keystore-dir'],
  ['--keystore-dir <folder>', 'folder of keystores (default ~/.ethgate/keystores)'],
  ['--password-file <file>', 'file with the password of the keystore (env ETH_PASSWORD)'],
  ['--private-key <hex>', 'the private key; other users can see it, so prefer --key-file'],
] as const

/** A key from the system's random source. */
export function newKey(): PrivateKey {
  return keyOf(Buffer.from(secp256k1.utils.randomSecretKey()).toString('hex'), 'new key')
}

/** @throws CommandError (usage) when the text is not a private key; the error does not contain the text. */
function keyOf(text: string, where: string): PrivateKey {
  const hex = text.trim().replace(/^0x/i, '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(hex) || !secp256k1.utils.isValidSecretKey(Buffer.from(hex, 'hex')))
    throw usageError(`${where} contains no private key (64 hexadecimal characters)`)
  return { hex, address: parseAddress(accountOfKey(hex), where) }
}

/**
 * The key that the options name, else of the environment's ETHGATE_KEY; undefined without either.
 *
 * @throws CommandError (usage)
 */
export async function readKey(
  options: KeyOptions,
  terminal: Terminal,
  io: Io,
): Promise<PrivateKey | undefined> {
  if (options.privateKey !== undefined) {
    terminal.error(
      'ethgate: warning: other users can see the key of --private-key, and the shell history stores it; use --key-file FILE or ETHGATE_KEY',
    )
    return keyOf(options.privateKey, '--private-key')
  }
  if (options.account !== undefined)
    return readKeyFile(keystorePath(options, options.account), '--account', options, terminal, io)
  if (options.keyFile !== undefined)
    return readKeyFile(options.keyFile, '--key-file', options, terminal, io)
  const fromEnv = io.env['ETHGATE_KEY']
  return fromEnv ? keyOf(fromEnv, 'ETHGATE_KEY') : undefined
}

async function readKeyFile(
  path: string,
  option: string,
  options: KeyOptions,
  terminal: Terminal,
  io: Io,
): Promise<PrivateKey> {
  let text: string
  let mode: number
  try {
    text = await readFile(path, 'utf8')
    mode = (await stat(path)).mode
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw usageError(
      `${option} ${path}: ${code === 'ENOENT' ? 'the file does not exist; "ethgate keys new NAME" creates a keystore' : (code ?? 'not readable')}`,
    )
  }
  if (text.trimStart().startsWith('{')) {
    const { decryptKey } = await import('./keystore.ts')
    return keyOf(await decryptKey(text, await readPassword(options, io), path), path)
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    terminal.error(`ethgate: warning: other users can read ${path}; run "chmod 600 ${path}"`)
  return keyOf(text, `${option} ${path}`)
}

/** The file of a named keystore. @throws CommandError (usage) for a name that is a path */
export function keystorePath(options: KeyOptions, name: string): string {
  if (!/^[\w.-]+$/.test(name) || name.startsWith('.'))
    throw usageError(`"${name}" is not a name: use letters, digits, "-", "_" and "."`)
  return join(keystoreFolder(options), name)
}

/** The folder of keystores. */
export function keystoreFolder({ keystoreDir }: KeyOptions): string {
  return keystoreDir ?? join(homedir(), '.ethgate', 'keystores')
}

/** The password of a keystore: from a file, or typed on a terminal. @throws CommandError (usage; interrupted by Ctrl-C) */
async function readPassword(options: KeyOptions, io: Io, prompt = 'Password: '): Promise<string> {
  const path = passwordFileOf(options, io)
  if (path !== undefined) return (await readText(path, '--password-file')).replace(/\r?\n$/, '')
  if (io.stdin !== process.stdin || !process.stdin.isTTY)
    throw usageError('the password is missing: give --password-file FILE')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  // From here on the terminal does not show what is typed.
  io.stderr.write(prompt)
  return new Promise((resolve, reject) => {
    lines.once('SIGINT', () => {
      reject(new CommandError('stopped', { exitCode: EXIT.interrupted }))
      lines.close()
    })
    lines.once('close', () => {
      io.stderr.write('\n')
      reject(usageError('the password is missing'))
    })
    lines.question('', (password) => {
      resolve(password)
      lines.close()
    })
  })
}

/** The password of a new keystore: typed twice, because a typing error would make the key useless. @throws as `readPassword` */
export async function readNewPassword(options: KeyOptions, io: Io): Promise<string> {
  const password = await readPassword(options, io)
  if (passwordFileOf(options, io) === undefined)
    if ((await readPassword(options, io, 'Repeat the password: ')) !== password)
      throw usageError('the passwords differ; nothing was stored')
  return password
}

function passwordFileOf({ passwordFile }: KeyOptions, { env }: Io): string | undefined {
  return passwordFile ?? (env['ETH_PASSWORD'] || undefined)
}

/** Writes a key or a keystore for its owner only. An existing file is never replaced. */
export async function saveKey(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${text}\n`)
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
