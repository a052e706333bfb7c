import type { Child } from 'hono/jsx'
import type { Address } from 'viem'

import { grouped, plural, unitsText } from '../../../codec/coin.ts'
import { toRpcAddress } from '../../../lib/address.ts'
import { short } from '../format.ts'
import { operationOf } from '../operations.ts'
import { int, type Row } from '../reads/row.ts'
import type { NativeToken, Token } from '../reads/source.ts'
import type { TransactionFacts } from '../reads/transaction.ts'
import { cleanText, hexText } from '../text.ts'
import { AddressLink, Amount, Claimed, TokenAmount } from './parts.tsx'

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
  /** Coins that the transaction paid out, as the node says in a field of its outcome. */
  paid: (field: 'unfreeze_amount' | 'withdraw_amount' | 'withdraw_expire_amount') => Child
  /** The account that a stake is in favour of, if it is another one. */
  receiver: () => Child
  /** The resource of a stake. */
  resource: () => string
}

const WRITERS: Readonly<Record<string, Writer>> = {
  AccountCreateContract: ({ who }) => say`created the account ${who('account_address')}`,
  AccountPermissionUpdateContract: (words) => say`changed its permissions ${permissions(words)}`,
  AccountUpdateContract: ({ text }) => say`named its account “${text('account_name')}”`,
  AssetIssueContract: ({ facts, number, text }) =>
    say`issued the token “${text('name')}” with a supply of ${unitsText(int(facts.value['total_supply']), Number(number('precision')))}`,
  CancelAllUnfreezeV2Contract: () => 'cancelled all unstaking and staked the coins again',
  ClearABIContract: ({ who }) => say`removed the ABI of ${who('contract_address')} from the chain`,
  CreateSmartContract: ({ facts }) => creation(facts),
  DelegateResourceContract: ({ coins, facts: { value }, number, resource, who }) => {
    const time = int(value['lock_period']) > 0n ? ` for ${number('lock_period')} blocks` : ''
    const lock = value['lock'] === true ? `, locked${time}` : ''
    return say`delegated the ${resource()} of ${coins('balance')} to ${who('receiver_address')}${lock}`
  },
  ExchangeCreateContract: ({ token }) =>
    say`created an exchange of ${token('first_token_id', 'first_token_balance')} and ${token('second_token_id', 'second_token_balance')}`,
  ExchangeInjectContract: ({ number, token }) =>
    say`added ${token('token_id', 'quant')} to exchange ${number('exchange_id')}`,
  ExchangeTransactionContract: ({ number, token }) =>
    say`sold ${token('token_id', 'quant')} on exchange ${number('exchange_id')} for at least ${number('expected')} units`,
  ExchangeWithdrawContract: ({ number, token }) =>
    say`withdrew ${token('token_id', 'quant')} from exchange ${number('exchange_id')}`,
  FreezeBalanceContract: ({ coins, number, receiver, resource }) =>
    say`staked ${coins('frozen_balance')} for ${resource()} for ${number('frozen_duration')} days${receiver()}`,
  FreezeBalanceV2Contract: ({ coins, resource }) =>
    say`staked ${coins('frozen_balance')} for ${resource()}`,
  MarketCancelOrderContract: ({ facts }) => (
    <>
      cancelled the market order <code>{short(String(facts.value['order_id']))}</code>
    </>
  ),
  MarketSellAssetContract: ({ token }) =>
    say`offered ${token('sell_token_id', 'sell_token_quantity')} for ${token('buy_token_id', 'buy_token_quantity')}`,
  ParticipateAssetIssueContract: ({ coins, facts, who }) =>
    say`bought ${tokenName(facts)} for ${coins('amount')} from ${who('to_address')}`,
  ProposalApproveContract: ({ facts, number }) =>
    `${facts.value['is_add_approval'] === true ? 'approved' : 'withdrew the approval of'} proposal ${number('proposal_id')}`,
  ProposalCreateContract: ({ facts }) =>
    `proposed to change ${parameters(facts.value['parameters'])}`,
  ProposalDeleteContract: ({ number }) => `deleted proposal ${number('proposal_id')}`,
  SetAccountIdContract: ({ text }) => `set the id of its account to “${text('account_id')}”`,
  ShieldedTransferContract: () => 'made a shielded transfer',
  TransferAssetContract: ({ token, who }) =>
    say`transferred ${token('asset_name', 'amount')} to ${who('to_address')}`,
  TransferContract: ({ coins, who }) => say`transferred ${coins('amount')} to ${who('to_address')}`,
  TriggerSmartContract: ({ facts }) => call(facts),
  UnDelegateResourceContract: ({ coins, resource, who }) =>
    say`ended the delegation of ${resource()} of ${coins('balance')} to ${who('receiver_address')}`,
  UnfreezeAssetContract: () => 'released the frozen supply of its token',
  UnfreezeBalanceContract: ({ paid, receiver, resource }) =>
    say`unstaked ${paid('unfreeze_amount')} staked for ${resource()}${receiver()}`,
  UnfreezeBalanceV2Contract: ({ coins, resource }) =>
    say`unstaked ${coins('unfreeze_balance')} from ${resource()}`,
  UpdateAssetContract: () => 'changed the description and limits of its token',
  UpdateBrokerageContract: ({ number }) => `set its brokerage to ${number('brokerage')} %`,
  UpdateEnergyLimitContract: ({ number, who }) =>
    say`set the energy that ${who('contract_address')} pays for its callers to ${number('origin_energy_limit')} a call`,
  UpdateSettingContract: ({ number, who }) =>
    say`set the share of energy that callers of ${who('contract_address')} pay to ${number('consume_user_resource_percent')} %`,
  VoteAssetContract: () => 'voted with a token',
  VoteWitnessContract: ({ facts }) => say`voted ${votes(facts)}`,
  WithdrawBalanceContract: ({ paid }) => say`withdrew ${paid('withdraw_amount')} of rewards`,
  WithdrawExpireUnfreezeContract: ({ paid }) =>
    say`withdrew ${paid('withdraw_expire_amount')} that had been unstaked`,
  WitnessCreateContract: ({ text }) =>
    `applied as a block producer with the website ${text('url')}`,
  WitnessUpdateContract: ({ text }) =>
    `changed its website as a block producer to ${text('update_url')}`,
}

