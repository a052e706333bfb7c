import type { Child } from 'hono/jsx'
import type { Address } from 'viem'

import { grouped, plural, unitsText } from '../../codec/coin.ts'
import { toRpcAddress } from '../../lib/address.ts'
import { short } from './format.ts'
import { operationOf } from './operations.ts'
import { int, type Row } from './reads/row.ts'
import type { TransactionFacts } from './reads/transaction.ts'
import { cleanText, hexText } from './text.ts'
import { AddressLink, Amount, TokenAmount } from './views/parts.tsx'

/** Writes the content of one contract type after the name of the account. */
type Writer = (words: Words) => Child

/** Parts of a sentence about one transaction, read from the fields of its native contract. */
type Words = {
  facts: TransactionFacts
  /** An account in a field. */
  who: (field: string) => Child
  /** An amount of coins in a field. */
  coins: (field: string) => Child
  /** An amount of a token of the chain: fields with its id and the amount. */
  token: (id: string, amount: string) => Child
  /** A number in a field. */
  number: (field: string) => string
  /** Text in a field, which is hex of UTF-8. */
  text: (field: string) => string
  /** The resource of a stake. */
  resource: () => string
}

const WRITERS: Readonly<Record<string, Writer>> = {
  AccountCreateContract: ({ who }) => <>created the account {who('account_address')}</>,
  AccountPermissionUpdateContract: (words) => <>changed its permissions {permissions(words)}</>,
  AccountUpdateContract: ({ text }) => <>named its account “{text('account_name')}”</>,
  AssetIssueContract: ({ facts, number, text }) => (
    <>
      issued the token “{text('name')}” with a supply of{' '}
      {unitsText(int(facts.value['total_supply']), Number(number('precision')))}
    </>
  ),
  CancelAllUnfreezeV2Contract: () => 'cancelled all unstaking and staked the coins again',
  ClearABIContract: ({ who }) => <>removed the ABI of {who('contract_address')} from the chain</>,
  CreateSmartContract: ({ facts }) => creation(facts),
  DelegateResourceContract: (words) => (
    <>
      delegated the {words.resource()} of {words.coins('balance')} to{' '}
      {words.who('receiver_address')}
      {words.facts.value['lock'] === true &&
        (int(words.facts.value['lock_period']) > 0n
          ? `, locked for ${words.number('lock_period')} blocks`
          : ', locked')}
    </>
  ),
  ExchangeCreateContract: ({ token }) => (
    <>
      created an exchange of {token('first_token_id', 'first_token_balance')} and{' '}
      {token('second_token_id', 'second_token_balance')}
    </>
  ),
  ExchangeInjectContract: ({ number, token }) => (
    <>
      added {token('token_id', 'quant')} to exchange {number('exchange_id')}
    </>
  ),
  ExchangeTransactionContract: ({ number, token }) => (
    <>
      sold {token('token_id', 'quant')} on exchange {number('exchange_id')} for at least{' '}
      {number('expected')} units
    </>
  ),
  ExchangeWithdrawContract: ({ number, token }) => (
    <>
      withdrew {token('token_id', 'quant')} from exchange {number('exchange_id')}
    </>
  ),
  FreezeBalanceContract: (words) => (
    <>
      staked {words.coins('frozen_balance')} for {words.resource()} for{' '}
      {words.number('frozen_duration')} days
      {words.facts.value['receiver_address'] !== undefined && (
        <> in favour of {words.who('receiver_address')}</>
      )}
    </>
  ),
  FreezeBalanceV2Contract: ({ coins, resource }) => (
    <>
      staked {coins('frozen_balance')} for {resource()}
    </>
  ),
  MarketCancelOrderContract: ({ facts }) => (
    <>
      cancelled the market order <code>{short(String(facts.value['order_id']))}</code>
    </>
  ),
  MarketSellAssetContract: ({ token }) => (
    <>
      offered {token('sell_token_id', 'sell_token_quantity')} for{' '}
      {token('buy_token_id', 'buy_token_quantity')}
    </>
  ),
  ParticipateAssetIssueContract: ({ coins, facts, who }) => (
    <>
      bought {tokenName(facts)} for {coins('amount')} from {who('to_address')}
    </>
  ),
  ProposalApproveContract: ({ facts, number }) =>
    `${facts.value['is_add_approval'] === true ? 'approved' : 'withdrew the approval of'} proposal ${number('proposal_id')}`,
  ProposalCreateContract: ({ facts }) =>
    `proposed to change ${parameters(facts.value['parameters'])}`,
  ProposalDeleteContract: ({ number }) => `deleted proposal ${number('proposal_id')}`,
  SetAccountIdContract: ({ text }) => <>set the id of its account to “{text('account_id')}”</>,
  ShieldedTransferContract: () => 'made a shielded transfer',
  TransferAssetContract: ({ token, who }) => (
    <>
      transferred {token('asset_name', 'amount')} to {who('to_address')}
    </>
  ),
  TransferContract: ({ coins, who }) => (
    <>
      transferred {coins('amount')} to {who('to_address')}
    </>
  ),
  TriggerSmartContract: ({ facts }) => call(facts),
  UnDelegateResourceContract: (words) => (
    <>
      ended the delegation of {words.resource()} of {words.coins('balance')} to{' '}
      {words.who('receiver_address')}
    </>
  ),
  UnfreezeAssetContract: () => 'released the frozen supply of its token',
  UnfreezeBalanceContract: ({ facts, resource, who }) => (
    <>
      unstaked <Amount value={int(facts.info?.unfreeze_amount)} /> staked for {resource()}
      {facts.value['receiver_address'] !== undefined && (
        <> in favour of {who('receiver_address')}</>
      )}
    </>
  ),
  UnfreezeBalanceV2Contract: ({ coins, resource }) => (
    <>
      unstaked {coins('unfreeze_balance')} from {resource()}
    </>
  ),
  UpdateAssetContract: () => 'changed the description and limits of its token',
  UpdateBrokerageContract: ({ number }) => `set its brokerage to ${number('brokerage')} %`,
  UpdateEnergyLimitContract: ({ number, who }) => (
    <>
      set the energy that {who('contract_address')} pays for its callers to{' '}
      {number('origin_energy_limit')} a call
    </>
  ),
  UpdateSettingContract: ({ number, who }) => (
    <>
      set the share of energy that callers of {who('contract_address')} pay to{' '}
      {number('consume_user_resource_percent')} %
    </>
  ),
  VoteAssetContract: () => 'voted with a token',
  VoteWitnessContract: ({ facts }) => <>voted {votes(facts)}</>,
  WithdrawBalanceContract: ({ facts }) => (
    <>
      withdrew <Amount value={int(facts.info?.withdraw_amount)} /> of rewards
    </>
  ),
  WithdrawExpireUnfreezeContract: ({ facts }) => (
    <>
      withdrew <Amount value={int(facts.info?.withdraw_expire_amount)} /> that had been unstaked
    </>
  ),
  WitnessCreateContract: ({ text }) =>
    `applied as a block producer with the website ${text('url')}`,
  WitnessUpdateContract: ({ text }) =>
    `changed its website as a block producer to ${text('update_url')}`,
}

