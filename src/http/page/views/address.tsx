import type { Child } from 'hono/jsx'
import type { Address } from 'viem'
import { getAddress } from 'viem/utils'

import type { Kind } from '../../../codec/accounts.ts'
import { grouped } from '../../../codec/coin.ts'
import { toBase58Address, toRpcAddress } from '../../../lib/address.ts'
import type { Account, Permission } from '../../../native/wire/accountTypes.ts'
import { utc } from '../format.ts'
import type { AddressFacts, History, Holding } from '../reads/address.ts'
import { int } from '../reads/row.ts'
import type { TransferPage } from '../reads/transferPage.ts'
import { cleanText, hexText } from '../text.ts'
import {
  AddressLink,
  Amount,
  Claimed,
  Copy,
  type Fact,
  FactList,
  HashLink,
  Pager,
  Table,
  Time,
  TokenAmount,
} from './parts.tsx'
import { TransactionTable, TransferTable } from './rows.tsx'

/** The parts of an address page; each has its own URL. */
export type Tab = 'transactions' | 'transfers' | 'tokens' | 'account' | 'events' | 'contract'

/** The parts that only contracts have. */
export const OF_CONTRACTS: ReadonlySet<Tab> = new Set(['events', 'contract'])

/** The tabs with their titles, in order. */
export const TABS: readonly (readonly [Tab, string])[] = [
  ['transactions', 'Transactions'],
  ['transfers', 'Token transfers'],
  ['tokens', 'Tokens'],
  ['account', 'Resources and permissions'],
  ['events', 'Events'],
  ['contract', 'Contract'],
]

/** One account or contract: who it is, and the content of one tab. */
export function AddressPage({
  children,
  creation,
  facts,
  qr,
  tab,
}: {
  facts: AddressFacts
  tab: Tab
  creation: { creator: Address; hash: `0x${string}` | undefined } | undefined
  /** Squares of a QR code, as an SVG path, and its size. */
  qr: { path: string; size: number }
  children?: Child
}) {
  const { account, address, code, contract, implementation, token } = facts
  const hex = getAddress(address)
  const native = toBase58Address(address)
  const isContract = code !== '0x'
  const name = token?.name ?? facts.name
  return (
    <>
      <div class="panel hero identity">
        <div>
          <p class="badges">
            <span class="badge plain">
              {isContract ? (token ? 'token' : 'contract') : 'account'}
            </span>
            {account?.is_witness && <span class="badge plain">block producer</span>}
            {!account && !isContract && <span class="badge">never used</span>}
          </p>
          <p class="hex">
            {hex} <Copy text={hex} label="address" />
          </p>
          <p class="hex quiet">
            {native} <Copy text={native} label="native address" />
          </p>
          {name && (
            <p>
              <Claimed text={name} />
            </p>
          )}
        </div>
        <svg
          class="qr"
          viewBox={`0 0 ${qr.size} ${qr.size}`}
          role="img"
          aria-label={`QR code of ${native}`}
        >
          <path d={qr.path} />
        </svg>
      </div>
      <FactList
        rows={[
          token && ['Token', <Claimed text={`${token.name} (${token.symbol})`} />],
          token && ['Decimals', String(token.decimals)],
          token?.supply !== undefined && [
            'Total supply',
            <TokenAmount amount={token.supply} token={token} />,
          ],
          ['Balance', <Amount value={facts.balance} />],
          creation && [
            'Created by',
            <>
              <AddressLink address={creation.creator} />
              {creation.hash && (
                <>
                  {' '}
                  in <HashLink hash={creation.hash} />
                </>
              )}
            </>,
          ],
          implementation && ['Proxy of', <AddressLink address={implementation} full />],
          contract?.consume_user_resource_percent !== undefined &&
            isContract && [
              'Energy share of callers',
              `${contract.consume_user_resource_percent} %`,
            ],
          account?.create_time !== undefined && [
            'First seen',
            <Time seconds={Math.floor(account.create_time / 1_000)} />,
          ],
        ]}
      />
      <nav class="tabs" aria-label="Parts">
        {TABS.filter(([key]) => isContract || !OF_CONTRACTS.has(key)).map(([key, name]) => (
          <a href={`/address/${hex}?tab=${key}`} {...(key === tab && { 'aria-current': 'page' })}>
            {name}
          </a>
        ))}
      </nav>
      {children}
    </>
  )
}

