import type { Fork } from '../fork/open.ts'
import type { Params } from './request.ts'

/** A request of the native interface, with the data that decides whether the forked node answers it. */
type Request = {
  name: string
  params: Params
  /** Height of the newest block of the request's prefix. */
  newest: number
  /** Whether this chain has a transaction, in a block or in its pool. */
  isOwn: (transaction: string) => boolean
  /** Answers a request for blocks from this chain only. */
  own: (startNum: number, endNum: number) => Promise<unknown>
}

/** Maximum number of blocks of one request. */
const MAX_BLOCKS = 100

/**
 * Answers requests for blocks up to the fork block and for their content from the forked node. Undefined for other
 * requests.
 *
 * @throws UpstreamError, NodeRefusedError
 */
export async function passThrough(fork: Fork, request: Request): Promise<unknown> {
  const { isOwn, name, newest, own, params } = request
  const last = fork.block.header.number
  const spelled = (body: object) => ({ ...body, visible: params.visible })
  const ask = (body: object, operation = name) => fork.ask(operation, spelled(body))
  const numbered = (member: string) => Number(params.int(member)) <= last

  /** The blocks from `start` to `end`: first those of the node, then those of this chain. */
  async function range(start: number, end: number): Promise<unknown> {
    const early = (await ask(
      { startNum: Math.max(0, start), endNum: Math.min(end, last + 1) },
      'getblockbylimitnext',
    )) as { block?: unknown[] }
    const late = end > last + 1 ? ((await own(last + 1, end)) as { block?: unknown[] }) : {}
    return { block: [...(early.block ?? []), ...(late.block ?? [])] }
  }

  switch (name) {
    case 'getnowblock':
      return newest === last ? fork.askOnce('getblockbynum', spelled({ num: last })) : undefined
    case 'getblockbynum':
    case 'gettransactioninfobyblocknum':
    case 'gettransactioncountbyblocknum':
      return numbered('num') ? ask({ num: Number(params.int('num')) }) : undefined
    case 'getblock': {
      const detail = params.flag('detail')
      const selector = params.text('id_or_num')
      if (selector === '' && newest === last)
        return fork.askOnce(name, spelled({ id_or_num: String(last), detail }))
      return heightOf(selector) <= last ? ask({ id_or_num: selector, detail }) : undefined
    }
    case 'getblockbyid': {
      const value = params.hex('value')
      return heightOf(value) <= last ? ask({ value }) : undefined
    }
    case 'getblockbylimitnext': {
      const start = Number(params.int('startNum'))
      const end = Number(params.int('endNum'))
      const isValid = start >= 0 && end > start && end - start <= MAX_BLOCKS
      return isValid && start <= last ? range(start, end) : undefined
    }
    case 'getblockbylatestnum': {
      const count = Number(params.int('num'))
      const start = newest + 1 - count
      return count > 0 && count < MAX_BLOCKS && start <= last ? range(start, newest + 1) : undefined
    }
    case 'gettransactionbyid':
    case 'gettransactioninfobyid': {
      const value = params.hex('value')
      if (isOwn(value)) return undefined
      const info = (await ask({ value }, 'gettransactioninfobyid')) as { blockNumber?: number }
      // This chain does not have the node's transactions after the fork.
      if (info.blockNumber === undefined || info.blockNumber > last) return {}
      return name === 'gettransactioninfobyid' ? info : ask({ value })
    }
    case 'getblockbalance':
      return numbered('number')
        ? ask({ hash: params.hex('hash'), number: Number(params.int('number')) })
        : undefined
    case 'getaccountbalance': {
      const block = params.json['block_identifier'] as { number?: number } | undefined
      // This chain may have changed the balance after the fork block.
      return block && (block.number ?? 0) < last ? ask(params.json) : undefined
    }
    default:
      return undefined
  }
}

/** The height in a block number or id; infinite for any other text. */
function heightOf(selector: string): number {
  if (/^\d{1,15}$/.test(selector)) return Number(selector)
  if (/^[\da-f]{64}$/i.test(selector)) return Number.parseInt(selector.slice(0, 16), 16)
  return Infinity
}