/** What a transaction does, in one sentence that begins with its account. */
export function Sentence({ facts }: { facts: TransactionFacts }) {
  const { names, nativeTokens, row, type, value } = facts
  const named = (address: `0x${string}`) => (
    <AddressLink address={address} name={names.get(address)} />
  )
  const words: Words = {
    facts,
    who: (field) => named(toRpcAddress(value[field])),
    coins: (field) => <Amount value={int(value[field])} />,
    token(idField, amountField) {
      const given = value[idField]
      const id = typeof given === 'string' ? (hexText(given) ?? '') : String(given)
      // In exchanges and orders the coin has the id `_`.
      if (id === '_') return <Amount value={int(value[amountField])} />
      return <TokenAmount amount={int(value[amountField])} token={nativeTokens.get(id)} />
    },
    number: (field) => grouped(int(value[field])),
    text: (field) => cleanText(hexText(value[field] as string | undefined) ?? '', 200),
    resource: () =>
      ((value['resource'] as string | undefined) ?? 'BANDWIDTH')
        .toLowerCase()
        .replace('tron_power', 'voting power'),
  }
  const write = WRITERS[type ?? '']
  return (
    <p class="sentence">
      {named(row.from)}{' '}
      {write ? write(words) : type ? `ran ${operationOf(type).name}` : call(facts)}
      {row.status === 'failed' && <strong class="bad">, but it failed</strong>}
      {row.status === 'pending' && <span class="quiet"> (pending)</span>}
    </p>
  )
}

function creation({ names, row }: TransactionFacts): Child {
  return (
    <>
      deployed{' '}
      {row.status === 'failed' || !row.to ? (
        'a contract'
      ) : (
        <AddressLink address={row.to} name={names.get(row.to)} />
      )}
      {payment(row)}
    </>
  )
}

/** What a call or creation sends with it: coins, a token of the chain, or both. */
function payment({ token, value }: Row): Child {
  return (
    <>
      {value > 0n && (
        <>
          {' '}
          with <Amount value={value} />
        </>
      )}
      {token && (
        <>
          {' '}
          with <TokenAmount amount={token.amount} token={token.token} />
        </>
      )}
    </>
  )
}

