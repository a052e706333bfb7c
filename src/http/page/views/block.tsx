import { grouped, plural } from '../../../codec/coin.ts'
import type { BlockFacts } from '../reads/block.ts'
import { AddressLink, Amount, FactList, Hex, Pager, Time } from './parts.tsx'
import { TransactionTable } from './rows.tsx'

/** One block and its transactions. */
export function Block({ facts }: { facts: BlockFacts }) {
  const { block, fees, head, number, page, pages, producer, rows, solid } = facts
  const count = block.transactions.length
  const limit = Number(block.gasLimit)
  const share = limit > 0 ? (100 * Number(block.gasUsed)) / limit : 0
  return (
    <>
      <Finality block={number} head={head} solid={solid} />
      <FactList
        rows={[
          ['Time', <Time seconds={Number(block.timestamp)} exact />],
          number > 0 && ['Producer', <AddressLink address={block.miner} name={producer} full />],
          ['Transactions', grouped(count)],
          [
            'Energy used',
            <>
              {grouped(Number(block.gasUsed))}{' '}
              <span class="quiet">
                ({share > 0 && share < 0.1 ? 'below 0.1' : share.toFixed(1)} % of the limit)
              </span>
            </>,
          ],
          ['Fees', <Amount value={fees} />],
          ['Size', `${grouped(Number(block.size))} bytes`],
          ['Hash', <Hex text={block.hash} label="block hash" />],
          [
            'Parent',
            number > 0 ? (
              <a class="hex" href={`/block/${number - 1}`}>
                {block.parentHash}
              </a>
            ) : (
              <span class="quiet">none</span>
            ),
          ],
        ]}
      />
      <Pager
        newer={number < head ? `/block/${number + 1}` : undefined}
        older={number > 0 ? `/block/${number - 1}` : undefined}
      />
      {count === 0 ? (
        <p class="empty">This block has no transactions.</p>
      ) : (
        <TransactionTable
          caption={pages === 1 ? 'Transactions' : `Transactions, page ${page + 1} of ${pages}`}
          rows={rows}
        />
      )}
      {pages > 1 && (
        <p class="pager">
          {page > 0 && <a href={`/block/${number}?page=${page - 1}`}>← Previous page</a>}
          {page + 1 < pages && <a href={`/block/${number}?page=${page + 1}`}>Next page →</a>}
        </p>
      )}
    </>
  )
}

/** Whether a block can still be removed by a reorg. */
export function Finality({ block, head, solid }: { block: number; head: number; solid: number }) {
  const behind = head - block
  return (
    <p class="finality">
      {block <= solid ? (
        <span class="badge good">solidified</span>
      ) : (
        <span class="badge">not solidified yet</span>
      )}{' '}
      <span class="quiet">
        {block <= solid
          ? 'No reorg can remove it.'
          : `${plural(behind, 'block')} after it; the solidified block is ${grouped(solid)}.`}
      </span>
    </p>
  )
}