/** The kinds of transactions that a page can be limited to, with their titles. */
export const HISTORY_KINDS: readonly (readonly [Kind, string])[] = [
  ['sent', 'Sent'],
  ['received', 'Received'],
  ['internal', 'Calls inside'],
  ['tokens', 'Tokens'],
  ['creation', 'Created contracts'],
]

/** The transactions of an account. Where no index has the accounts of all blocks, it says which were searched. */
export function Transactions({
  address,
  history,
  kind,
}: {
  address: Address
  history: History
  kind: Kind | undefined
}) {
  const { newer, older, range, rows } = history
  const page = `/address/${getAddress(address)}?tab=transactions`
  const link = (query: string | undefined) => query && page + query
  return (
    <>
      <nav class="tabs" aria-label="Kinds">
        <a href={page} {...(!kind && { 'aria-current': 'page' })}>
          All
        </a>
        {HISTORY_KINDS.map(([own, name]) => (
          <a href={`${page}&kind=${own}`} {...(own === kind && { 'aria-current': 'page' })}>
            {name}
          </a>
        ))}
      </nav>
      {rows.length > 0 ? (
        <TransactionTable caption="Transactions" own={address} rows={rows} />
      ) : (
        <p class="empty">
          {range
            ? `No transactions of this address in blocks ${grouped(range.from)} to ${grouped(range.to)}.`
            : 'No transactions of this address.'}
        </p>
      )}
      {range && (
        <p class="quiet">
          {`Blocks ${grouped(range.from)} to ${grouped(range.to)} were searched. `}
          The whole history is here at once with <code>--index DIR --index-from 0</code>.
          {older && rows.length === 0 && (
            <>
              {' '}
              <a href={link(`${older}&search=back`)}>Search back until one is found</a>
            </>
          )}
        </p>
      )}
      <Pager newer={link(newer)} older={link(older)} />
    </>
  )
}

/** A page of the token transfers of an account. */
export function Transfers({ address, page }: { address: Address; page: TransferPage | undefined }) {
  if (!page) return <p class="notice">Token transfers could not be read. Try again later.</p>
  const { newer, older, searched, transfers } = page
  const from = `${grouped(searched.from)} to ${grouped(searched.to)}`
  const link = `/address/${getAddress(address)}?tab=transfers`
  return (
    <>
      {transfers.length === 0 ? (
        <p class="empty">No token transfers in blocks {from}.</p>
      ) : (
        <TransferTable caption="Token transfers" own={address} transfers={transfers} />
      )}
      <p class="quiet">{`Blocks ${from} were searched.`}</p>
      <Pager newer={newer && `${link}&after=${newer}`} older={older && `${link}&before=${older}`} />
    </>
  )
}

/** The tokens of an account. */
export function Holdings({ holdings }: { holdings: readonly Holding[] | undefined }) {
  if (!holdings) return <p class="notice">The tokens could not be read. Try again later.</p>
  if (holdings.length === 0)
    return (
      <p class="empty">No tokens: none issued on the chain, and none in the newest transfers.</p>
    )
  return (
    <Table
      caption="Tokens"
      columns={['Token', 'Kind', ['Balance', 'main']]}
      rows={holdings.map(({ amount, contract, token, ...more }) => [
        contract ? (
          <AddressLink address={contract} name={token?.name} />
        ) : (
          <Claimed text={token.name} />
        ),
        contract ? 'contract' : `native token ${'id' in token ? token.id : ''}`,
        token ? (
          <>
            <TokenAmount amount={amount} token={token} />
            {'ids' in more && (
              <span class="quiet">{` ${more.ids.map((id) => `no. ${id}`).join(', ')}`}</span>
            )}
          </>
        ) : (
          'could not be read'
        ),
      ])}
    />
  )
}

