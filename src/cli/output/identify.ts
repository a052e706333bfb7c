import {
  type Abi,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from 'viem'

import { signatureOf } from '../../codec/abi.ts'
import { grouped, plural } from '../../codec/coin.ts'
import {
  decodeTransaction,
  encodeTransaction,
  rawDataToJson,
  recoverSigners,
  type Transaction,
  transactionId,
} from '../../sdk/client.ts'
import { usageError } from '../base/errors.ts'
import { textOf } from '../base/node.ts'
import type { Terminal } from '../base/terminal.ts'
import {
  type Decoded,
  decodeCalldata,
  decodeLog,
  decodeRevert,
  describeRevert,
} from '../text/abi.ts'
import { addressFields, tryAddress } from '../text/address.ts'
import { createUnit } from '../text/unit.ts'
import { renderAnswer } from './nativeTables.ts'
import { decodedFields, renderFields, renderValue } from './table.ts'

/** What bytes are: `kind` and the decoded content, and the same for people. */
export type Finding = {
  value: { kind: string; [field: string]: unknown }
  text: (terminal: Terminal) => string
}

/**
 * Identifies an input: an address, a native or Ethereum transaction, revert data, call data, a log, text.
 *
 * @throws CommandError (usage) when it is none of them
 */
export async function identify(input: string, { abi, topics }: identify.Options): Promise<Finding> {
  const text = input.trim()
  if (text.startsWith('{')) return identifyJson(text, abi)
  const address = tryAddress(text)
  if (address)
    return finding({ kind: 'address', address }, 'address', (terminal) =>
      renderFields(terminal, addressFields(address)),
    )
  const hex = text.replace(/^0x/i, '').toLowerCase()
  if (!/^([0-9a-f]{2})*$/.test(hex))
    throw usageError(
      /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)
        ? 'this looks like an address, but its checksum is wrong'
        : /^[0-9a-f]*$/.test(hex)
          ? 'these hexadecimal digits are not whole bytes: their number is odd'
          : 'decode needs hexadecimal bytes, an address or a JSON object',
    )
  const data: Hex = `0x${hex}`
  if (topics.length > 0) return identifyLog({ topics, data }, abi)
  return (
    nativeTransaction(hex, abi) ??
    (await ethereumTransaction(data, abi)) ??
    revertOrCall(data, abi) ??
    incomplete(data, abi) ??
    plainText(hex) ??
    words(data)
  )
}

export declare namespace identify {
  type Options = {
    abi: Abi
    /** Topics of a log whose data is the input. */
    topics: Hex[]
  }
}

/** A finding whose text is a title with a body. */
function finding(
  value: Finding['value'],
  title: string,
  body: (terminal: Terminal) => string,
): Finding {
  return { value, text: (terminal) => `${terminal.bold(title)}\n${body(terminal)}` }
}

function identifyJson(text: string, abi: Abi): Finding {
  let json: { topics?: Hex[]; data?: Hex; raw_data?: unknown; raw_data_hex?: string }
  try {
    json = JSON.parse(text) as typeof json
  } catch (error) {
    throw usageError(`the input is not JSON: ${(error as Error).message}`)
  }
  if (Array.isArray(json.topics) && typeof json.data === 'string')
    return identifyLog({ topics: json.topics, data: json.data }, abi)
  const found = json.raw_data_hex && nativeTransaction(encodeTransaction(json as Transaction), abi)
  if (found) return found
  throw usageError(
    'the JSON object is neither a log (topics, data) nor a native transaction (raw_data_hex)',
  )
}

/** Decodes a log. @throws CommandError (usage) when it is none of the events */
export function identifyLog(log: { topics: Hex[]; data: Hex }, abi: Abi): Finding {
  const decoded = decodeLog(log, abi)
  if (decoded) return decodedFinding('log', decoded, decoded.signature)
  const [topic = 'none: --topic gives them'] = log.topics
  throw usageError(
    `no event fits the data and the topics (the first one: ${topic}); give --abi FILE or --sig 'event …'`,
  )
}

function decodedFinding(kind: string, decoded: Decoded, text: string): Finding {
  return finding({ kind, decoded, text }, `${kind}: ${text}`, (terminal) =>
    decodedFields(terminal, decoded.args),
  )
}

function nativeTransaction(hex: string, abi: Abi): Finding | undefined {
  const transaction = readNative(hex)
  if (!transaction) return undefined
  const data = transaction.raw_data.contract?.[0]?.parameter?.value?.['data']
  const call = typeof data === 'string' ? decodeCalldata(`0x${data}`, abi) : undefined
  const signers = signersOf(transaction)
  const names = signers.map((signer) => tryAddress(signer)?.base58 ?? signer).join(', ')
  return finding(
    { kind: 'native transaction', transaction, signers, call },
    `native transaction, ${names === '' ? 'not signed' : `signed by ${names}`}`,
    (terminal) =>
      renderAnswer(terminal, 'gettransactionbyid', transaction, createUnit(6)) +
      callText(terminal, call),
  )
}

