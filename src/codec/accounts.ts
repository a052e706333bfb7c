import type { Parties } from '../native/wire/parties.ts'
import type { TransactionLogs } from '../native/wire/transactionLogs.ts'
import type { Hex, InternalTransaction } from '../native/wire/types.ts'

/** How a transaction concerns an account. Several are added. */
export const KINDS = { sent: 1, received: 2, internal: 4, tokens: 8, creation: 16 } as const

/** A kind by name. */
export type Kind = keyof typeof KINDS

/** The accounts that a transaction concerns, with the sum of the kinds, and the contracts that it created. 20 bytes, hex without `0x`. */
export type Concerned = {
  accounts: ReadonlyMap<Hex, number>
  created: readonly { contract: Hex; creator: Hex }[]
}

/** First topic of `Transfer(address,address,uint256)`, without `0x`: of tokens with amounts and of single tokens. */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** The note of an inner call that creates a contract: hex of `create`. */
const CREATE = '637265617465'

/** Whether an inner call created a contract. */
const isCreation = ({ note, rejected }: InternalTransaction) => note === CREATE && rejected !== true

/**
 * The accounts of a transaction: who sends it, its receiver or contract, the parties of the calls inside it (where the node records
 * them), and those of transfers of tokens of the chain and of contracts.
 */
export function concernedBy(
  { hasTokens, others, owner, type }: Parties,
  { contract_address, internal_transactions = [], log = [], result }: Omit<TransactionLogs, 'id'>,
): Concerned {
  const accounts = new Map<Hex, number>()
  const created: { contract: Hex; creator: Hex }[] = []
  const add = (account: Hex, kind: number) => {
    if (account !== '') accounts.set(account, (accounts.get(account) ?? 0) | kind)
  }
  const contract = contract_address?.slice(2) ?? ''
  const tokens = hasTokens ? KINDS.tokens : 0
  add(owner, KINDS.sent | tokens)
  for (const other of others) add(other, KINDS.received | tokens)
  add(contract, KINDS.received)
  if (type === 'CreateSmartContract' && result !== 'FAILED' && contract !== '') {
    add(owner, KINDS.creation)
    created.push({ contract, creator: owner })
  }
  for (const inner of internal_transactions) {
    const caller = inner.caller_address?.slice(2) ?? ''
    const receiver = inner.transferTo_address?.slice(2) ?? ''
    const moved = inner.callValueInfo?.some(({ tokenId }) => tokenId !== undefined)
    const kind = KINDS.internal | (moved ? KINDS.tokens : 0)
    add(caller, kind)
    add(receiver, kind)
    if (!isCreation(inner)) continue
    add(caller, KINDS.creation)
    created.push({ contract: receiver, creator: caller })
  }
  for (const { topics = [] } of log) {
    const [event, from, to] = topics
    if (event !== TRANSFER || topics.length < 3) continue
    for (const word of [from, to])
      if (word?.startsWith(NO_ADDRESS)) add(word.slice(NO_ADDRESS.length), KINDS.tokens)
  }
  return { accounts, created }
}

/** A topic with an address begins with twelve zero bytes. */
const NO_ADDRESS = '0'.repeat(24)

/** The kinds of a transaction that a search for an account wants; undefined when it does not want the transaction. */
export function wantedKinds(
  { accounts, created }: Concerned,
  { account, kinds, list }: { account: Hex; kinds: number; list: 'concerns' | 'created' },
): number | undefined {
  const own = accounts.get(account) ?? 0
  const isWanted =
    list === 'created'
      ? created.some(({ contract }) => contract === account)
      : own !== 0 && (kinds === 0 || (own & kinds) !== 0)
  return isWanted ? own : undefined
}
