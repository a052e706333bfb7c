import type { BlockFacts } from '../facts.ts'
import { coins, grouped, toNumber } from '../format.ts'
import { typeInWords } from '../words.ts'
import { EnergyBar } from './explorer.tsx'
import { AddressLink, FactList, Outcome, Table, Time, TransactionLink } from './parts.tsx'

/** Transactions on one page of a block. */
const PAGE = 100

/** One block and its transactions. */
export function Block({
  facts,
  head,
  now,
  page,
}: {
  facts: BlockFacts
  head: number
  now: number
  /** From 0. */
  page: number
}) {
  const { block, receipts, types } = facts
  const number = toNumber(block.number)
  const pages = Math.ceil(block.transactions.length / PAGE)
  return (
    <>
      <FactList
        rows={[
          ['Hash', <span class="hex">{block.hash}</span>],
          [
            'Parent',
            number > 0 ? (
              <a class="hex" href={`/block/${number - 1}`}>
                {block.parentHash}
              </a>
            ) : (
              <span class="hex">{block.parentHash}</span>
            ),
          ],
          ['Time', <Time seconds={toNumber(block.timestamp)} now={now} exact />],
          ['Producer', <AddressLink address={block.miner} full />],
          ['Transactions', grouped(block.transactions.length)],
          [
            'Energy used',
            <EnergyBar used={toNumber(block.gasUsed)} limit={toNumber(block.gasLimit)} />,
          ],
          ['Size', `${grouped(toNumber(block.size))} bytes`],
        ]}
      />
      <p class="pager">
        {number > 0 && (
          <a rel="prev" href={`/block/${number - 1}`}>
            Block {grouped(number - 1)}
          </a>
        )}{' '}
        {number < head && (
          <a rel="next" href={`/block/${number + 1}`}>
            Block {grouped(number + 1)}
          </a>
        )}
      </p>
      {block.transactions.length === 0 ? (
        <p>This block has no transactions.</p>
      ) : (
        <Table
          caption="Transactions"
          head={['Hash', 'Type', 'From', 'To', 'Amount', 'Energy', 'Outcome']}
        >
          {block.transactions.slice(page * PAGE, (page + 1) * PAGE).map((transaction) => {
            const receipt = receipts.get(transaction.hash)
            const to = transaction.to ?? receipt?.contractAddress
            return (
              <tr>
                <td>
                  <TransactionLink hash={transaction.hash} />
                </td>
                <td>{typeInWords(types.get(transaction.hash))}</td>
                <td>
                  <AddressLink address={transaction.from} />
                </td>
                <td>{to ? <AddressLink address={to} /> : 'none'}</td>
                <td class="number">{amountText(types.get(transaction.hash), transaction.value)}</td>
                <td class="number">{receipt ? grouped(toNumber(receipt.gasUsed)) : ''}</td>
                <td>
                  <Outcome status={receipt?.status} />
                </td>
              </tr>
            )
          })}
        </Table>
      )}
      {pages > 1 && (
        <p class="pager">
          Page {page + 1} of {pages}.{' '}
          {page > 0 && <a href={`/block/${number}?page=${page - 1}`}>Previous page</a>}{' '}
          {page + 1 < pages && <a href={`/block/${number}?page=${page + 1}`}>Next page</a>}
        </p>
      )}
    </>
  )
}

/** Amounts of token and vote contracts are not coins. */
export function amountText(type: string | undefined, value: string): string {
  const amount = BigInt(value)
  if (type === 'TransferAssetContract') return `${grouped(amount)} units`
  if (type === 'VoteWitnessContract') return `${grouped(amount)} votes`
  return coins(amount)
}