/**
 * A whole transaction, or only the content that is signed. Other bytes may parse as protobuf by chance, so the content
 * must be plausible.
 */
function readNative(hex: string): Transaction | undefined {
  const readers: (() => Transaction)[] = [
    () => decodeTransaction(hex),
    () => {
      const raw_data = rawDataToJson(Buffer.from(hex, 'hex'))
      return { txID: transactionId(hex), raw_data, raw_data_hex: hex }
    },
  ]
  for (const read of readers) {
    try {
      const transaction = read()
      if (transaction.raw_data.contract?.[0]?.parameter?.type_url?.includes('protocol.'))
        return transaction
    } catch {
      // Not a whole transaction; it may be the content alone, or none.
    }
  }
  return undefined
}

function signersOf(transaction: Transaction): string[] {
  try {
    return recoverSigners(transaction)
  } catch {
    return []
  }
}

async function ethereumTransaction(data: Hex, abi: Abi): Promise<Finding | undefined> {
  if (!/^0x(0[1-4]|[c-f])/.test(data)) return undefined
  const serializedTransaction = data as TransactionSerialized
  try {
    const { data: input, ...rest } = parseTransaction(serializedTransaction)
    const from = await recoverTransactionAddress({ serializedTransaction }).catch(() => undefined)
    const hash = keccak256(data)
    const fields = Object.fromEntries(
      Object.entries({ ...rest, ...(input && { data: input }) }).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? value.toString() : value,
      ]),
    )
    const call = input && decodeCalldata(input, abi)
    return finding(
      { kind: 'ethereum transaction', hash, from, fields, call },
      'Ethereum transaction',
      (terminal) =>
        `${renderValue(terminal, { hash, from: from ?? 'not signed', ...fields })}${callText(terminal, call)}\n` +
        terminal.dim(
          'This chain does not accept its signature: a gateway sends it only if it manages the key of the sender.',
        ),
    )
  } catch {
    return undefined
  }
}

function callText(terminal: Terminal, call: Decoded | undefined): string {
  if (!call) return ''
  return `\n${terminal.bold(`call: ${call.signature}`)}\n${decodedFields(terminal, call.args)}`
}

function revertOrCall(data: Hex, abi: Abi): Finding | undefined {
  if (data.length % 64 !== 10) return undefined
  const error = decodeRevert(data, abi)
  if (error) return decodedFinding('revert', error, describeRevert(data, abi).text)
  const call = decodeCalldata(data, abi)
  return call && decodedFinding('call', call, call.signature)
}

/** A known selector whose arguments are missing or cut off. */
function incomplete(data: Hex, abi: Abi): Finding | undefined {
  const signature = signatureOf(data, abi)
  if (signature === undefined) return undefined
  return wordsFinding(
    data.slice(0, 10),
    data.slice(10),
    data.length === 10
      ? `the selector of ${signature}, without arguments`
      : `the selector of ${signature}, but the bytes after it are not its arguments; they may be cut off`,
  )
}

function plainText(hex: string): Finding | undefined {
  const text = textOf(hex)
  if (hex === '' || text === hex || !/[A-Za-z]{2}/.test(text)) return undefined
  return finding({ kind: 'text', text }, 'text', () => text)
}

function words(data: Hex): Finding {
  const hex = data.slice(2)
  if (hex === '') throw usageError('there are no bytes to decode')
  const bytes = hex.length / 2
  if (bytes % 32 === 4)
    return wordsFinding(
      `0x${hex.slice(0, 8)}`,
      hex.slice(8),
      'a call or error that is not in the ABI; give --abi FILE or --sig SIGNATURE',
    )
  const unknown = `${plural(bytes, 'byte')} of unknown type; "ethgate decode abi 'f()(TYPES)' DATA" decodes returned values`
  return wordsFinding(undefined, hex, bytes === 32 ? blockNote(hex) : unknown)
}

function wordsFinding(selector: string | undefined, hex: string, note: string): Finding {
  const list = hex.match(/.{1,64}/g) ?? []
  const lines = list.map((word, index) => `${String(index).padStart(8)} ${word}`)
  return finding({ kind: 'words', selector, words: list, note }, note, () =>
    [...(selector === undefined ? [] : [`selector ${selector}`]), ...lines].join('\n'),
  )
}

/** The first eight bytes of a block hash are its height. */
function blockNote(hex: string): string {
  const height = BigInt(`0x${hex.slice(0, 16)}`)
  return height > 0n && height < 2n ** 40n
    ? `possibly the hash of block ${grouped(height)}`
    : `a hash, a topic or a number; "ethgate decode abi 'f()(uint256)' DATA" decodes a number`
}
