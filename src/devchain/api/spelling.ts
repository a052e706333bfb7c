import { toBase58 } from '../../lib/base58.ts'

const TEXTS = new Set([
  'account_name',
  'asset_issued_name',
  'abbr',
  'description',
  'message',
  'note',
  'resMessage',
])

const LISTS_OF_ADDRESSES = new Set(['approvals', 'toAccounts', 'fromAccounts', 'approved_list'])

const isAddressName = (name: string) =>
  name.endsWith('_address') ||
  name.endsWith('Address') ||
  name === 'address' ||
  name === 'account' ||
  name === 'from' ||
  name === 'to'

/** An answer in the `visible` format: base58 addresses and plain text. `alsoTexts` names further text members. */
export function spell(
  answer: unknown,
  visible: boolean,
  alsoTexts: readonly string[] = [],
): unknown {
  if (!visible) return answer
  const walk = (value: unknown, name: string): unknown => {
    if (Array.isArray(value))
      return value.map((item) => walk(item, LISTS_OF_ADDRESSES.has(name) ? 'address' : name))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, walk(item, name)]),
      )
    if (typeof value !== 'string') return value
    if (isAddressName(name) && /^41[\da-f]{40}$/.test(value)) return toBase58(value)
    if (TEXTS.has(name) || alsoTexts.includes(name)) return Buffer.from(value, 'hex').toString()
    return value
  }
  return walk(answer, '')
}
