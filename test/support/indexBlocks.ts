import type { AccountPlace, AccountRequest } from '../../src/chain/reads/accountIndex.ts'
import type { Concerned } from '../../src/codec/accounts.ts'
import type { LogSearch } from '../../src/codec/logPack/match.ts'
import type { PlainLog } from '../../src/codec/logPack/plainLog.ts'
import type { IndexBlock } from '../../src/logIndex/format/block.ts'

/** A chain for tests of the log index: one block for each height, with the logs that are given for some heights. */
export function indexBlocks(
  from: number,
  count: number,
  logsOf: (number: number) => readonly Partial<PlainLog>[] = () => [],
  transactionsOf: (number: number) => readonly Concerned[] = () => [],
): IndexBlock[] {
  return Array.from({ length: count }, (_, offset) => {
    const number = from + offset
    return {
      number,
      hash: blockHash(number),
      parentHash: blockHash(number - 1),
      timestamp: 1_700_000_000 + number * 3,
      logs: logsOf(number).map((log, index) => ({
        index,
        transactionIndex: index >> 1,
        transactionHash: word(number * 1_000 + (index >> 1)),
        address: address(1),
        topics: [],
        data: '',
        ...log,
      })),
      transactions: transactionsOf(number),
    }
  })
}

/** The hash of a test block: its height, as on the chain, and a fixed rest. */
const blockHash = (number: number) =>
  `${Math.max(number, 0).toString(16).padStart(16, '0')}${'ab'.repeat(24)}`

/** 32 bytes that end in a number. */
export const word = (value: number) => value.toString(16).padStart(64, '0')

/** 20 bytes that end in a number. */
export const address = (value: number) => value.toString(16).padStart(40, '0')

/** The result of a search by comparing every log. */
export function scan(
  blocks: readonly IndexBlock[],
  { addresses, from, to, topics }: LogSearch & { from: number; to: number },
): { block: number; index: number }[] {
  return blocks
    .filter(({ number }) => number >= from && number <= to)
    .flatMap(({ logs, number }) =>
      logs
        .filter(
          (log) =>
            (addresses.length === 0 || addresses.includes(log.address)) &&
            log.topics.length >= topics.length &&
            topics.every(
              (choice, position) =>
                !choice || choice.length === 0 || choice.includes(log.topics[position] ?? ''),
            ),
        )
        .map(({ index }) => ({ block: number, index })),
    )
}

/** The result of a search for the transactions of an account by comparing every transaction. */
export function scanAccounts(
  blocks: readonly IndexBlock[],
  { account, from, kinds, list, to }: Omit<AccountRequest, 'limit' | 'order'>,
): AccountPlace[] {
  return blocks
    .filter(({ number }) => number >= from && number <= to)
    .flatMap(({ number, transactions }) =>
      transactions.flatMap(({ accounts, created }, index) => {
        const own =
          list === 'created'
            ? created.some(({ contract }) => contract === account)
              ? 0
              : undefined
            : accounts.get(account)
        return own === undefined || (kinds !== 0 && (own & kinds) === 0)
          ? []
          : [{ block: number, index, kinds: own }]
      }),
    )
}
