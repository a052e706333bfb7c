import type { Address } from 'viem'

import { grouped } from '../../../codec/coin.ts'
import type { Row } from '../reads/row.ts'
import type { Transfer } from '../reads/transfers.ts'
import {
  AddressLink,
  Amount,
  BlockLink,
  HashLink,
  Outcome,
  Table,
  Time,
  TokenAmount,
} from './parts.tsx'

/** The action of a transaction, as a small mark. */
export function Action({ name }: { name: string }) {
  return <span class="action">{name}</span>
}

/** What a transaction moves: coins, or a token of the chain. */
export function Moved({ row }: { row: Row }) {
  if (!row.token && row.value === 0n) return <span class="amount quiet none">–</span>
  return row.token ? (
    <TokenAmount amount={row.token.amount} token={row.token.token} />
  ) : (
    <Amount value={row.value} />
  )
}

/** An account of a row; a word instead of the account whose page it is. */
export function Party({
  address,
  name,
  own,
}: {
  address: Address | null
  name?: string | undefined
  own?: Address | undefined
}) {
  if (address === null || /^0x0+$/.test(address)) return <span class="quiet none">none</span>
  if (address === own) return <span class="self">this address</span>
  return <AddressLink address={address} name={name} />
}

/** Transactions, newest first. @param own - the account whose page it is */
export function TransactionTable({
  caption,
  own,
  rows,
}: {
  caption: string
  rows: readonly Row[]
  own?: Address
}) {
  return (
    <Table
      caption={caption}
      columns={[
        'Hash',
        'Action',
        ...(own ? ['Block', 'Time'] : []),
        'From',
        'To',
        ['Amount', 'main'],
        ['Energy', 'number'],
        ['Outcome', 'main'],
      ]}
      rows={rows.map((row) => [
        <HashLink hash={row.hash} />,
        <Action name={row.action} />,
        ...(own ? [<BlockLink number={row.block} />, <Time seconds={row.time} />] : []),
        <Party address={row.from} own={own} />,
        <Party address={row.to} name={row.toName} own={own} />,
        <Moved row={row} />,
        row.receipt ? grouped(BigInt(row.receipt.gasUsed)) : '',
        <Outcome status={row.status} />,
      ])}
    />
  )
}

/** Token transfers, newest first. @param own - the account whose page it is */
export function TransferTable({
  caption,
  names,
  own,
  transfers,
}: {
  caption: string
  transfers: readonly Transfer[]
  names?: ReadonlyMap<Address, string>
  own?: Address
}) {
  return (
    <Table
      caption={caption}
      columns={[...(own ? ['Transaction', 'Time'] : []), 'From', 'To', ['Amount', 'main'], 'Token']}
      rows={transfers.map((one) => [
        ...(own ? [<HashLink hash={one.hash} />, <Time seconds={one.time} />] : []),
        <Party address={one.from} name={names?.get(one.from)} own={own} />,
        <Party address={one.to} name={names?.get(one.to)} own={own} />,
        one.amount === undefined ? (
          <span class="amount">{`no. ${String(one.id)}`}</span>
        ) : (
          <TokenAmount amount={one.amount} token={one.token} />
        ),
        <AddressLink address={one.contract} name={one.token?.name} />,
      ])}
    />
  )
}
