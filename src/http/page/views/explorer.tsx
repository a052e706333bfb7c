import type { RpcBlock } from '../../../codec/types.ts'
import type { Health } from '../../health.ts'
import { grouped, toNumber } from '../format.ts'
import { AddressLink, BlockLink, FactList, Table, Time } from './parts.tsx'

/** The start page: the state of the chain and its newest blocks. */
export function Explorer({
  blocks,
  health,
  now,
  origin,
}: {
  blocks: readonly RpcBlock[]
  health: Health
  now: number
  origin: string
}) {
  const oldest = blocks.at(-1)
  return (
    <>
      <p class="lead">
        An Ethereum JSON-RPC endpoint for this chain. RPC URL: <code>{origin}</code>{' '}
        <a href="/connect">Connect a wallet or a program</a>
      </p>
      {health.reasons.length > 0 && (
        <p class="notice" role="status">
          {health.reasons.join('. ')}. <a href="/state">See the state</a>
        </p>
      )}
      <FactList
        rows={[
          ['Head', <output data-live="head">{grouped(health.head.number ?? 0)}</output>],
          ['Solidified block', grouped(health.head.solid ?? 0)],
          [
            'Chain id',
            health.chainId ? `${Number(health.chainId)} (${health.chainId})` : 'unknown',
          ],
          ['Status', health.status],
        ]}
      />
      <div id="blocks" data-live="blocks">
        <BlockTable blocks={blocks} now={now} />
      </div>
      {oldest && toNumber(oldest.number) > 0 && (
        <p>
          <a rel="next" href={`/?to=${toNumber(oldest.number) - 1}`}>
            Older blocks
          </a>
        </p>
      )}
    </>
  )
}

/** Blocks, newest first. */
export function BlockTable({ blocks, now }: { blocks: readonly RpcBlock[]; now: number }) {
  return (
    <Table caption="Blocks" head={['Block', 'Time', 'Producer', 'Transactions', 'Energy used']}>
      {blocks.map((block) => (
        <tr>
          <td>
            <BlockLink number={toNumber(block.number)} />
          </td>
          <td>
            <Time seconds={toNumber(block.timestamp)} now={now} />
          </td>
          <td>
            <AddressLink address={block.miner} />
          </td>
          <td class="number">{grouped(block.transactions.length)}</td>
          <td>
            <EnergyBar used={toNumber(block.gasUsed)} limit={toNumber(block.gasLimit)} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

/** The share of its energy limit that a block or transaction used. */
export function EnergyBar({ limit, used }: { used: number; limit: number }) {
  const share = limit > 0 ? used / limit : 0
  return (
    <span class="energy">
      <meter
        min={0}
        max={1}
        value={share}
        aria-label={`${(share * 100).toFixed(1)} % of the energy limit`}
      />
      {grouped(used)}
    </span>
  )
}
