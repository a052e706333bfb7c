/** What a node must have to answer a call. */
export type Need =
  /** The newest block: the pool chooses which node's. */
  | { kind: 'head'; solid: boolean }
  /** The newest (or newest solidified) state. */
  | { kind: 'state'; solid: boolean }
  /** A block of this height, or data of that block. */
  | { kind: 'block'; number: number; solid: boolean }
  /** Data that is looked up by hash, at an unknown height. */
  | { kind: 'lookup'; solid: boolean }
  /** Recorded balances of past blocks. */
  | { kind: 'balances' }
  /** Always the same node while it answers, because its answers depend on each other. */
  | { kind: 'same' }

/** Operations whose "not found" answer is confirmed by another node, if there is one. */
const CONFIRMED = new Set([
  'getaccount',
  'getblock',
  'getblockbyid',
  'getblockbynum',
  'getcontract',
  'getcontractinfo',
  'gettransactionbyid',
  'gettransactioninfobyblocknum',
  'gettransactioninfobyid',
  'gettransactionreceiptbyid',
])

/** Whether another node must confirm a "not found" answer to this operation. */
export function needsConfirmation(operation: string): boolean {
  return CONFIRMED.has(operation)
}

/** What a call needs, from its operation and its arguments. @param solid - whether the call goes to `/walletsolidity` */
export function needOf(
  operation: string,
  solid: boolean,
  kind: 'read' | 'build' | 'send',
  body: string | undefined,
): Need {
  if (kind === 'build') return { kind: 'same' }
  switch (operation) {
    case 'getnowblock':
      return { kind: 'head', solid }
    case 'getblock': {
      const selector = argumentsOf(body)['id_or_num']
      if (selector === undefined || selector === '') return { kind: 'head', solid }
      return blockNeed(heightOf(selector), solid)
    }
    case 'getblockbynum':
    case 'gettransactioninfobyblocknum':
    case 'gettransactioncountbyblocknum':
      return blockNeed(heightOf(argumentsOf(body)['num'] ?? 0), solid)
    case 'getblockbyid':
      return blockNeed(heightOf(argumentsOf(body)['value']), solid)
    case 'getblockbylimitnext': {
      const end = heightOf(argumentsOf(body)['endNum'])
      return blockNeed(end === undefined ? undefined : end - 1, solid)
    }
    case 'gettransactionbyid':
    case 'gettransactioninfobyid':
    case 'gettransactionreceiptbyid':
      return { kind: 'lookup', solid }
    case 'getaccountbalance':
    case 'getblockbalance':
      return { kind: 'balances' }
    default:
      return solid ? SOLID_STATE : STATE
  }
}

const STATE: Need = { kind: 'state', solid: false }
const SOLID_STATE: Need = { kind: 'state', solid: true }

function blockNeed(number: number | undefined, solid: boolean): Need {
  if (number !== undefined) return { kind: 'block', number, solid }
  return solid ? SOLID_STATE : STATE
}

/** A height from a number, decimal text, or a block hash: its first eight bytes. */
function heightOf(value: unknown): number | undefined {
  // A client may send an object or a list, and turning one into text can throw.
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value)
  const number = text.length === 64 ? Number.parseInt(text.slice(0, 16), 16) : Number(text)
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

function argumentsOf(body: string | undefined): Record<string, unknown> {
  if (body === undefined || body === '') return {}
  try {
    return (JSON.parse(body) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