/** A sentence with elements in it. */
function say(texts: TemplateStringsArray, ...parts: Child[]): Child {
  return texts.flatMap((text, index) => [text, parts[index]])
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
    paid: (field) => <Amount value={int(facts.info?.[field])} />,
    receiver: () =>
      value['receiver_address'] !== undefined &&
      say` in favour of ${words.who('receiver_address')}`,
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
  const isThere = row.status !== 'failed' && row.to
  const contract = isThere ? (
    <AddressLink address={isThere} name={names.get(isThere)} />
  ) : (
    'a contract'
  )
  return say`${isThere || row.status !== 'failed' ? 'deployed' : 'tried to deploy'} ${contract}${payment(row)}`
}

/** What a call or creation sends with it: coins, a token of the chain, or both. */
function payment({ token, value }: Row): Child {
  return [
    value > 0n && say` with ${<Amount value={value} />}`,
    token && say` with ${<TokenAmount amount={token.amount} token={token.token} />}`,
  ]
}

/** Hex digits of a selector. A call with less data runs no function. */
const SELECTOR = 8

/** A call of a contract: a token transfer in its own words, any other by the name of its function. */
function call({ call: decoded, names, row, tokens, transfers, value }: TransactionFacts): Child {
  const [only] = transfers
  const contract = row.to ?? undefined
  const token = contract && tokens.get(contract)
  const party = (address: Address) => <AddressLink address={address} name={names.get(address)} />
  const units = (amount: bigint, of: Token | NativeToken | undefined) => (
    <TokenAmount amount={amount} token={of} contract={contract} />
  )
  const isTransfer = /^(transfer|transferFrom|safeTransferFrom)$/.test(decoded?.name ?? '')
  if (only && transfers.length === 1 && only.contract === contract && isTransfer) {
    const what =
      only.amount === undefined
        ? say`no. ${String(only.id)} of ${only.token ? <Claimed text={only.token.name} /> : 'a token'}`
        : units(only.amount, only.token)
    const source = only.from !== row.from && say`from ${party(only.from)} `
    return say`transferred ${what} ${source}to ${party(only.to)}`
  }
  const [spender, amount] = decoded?.params ?? []
  const other = () => party(String(spender?.value).toLowerCase() as Address)
  if (row.status === 'failed' && decoded?.name === 'transfer' && token && row.token)
    return say`tried to transfer ${units(row.token.amount, token)} to ${other()}`
  if (token && decoded?.name === 'approve' && typeof amount?.value === 'bigint') {
    const isAny = amount.value > 2n ** 255n
    return say`allowed ${other()} to spend ${isAny ? say`any amount of ${<Claimed text={token.symbol} />}` : units(amount.value, token)}`
  }
  const runsCode = typeof value['data'] === 'string' && value['data'].length >= SELECTOR
  const what = runsCode
    ? say`called ${<code>{decoded?.name ?? row.action}</code>} of`
    : 'sent coins to'
  return say`${what} ${contract && party(contract)}${payment(row)}`
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