/** Hex digits of a selector. A call with less data runs no function. */
const SELECTOR = 8

/** A call of a contract: a token transfer in its own words, any other by the name of its function. */
function call({ call: decoded, names, row, tokens, transfers, value }: TransactionFacts): Child {
  const [only] = transfers
  const token = row.to ? tokens.get(row.to) : undefined
  const party = (address: Address) => <AddressLink address={address} name={names.get(address)} />
  const isTransfer = /^(transfer|transferFrom|safeTransferFrom)$/.test(decoded?.name ?? '')
  if (only && transfers.length === 1 && only.contract === row.to && isTransfer)
    return (
      <>
        transferred{' '}
        {only.amount === undefined ? (
          `no. ${String(only.id)} of ${only.token?.name ?? 'a token'}`
        ) : (
          <TokenAmount amount={only.amount} token={only.token} contract={only.contract} />
        )}{' '}
        {only.from !== row.from && <>from {party(only.from)} </>}
        to {party(only.to)}
      </>
    )
  const [spender, amount] = decoded?.params ?? []
  if (row.status === 'failed' && decoded?.name === 'transfer' && token && row.token)
    return (
      <>
        tried to transfer{' '}
        <TokenAmount amount={row.token.amount} token={token} contract={row.to ?? undefined} /> to{' '}
        {party(String(spender?.value).toLowerCase() as Address)}
      </>
    )
  if (token && decoded?.name === 'approve' && typeof amount?.value === 'bigint')
    return (
      <>
        allowed {party(String(spender?.value).toLowerCase() as Address)} to spend{' '}
        {amount.value > 2n ** 255n ? (
          `any amount of ${token.symbol}`
        ) : (
          <TokenAmount amount={amount.value} token={token} contract={row.to ?? undefined} />
        )}
      </>
    )
  return (
    <>
      {typeof value['data'] === 'string' && value['data'].length >= SELECTOR ? (
        <>
          called <code>{decoded?.name ?? row.action}</code> of
        </>
      ) : (
        'sent coins to'
      )}{' '}
      {row.to && party(row.to)}
      {payment(row)}
    </>
  )
}

/** The token of a purchase: what is bought for the coins is in no field. */
function tokenName({ nativeTokens, value }: TransactionFacts): string {
  const id = hexText(String(value['asset_name'])) ?? ''
  return nativeTokens.get(id)?.name ?? `token ${cleanText(id, 32)}`
}

function votes({ names, value }: TransactionFacts): Child {
  const list = (value['votes'] ?? []) as { vote_address: string; vote_count?: number | bigint }[]
  return list.slice(0, 30).map(({ vote_address, vote_count }, index) => {
    const address = toRpcAddress(vote_address)
    return (
      <>
        {index > 0 && ', '}
        {grouped(int(vote_count))} for <AddressLink address={address} name={names.get(address)} />
      </>
    )
  })
}

function permissions({ facts: { value } }: Words): string {
  type Given = { permission_name?: string; threshold?: number; keys?: unknown[] }
  const text = ({ keys = [], permission_name, threshold = 0 }: Given, fallback: string) =>
    `${cleanText(permission_name ?? '') || fallback} (${plural(keys.length, 'key')}, threshold ${threshold})`
  const owner = value['owner'] as Given | undefined
  const witness = value['witness'] as Given | undefined
  const actives = (value['actives'] ?? []) as Given[]
  return `to ${[
    ...(owner ? [text(owner, 'owner')] : []),
    ...(witness ? [text(witness, 'witness')] : []),
    ...actives.map((one) => text(one, 'active')),
  ].join(', ')}`
}

/** Chain parameters by their number in proposals: what things cost, and how much of them there is. */
const PARAMETERS: Readonly<Record<number, string>> = {
  0: 'milliseconds between two counts of votes',
  1: 'fee of an application as a block producer',
  2: 'fee of a new account',
  3: 'price of bandwidth',
  4: 'fee of a new token',
  5: 'reward of a block',
  6: 'reward of standby producers',
  7: 'fee of a new account by a transfer',
  11: 'energy price',
  12: 'fee of a new exchange',
  13: 'CPU time of a transaction',
  19: 'energy of all stakes',
  22: 'fee of changed permissions',
  23: 'fee of several signatures',
  47: 'highest fee limit',
  61: 'free bandwidth of an account',
  62: 'bandwidth of all stakes',
}

function parameters(list: unknown): string {
  return ((list ?? []) as { key?: number; value?: number | bigint }[])
    .map(({ key = 0, value = 0 }) => {
      const name = PARAMETERS[key]
      return `${name ? `the ${name} (parameter ${key})` : `parameter ${key}`} to ${grouped(BigInt(value))}`
    })
    .join(', ')
}
