import type { Address, Hash } from 'viem'
import { numberToHex } from 'viem/utils'

import type { RpcLog } from '../../../codec/types.ts'
import { parseAddress } from '../../../lib/address.ts'
import type { Asset } from '../../../native/wire/networkTypes.ts'
import { cleanText, hexText } from '../text.ts'
import { type Source, tokenInList } from './source.ts'
import { TRANSFER_TOPIC } from './transfers.ts'

/** A token that a search found: a contract, or an id of a token of the chain itself with its owner. */
export type FoundToken = { name: string; symbol: string } & (
  | { contract: Address; id?: undefined; owner?: undefined }
  | { contract?: undefined; id: string; owner: Address }
)

/** Where a search leads: to one page, or to tokens. */
export type Found = { path: string } | { tokens: FoundToken[] }

/** Newest blocks whose token transfers name tokens, and contracts that are read for it. */
const BLOCKS = 1_000
const MOST = 50

/** Finds what a visitor typed: a number, a tag, a hash, an address in any format, or the name of a token. */
export async function search(query: string, source: Source): Promise<Found> {
  const plain = query.trim()
  const digits = plain.replaceAll(/(?<=\d)[ ,._'’](?=\d{3})/g, '')
  if (/^\d{1,15}$/.test(digits)) return { path: `/block/${Number(digits)}` }
  const tag = plain.toLowerCase()
  if (['latest', 'head', 'newest'].includes(tag)) return { path: `/block/${await source.head()}` }
  if (['finalized', 'solid', 'solidified', 'safe'].includes(tag))
    return { path: `/block/${await source.solid()}` }
  if (['earliest', 'genesis'].includes(tag)) return { path: '/block/0' }
  if (/^(0x)?[0-9a-f]{64}$/i.test(plain)) {
    const hash: Hash = `0x${tag.replace(/^0x/, '')}`
    const block = await source.ask('eth_getBlockByHash', hash, false)
    return { path: block ? `/block/${hash}` : `/tx/${hash}` }
  }
  const address = plain.length <= 44 ? parseAddress(plain) : undefined
  if (address) return { path: `/address/${address}` }
  if (/^0x[0-9a-f]{1,12}$/i.test(plain)) return { path: `/block/${Number(plain)}` }
  const tokens = plain.length > 1 && plain.length <= 48 ? await findTokens(plain, source) : []
  const [only] = tokens
  if (tokens.length === 1 && only?.contract) return { path: `/address/${only.contract}` }
  return { tokens }
}

async function findTokens(query: string, source: Source): Promise<FoundToken[]> {
  const text = query.toLowerCase()
  const to = await source.head()
  const [logs, { assetIssue = [] }] = await Promise.all([
    source.ask<RpcLog[]>('eth_getLogs', {
      fromBlock: numberToHex(Math.max(0, to - BLOCKS + 1)),
      toBlock: numberToHex(to),
      topics: [TRANSFER_TOPIC],
    }),
    source.wallet.getAssetIssueListByName({ value: Buffer.from(query).toString('hex') }),
  ])
  const contracts = [...new Set(logs.map(({ address }) => address))].slice(-MOST)
  const known = await Promise.all(
    contracts.map(async (contract) => ({ contract, token: await tokenInList(contract, source) })),
  )
  const ofContracts = known.flatMap(({ contract, token }) =>
    token && [token.name, token.symbol].some((name) => name.toLowerCase().includes(text))
      ? [{ name: token.name, symbol: token.symbol, contract }]
      : [],
  )
  return [...ofContracts, ...assetIssue.map(ofAsset)]
}

function ofAsset({ abbr, id, name, owner_address }: Asset): FoundToken {
  return {
    name: cleanText(hexText(name) ?? ''),
    symbol: cleanText(hexText(abbr) ?? '', 16),
    id,
    owner: `0x${owner_address.slice(2)}`,
  }
}
