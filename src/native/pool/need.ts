/** What a node must have to answer a call. */
export type Need =
  /** The newest block: the pool chooses which node's. */
  | { kind: 'head'; solid: boolean }
  /** The newest (or newest solidified) state. */
  | { kind: 'state'; solid: boolean }
  /** A block of this height, or what is stored with it. */
  | { kind: 'block'; number: number; solid: boolean }
  /** Something that is looked up by hash and may be anywhere. */
  | { kind: 'lookup'; solid: boolean }
  /** Recorded balances of past blocks. */
  | { kind: 'balances' }
  /** One and the same node for as long as it answers: what it says belongs to what it said before. */
  | { kind: 'same' }

/** Operations whose answer "there is none" is doubted while another node can be asked. */
const DOUBTED = new Set([
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

/** Whether "there is none" is asked of a second node before it is believed. */
export function isDoubted(operation: string): boolean {
  return DOUBTED.has(operation)
}

/** What a call needs, from its operation and its arguments. @param solid - whether it is asked of `/walletsolidity` */
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
      return { kind: 'state', solid }
  }
}

function blockNeed(number: number | undefined, solid: boolean): Need {
  return number === undefined ? { kind: 'state', solid } : { kind: 'block', number, solid }
}

/** A height from a number, decimal text, or a block hash: its first eight bytes. */
function heightOf(value: unknown): number | undefined {
  const text = String(value)
  const number = text.length === 64 ? Number.parseInt(text.slice(0, 16), 16) : Number(text)
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

function argumentsOf(body: string | undefined): Record<string, unknown> {
  if (body === undefined || body === '') return {}
  try {
    return JSON.parse(body) as Record<string, unknown>
  } catch {
    return {}
  }
}
