import type { NativeReply } from '../transport/transport.ts'
import { tryParseNative } from '../wire/json.ts'
import { needOf } from './need.ts'

/**
 * Whether an answer can never change, because it is about blocks up to the solidified one. Unknown things and errors may come
 * to be known.
 *
 * @param newest - height of the solidified block.
 */
export function immutableUpTo(
  operation: string,
  path: string,
  body: string | undefined,
  { parsed, status, text }: NativeReply,
  newest: number,
): boolean {
  if (status !== 200 || !KEPT.has(operation)) return false
  const value = parsed ?? tryParseNative(text)
  if (typeof value !== 'object' || value === null || 'Error' in value) return false
  if (Object.keys(value).length === 0) return false
  if (operation === 'gettransactioninfobyid')
    return Number((value as { blockNumber?: unknown }).blockNumber ?? Infinity) <= newest
  const need = needOf(operation, false, 'read', body ?? queryOf(path))
  if (need.kind !== 'block' || need.number > newest) return false
  // A range may have lacked its last blocks at the time.
  if (operation !== 'getblockbylimitnext') return true
  const blocks = (value as { block?: BlockShape[] }).block ?? []
  // A client may ask for integers as texts, see `asksForTexts`.
  return Number(blocks.at(-1)?.block_header?.raw_data?.number) === need.number
}

type BlockShape = { block_header?: { raw_data?: { number?: unknown } } }

/** The query of a GET request as the body that a POST would have. */
export function queryOf(path: string): string | undefined {
  const at = path.indexOf('?')
  if (at === -1) return undefined
  return JSON.stringify(Object.fromEntries(new URLSearchParams(path.slice(at))))
}

const KEPT = new Set([
  'getblock',
  'getblockbyid',
  'getblockbylimitnext',
  'getblockbynum',
  'gettransactioninfobyblocknum',
  'gettransactioninfobyid',
])