/** What an account may use: bandwidth, energy, votes; what they were staked with, and who may sign. */
export function Resources({ facts: { account, resources } }: { facts: AddressFacts }) {
  if (!account) return <p class="empty">This address has no account on the chain yet.</p>
  const bandwidth = (resources?.freeNetLimit ?? 0) + (resources?.NetLimit ?? 0)
  const used = (resources?.freeNetUsed ?? 0) + (resources?.NetUsed ?? 0)
  const energy = account.account_resource
  const amounts = [
    ['Delegated for bandwidth', account.delegated_frozenV2_balance_for_bandwidth],
    ['Delegated for energy', energy?.delegated_frozenV2_balance_for_energy],
    ['Received for bandwidth', account.acquired_delegated_frozenV2_balance_for_bandwidth],
    ['Received for energy', energy?.acquired_delegated_frozenV2_balance_for_energy],
    ['Rewards', account.allowance],
  ].map(
    ([name, amount]): Fact | false =>
      Boolean(amount) && [String(name), <Amount value={int(amount)} />],
  )
  return (
    <>
      <FactList
        rows={[
          [
            'Energy',
            <Used used={resources?.EnergyUsed ?? 0} limit={resources?.EnergyLimit ?? 0} />,
          ],
          ['Bandwidth', <Used used={used} limit={bandwidth} />],
          [
            'Votes',
            <Used
              used={Number(resources?.nativePowerUsed ?? 0)}
              limit={Number(resources?.nativePowerLimit ?? 0)}
            />,
          ],
          ...stakes(account),
          ...amounts,
          account.account_name && ['Account name', cleanText(hexText(account.account_name) ?? '')],
        ]}
      />
      {(account.votes ?? []).length > 0 && (
        <Table
          caption="Votes"
          columns={['Producer', ['Votes', 'main']]}
          rows={(account.votes ?? []).map(({ vote_address, vote_count }) => [
            <AddressLink address={toRpcAddress(vote_address)} />,
            grouped(int(vote_count)),
          ])}
        />
      )}
      <Permissions account={account} />
    </>
  )
}

function stakes({ frozenV2 = [], unfrozenV2 = [] }: Account): Fact[] {
  const names = { BANDWIDTH: 'bandwidth', ENERGY: 'energy', TRON_POWER: 'votes' }
  return [
    ...frozenV2
      .filter(({ amount }) => int(amount) > 0n)
      .map(({ amount, type = 'BANDWIDTH' }): Fact => [
        `Staked for ${names[type]}`,
        <Amount value={int(amount)} />,
      ]),
    ...unfrozenV2.map(({ unfreeze_amount, unfreeze_expire_time = 0 }): Fact => [
      'Unstaking',
      <>
        <Amount value={int(unfreeze_amount)} />{' '}
        <span class="quiet">free at {utc(unfreeze_expire_time)}</span>
      </>,
    ]),
  ]
}

function Permissions({ account }: { account: Account }) {
  const all: [string, Permission | undefined][] = [
    ['owner', account.owner_permission],
    ['block production', account.witness_permission],
    ...(account.active_permission ?? []).map((one): [string, Permission] => ['active', one]),
  ]
  const given = all.flatMap(([kind, one]) => (one ? [{ kind, one }] : []))
  if (given.length === 0)
    return <p class="quiet">Only the key of the address itself may sign for it.</p>
  return (
    <Table
      caption="Permissions"
      columns={['Permission', ['Threshold', 'number'], ['Keys', 'main']]}
      rows={given.map(({ kind, one }) => [
        `${cleanText(one.permission_name ?? '') || kind}${one.id ? ` (${one.id})` : ''}`,
        grouped(int(one.threshold)),
        <ul class="plain">
          {(one.keys ?? []).map(({ address, weight }) => (
            <li>
              <AddressLink address={toRpcAddress(address)} />{' '}
              <span class="quiet">weight {grouped(int(weight))}</span>
            </li>
          ))}
        </ul>,
      ])}
    />
  )
}

function Used({ limit, used }: { used: number; limit: number }) {
  return (
    <span class="used">
      <meter
        min={0}
        max={Math.max(1, limit)}
        value={used}
        aria-label={`${grouped(used)} of ${grouped(limit)} used`}
      />
      {grouped(used)} of {grouped(limit)} used
    </span>
  )
}
