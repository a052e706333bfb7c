import { readdir, readFile } from 'node:fs/promises'

import type { Command } from 'commander'

import { withChecksum } from '../../lib/address.ts'
import { CommandError, usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import type { Result } from '../output/result.ts'
import { renderFields, renderRows } from '../output/table.ts'
import { addressFields, parseAddress } from '../text/address.ts'
import {
  KEY_OPTIONS,
  type KeyOptions,
  keystoreFolder,
  keystorePath,
  newKey,
  type PrivateKey,
  readKey,
  readNewPassword,
  saveKey,
} from '../wallet/key.ts'
import { addCommand, addWord, type Task } from '../words/command.ts'

const FOLDER_OPTIONS = KEY_OPTIONS.filter(([flags]) => /^--(keystore|password)/.test(flags))

type DataOption = { data?: boolean }

const DATA_OPTION = [
  '--data',
  'the message is typed data (EIP-712): JSON as for eth_signTypedData_v4, or a file with it',
] as const

/** `ethgate keys`: private keys, in encrypted keystores. */
export function addKeysCommand(program: Command, io: Io): void {
  const keys = addCommand(program, 'keys', {
    summary: 'create, import and list keys; sign and verify messages',
    description:
      'Keeps private keys in encrypted keystores (JSON of version 3), which geth, cast and ethers read too. "send" takes one with --account NAME.',
    examples: [['ethgate keys new alice', 'a new key, encrypted with a password']],
  })
  addWord<KeyOptions>(keys, io, {
    usage: 'new [name]',
    summary: 'create a key',
    description:
      'Creates a private key with the system’s random generator. With a name it is stored in a keystore, with --key-file in a plain file with mode 600; otherwise it is printed.',
    options: [['--key-file <file>', 'write the plain key to this new file'], ...FOLDER_OPTIONS],
    examples: [
      ['ethgate keys new alice', 'a keystore'],
      ['ethgate keys new --key-file alice.key', 'a plain file that only its owner can read'],
    ],
    calls: 'nothing',
    async run(task, [name]) {
      const { keyFile } = task.options
      if (name !== undefined && keyFile !== undefined)
        throw usageError('give a name for a keystore or --key-file for a plain key, not both')
      const key = newKey()
      if (name !== undefined) return store(task, name, key)
      if (keyFile !== undefined) await saveKey(keyFile, key.hex)
      else
        task.terminal.error(
          'Anyone with the private key controls the account. Give a name to store it encrypted.',
        )
      return described(key, keyFile === undefined ? { privateKey: `0x${key.hex}` } : { keyFile })
    },
  })
  addWord<KeyOptions>(keys, io, {
    usage: 'import <name>',
    summary: 'store a key in an encrypted keystore',
    options: KEY_OPTIONS.filter(([flags]) => !flags.startsWith('--account')),
    examples: [['ethgate keys import alice --key-file alice.key', 'the key stays in its file too']],
    calls: 'nothing',
    run: async (task, [name = '']) => store(task, name, await requireKey(task)),
  })
  addWord<KeyOptions>(keys, io, {
    usage: 'list',
    summary: 'list the keystores',
    options: FOLDER_OPTIONS.slice(0, 1),
    examples: [['ethgate keys list', 'names and addresses']],
    calls: 'nothing',
    async run({ options }) {
      const value = await listKeystores(options)
      return {
        value,
        text: (terminal) =>
          renderRows(
            terminal,
            ['name', 'base58', 'ethereum'],
            value.map(({ address, name }) => [
              name,
              address?.base58 ?? 'not stored',
              withChecksum(address?.eth ?? ''),
            ]),
          ),
      }
    },
  })
  addWord<KeyOptions>(keys, io, {
    usage: 'show',
    summary: 'show the address of a key',
    options: KEY_OPTIONS,
    examples: [['ethgate keys show --account alice', 'its address in every format']],
    calls: 'nothing',
    hasFields: true,
    run: async (task) => described(await requireKey(task)),
  })
  addWord<KeyOptions & DataOption>(keys, io, {
    usage: 'sign <message>',
    summary: 'sign a message (EIP-191) or typed data (EIP-712) as Ethereum wallets do',
    description:
      'Signs a message as Ethereum wallets do (EIP-191), or typed data (EIP-712) with --data. A message of 0x and hex digits is signed as bytes.',
    options: [DATA_OPTION, ...KEY_OPTIONS],
    examples: [
      ['ethgate keys sign "I am alice" --account alice', 'prints the signature'],
      ['ethgate keys sign --data permit.json --account alice', 'signs the typed data in this file'],
    ],
    calls: 'nothing',
    async run(task, [message = '']) {
      const { hex } = await requireKey(task)
      const { privateKeyToAccount } = await import('../node/viem.ts')
      const account = privateKeyToAccount(`0x${hex}`)
      return task.options.data
        ? account.signTypedData(await typedData(message))
        : account.signMessage({ message: messageOf(message) })
    },
  })
  addWord<DataOption & { address?: string }>(keys, io, {
    usage: 'verify <message> <signature>',
    summary: 'check who signed a message; exit code 1 if it is another account',
    options: [DATA_OPTION, ['-a, --address <address>', 'the account that should have signed']],
    examples: [['ethgate keys verify "I am alice" 0x… --address TWAF…', 'exit code 0 if it did']],
    calls: 'nothing',
    async run({ options }, [message = '', text = '']) {
      if (!/^0x[0-9a-f]{130}$/i.test(text))
        throw usageError('the signature has 65 bytes: 0x and 130 hex digits')
      const signature = text as `0x${string}`
      const { recoverMessageAddress, recoverTypedDataAddress } = await import('../node/viem.ts')
      const data = options.data ? await typedData(message) : undefined
      const signer = await (
        data
          ? recoverTypedDataAddress({ ...data, signature })
          : recoverMessageAddress({ message: messageOf(message), signature })
      ).catch(() => undefined)
      if (!signer) throw new CommandError('the signature is not valid')
      if (options.address === undefined) return signer
      const expected = parseAddress(options.address, '--address')
      if (signer.toLowerCase() !== expected.eth)
        throw new CommandError(`${expected.base58} did not sign this message; ${signer} did`)
      return `${expected.base58} signed this message`
    },
  })
}

async function typedData(text: string) {
  const { readTypedData } = await import('../text/typedData.ts')
  return readTypedData(text)
}

async function store(
  { io, options }: Task<KeyOptions>,
  name: string,
  key: PrivateKey,
): Promise<Result> {
  const path = keystorePath(options, name)
  const password = await readNewPassword(options, io)
  const { encryptKey } = await import('../wallet/keystore.ts')
  await saveKey(path, await encryptKey(key.hex, key.address.eth.slice(2), password))
  return described(key, { keystore: path })
}

function described({ address }: PrivateKey, more: Record<string, string> = {}): Result {
  const names: Record<string, string> = { privateKey: 'private key', keyFile: 'key file' }
  const fields = Object.entries(more).map(([name, value]) => [names[name] ?? name, value] as const)
  return {
    value: { ...address, ...more },
    text: (terminal) => renderFields(terminal, [...addressFields(address), ...fields]),
  }
}

async function requireKey({ io, options, terminal }: Task<KeyOptions>): Promise<PrivateKey> {
  const key = await readKey(options, terminal, io)
  if (key) return key
  throw usageError('the key is missing: give --account NAME or --key-file FILE')
}

async function listKeystores(options: KeyOptions) {
  const folder = keystoreFolder(options)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new CommandError(`cannot read ${folder} (${error.code ?? 'unknown reason'})`)
  })
  return Promise.all(
    names
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map(async (name) => ({ name, address: await addressIn(`${folder}/${name}`) })),
  )
}

/** The address that a keystore names. cast stores none. */
async function addressIn(path: string) {
  try {
    const { address } = JSON.parse(await readFile(path, 'utf8')) as { address?: string }
    return address === undefined ? undefined : parseAddress(address, path)
  } catch {
    return undefined
  }
}

function messageOf(text: string) {
  const isBytes = /^0x([0-9a-f]{2})+$/i.test(text)
  return isBytes ? { raw: text as `0x${string}` } : text
}
