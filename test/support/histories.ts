import type { TransactionInfo } from '../../src/native/wire/types.ts'
import { post } from './client.ts'

/** A transaction as the node shows it. */
type Native = {
  txID: string
  raw_data: { contract: [{ type?: string; parameter: { value: Record<string, unknown> } }] }
}

/** The transactions of each account in the order of the chain, and how each concerns it. */
export type Histories = Map<string, Map<string, Set<string>>>

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const NAMES = [
  'to_address',
  'contract_address',
  'receiver_address',
  'account_address',
  'transparent_to_address',
]

/** Reads blocks from a node one by one and finds every account of each transaction. Written apart from the code that it checks. */
export async function scanHistories(
  node: string,
  blocks: { from: number; to: number },
): Promise<{
  histories: Histories
  created: Map<string, { hash: string; creator: string }>
  /** Block and index of each transaction. */
  places: Map<string, string>
}> {
  const places = new Map<string, string>()
  const histories: Histories = new Map()
  const created = new Map<string, { hash: string; creator: string }>()
  for (let num = Math.max(1, blocks.from); num <= blocks.to; num++) {
    const block = await ask<{ transactions?: Native[] }>(node, 'getblockbynum', { num })
    if (!block.transactions) continue
    const infos = await ask<TransactionInfo[]>(node, 'gettransactioninfobyblocknum', { num })
    for (const [index, { raw_data, txID }] of block.transactions.entries()) {
      const info = infos[index] as TransactionInfo
      if (info.id !== txID) throw new Error(`the outcomes of block ${num} are in another order`)
      const hash = `0x${txID}`
      places.set(hash, `${num} ${index}`)
      const note = (address: unknown, kind: string) => {
        if (typeof address !== 'string' || !/^41[0-9a-f]{40}$/.test(address)) return
        const account = `0x${address.slice(2)}`
        const own = histories.get(account) ?? new Map<string, Set<string>>()
        histories.set(account, own)
        own.set(hash, (own.get(hash) ?? new Set()).add(kind))
      }
      const [{ parameter, type }] = raw_data.contract
      const { value } = parameter
      const owner = value['owner_address'] ?? value['transparent_from_address']
      const others = [...NAMES.map((name) => value[name]), info.contract_address]
      const hasTokens =
        type === 'TransferAssetContract' ||
        type === 'ParticipateAssetIssueContract' ||
        Boolean(value['call_token_value'])
      note(owner, 'sent')
      for (const other of others) note(other, 'received')
      if (hasTokens)
        for (const party of [owner, ...NAMES.map((name) => value[name])]) note(party, 'tokens')
      const create = (contract: string, creator: string) => {
        note(creator, 'creation')
        created.set(`0x${contract.slice(2)}`, { hash, creator: `0x${creator.slice(2)}` })
      }
      if (type === 'CreateSmartContract' && info.result !== 'FAILED')
        create(info.contract_address ?? '', String(owner))
      for (const inner of info.internal_transactions ?? []) {
        const kinds = inner.callValueInfo?.some((one) => one.tokenId)
          ? ['internal', 'tokens']
          : ['internal']
        for (const party of [inner.caller_address, inner.transferTo_address])
          for (const kind of kinds) note(party, kind)
        if (Buffer.from(inner.note ?? '', 'hex').toString() === 'create' && !inner.rejected)
          create(inner.transferTo_address ?? '', inner.caller_address ?? '')
      }
      for (const { topics = [] } of info.log ?? [])
        if (topics[0] === TRANSFER && topics.length > 2)
          for (const topic of topics.slice(1, 3))
            if (/^0{24}/.test(topic)) note(`41${topic.slice(24)}`, 'tokens')
    }
  }
  return { histories, created, places }
}

type Page = {
  transactions: {
    kinds: string[]
    transaction: { hash: string }
    receipt: { transactionHash: string }
  }[]
  older: string | null
  newer: string | null
  complete: boolean
}

/** The whole history of an account by `ethgate_getTransactions`, oldest first, page by page in one direction. */
export async function readHistory(
  url: string,
  address: string,
  { limit, order }: { limit: number; order: 'newest' | 'oldest' },
): Promise<{ hash: string; kinds: string[] }[]> {
  const found: { hash: string; kinds: string[] }[] = []
  let bound: string | null = order === 'newest' ? null : '0x0'
  do {
    const { error, result } = await post(url, 'ethgate_getTransactions', [
      {
        address,
        limit,
        ...(bound !== null && { [order === 'newest' ? 'before' : 'after']: bound }),
      },
    ])
    if (error) throw new Error(error.message)
    const page = result as Page
    if (!page.complete) throw new Error('the history is not complete')
    const rows = page.transactions.map(({ kinds, receipt, transaction }) => {
      if (receipt.transactionHash !== transaction.hash) throw new Error('another receipt')
      return { hash: transaction.hash, kinds }
    })
    found.push(...(order === 'newest' ? rows : rows.toReversed()))
    bound = order === 'newest' ? page.older : page.newer
  } while (bound !== null)
  return order === 'newest' ? found.toReversed() : found
}

async function ask<answer>(node: string, path: string, body: object): Promise<answer> {
  const response = await fetch(`${node}/wallet/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as answer
}
