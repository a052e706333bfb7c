import type { VmResult } from '../vm/run.ts'
import type { Frame } from './frame.ts'
import { word } from './touched.ts'

type Log = VmResult['logs'][number]

/** The address of logs of moved coins, as in geth. */
const COINS = 'ee'.repeat(20)

/** Topic of `Transfer(address,address,uint256)`. */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/**
 * The logs of a run in the order of execution, with one for each move of coins (`traceTransfers`). A frame that failed has none.
 *
 * @param shown - an amount in the unit of the client
 */
export function logsWithTransfers(
  { calls, error, from, kind, logs, to, value = 0n }: Frame,
  shown: (amount: bigint) => bigint,
): Log[] {
  if (error !== undefined) return []
  const isMove = value > 0n && to !== undefined && kind !== 'DELEGATECALL'
  return [
    ...(isMove
      ? [{ address: COINS, topics: [TRANSFER, topic(from), topic(to)], data: word(shown(value)) }]
      : []),
    ...Array.from({ length: calls.length + 1 }, (_, position) => {
      const call = calls[position]
      return [
        ...logs
          .filter((log) => log.position === position)
          .map(({ address, data, topics }) => ({ address: address.slice(2), data, topics })),
        ...(call ? logsWithTransfers(call, shown) : []),
      ]
    }).flat(),
  ]
}

/** An address of 42 hex characters as a topic. */
const topic = (address: string): string => address.slice(2).padStart(64, '0')
