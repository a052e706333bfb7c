import { formatUnits, fromHex } from 'viem/utils'

import type { ChainBlock, DevChain } from '../../index.ts'
import { transactionFailure } from '../failures.ts'
import { consoleText } from './consoleLog.ts'

/** The format of amounts. */
export type Coins = { decimals: 6 | 18 }

/** Characters of a label with its colon. */
const LABEL = 18

const line = (label: string, value: string) => `${`${label}:`.padEnd(LABEL)}${value}`

/** Sender, receiver and value of a call, from its first parameter. */
export function callLines([request]: readonly unknown[], coins: Coins): string[] {
  if (typeof request !== 'object' || request === null) return []
  const { from, to, value } = request as Record<string, unknown>
  return [
    ...(typeof from === 'string' ? [line('From', from)] : []),
    ...(typeof to === 'string' ? [line('To', to)] : []),
    ...(typeof value === 'string' &&
    /^0x[\da-f]+$/i.test(value) &&
    fromHex(value as '0x', 'bigint') > 0n
      ? [line('Value', amountText(fromHex(value as '0x', 'bigint'), coins))]
      : []),
  ]
}

/** The outcome of the transaction at a position of a block. */
export function transactionLines(
  { infos, transactions }: ChainBlock,
  index: number,
  coins: Coins,
): string[] {
  const transaction = transactions[index]?.transaction
  const info = infos[index]
  if (!transaction || !info) return []
  const { ethereum, id, type } = transaction
  const used = info.receipt?.energy_usage_total ?? 0
  const created = ethereum ? ethereum.to === undefined : type === 'CreateSmartContract'
  return [
    ...(created && info.result !== 'FAILED'
      ? [line('Contract created', hex(info.contract_address))]
      : []),
    line('Transaction', `0x${id}`),
    ...(ethereum
      ? [
          line('From', hex(ethereum.from)),
          ...(ethereum.to === undefined ? [] : [line('To', hex(ethereum.to))]),
          line('Value', amountText(ethereum.value, coins)),
        ]
      : [line('Type', type)]),
    line('Energy used', ethereum ? `${used} of ${ethereum.gas}` : String(used)),
  ]
}

/** Why a transaction failed; undefined when it did not. */
export function failureOf(
  { infos }: ChainBlock,
  index: number,
  chain: Pick<DevChain, 'artifacts' | 'ledger'>,
): string | undefined {
  const info = infos[index]
  return info?.result === 'FAILED' ? transactionFailure(info, chain).message : undefined
}

/** A block without transactions, or several in a row. */
export function emptyBlocks(from: number, to: number): string {
  return from === to ? `Mined empty block #${from}` : `Mined empty block range #${from} to #${to}`
}

/** The number, id and time of a block. */
export const blockLines = ({ header, id }: ChainBlock): [string, string] => [
  line(`Block #${header.number}`, `0x${id}`),
  line('Block time', `${new Date(header.timestamp).toISOString().slice(0, -5)}Z`),
]

/** What contracts printed, under a heading. Empty when they printed nothing. */
export function consoleLines(printed: readonly Uint8Array[]): string[] {
  const texts = printed.map(consoleText).filter((text) => text !== undefined)
  return texts.length === 0
    ? []
    : ['', 'console.log:', ...texts.flatMap((text) => text.split('\n')).map((text) => `  ${text}`)]
}

/** Small amounts in the smallest unit, others in coins. */
function amountText(amount: bigint, { decimals }: Coins): string {
  const unit = decimals === 18 ? 'wei' : 'sun'
  if (amount < 10n ** BigInt(decimals / 2)) return amount === 0n ? '0' : `${amount} ${unit}`
  const text = formatUnits(amount, decimals)
  return text === '1' ? '1 coin' : `${text} coins`
}

const hex = (address = '') => `0x${address.slice(2)}`
