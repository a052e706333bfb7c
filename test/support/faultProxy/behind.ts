import { parseNative, stringifyNative } from '../../../src/native/wire/json.ts'
import type { Block, TransactionInfo } from '../../../src/native/wire/types.ts'
import type { ProxyReply, ProxyRequest } from './exchange.ts'

type Ask = (request: ProxyRequest) => Promise<ProxyReply>

/**
 * Answers as a node whose newest block is `height`: blocks above it, and transactions in them, are unknown. State reads
 * pass unchanged, because a node does not answer past states.
 */
export async function answerBehind(
  request: ProxyRequest,
  height: number,
  ask: Ask,
): Promise<ProxyReply> {
  const [, prefix = 'wallet', name = ''] = (request.path.split('?')[0] ?? '').split('/')
  const params = (request.body === '' ? {} : JSON.parse(request.body)) as Record<string, unknown>
  const blockAtHeight = () => ask(post('wallet', 'getblock', { id_or_num: `${height}` }))

  switch (name) {
    case 'getnowblock':
      return ask(post(prefix, 'getblockbynum', { num: height }))
    case 'getblock': {
      const { detail = false, id_or_num } = params as { detail?: boolean; id_or_num?: string }
      if (id_or_num === undefined || id_or_num === '')
        return ask(post(prefix, 'getblock', { id_or_num: `${height}`, detail }))
      return numberOf(id_or_num) > height ? UNKNOWN : ask(request)
    }
    case 'getblockbynum':
    case 'gettransactioninfobyblocknum':
      if (Number(params['num'] ?? 0) <= height) return ask(request)
      return name === 'getblockbynum' ? UNKNOWN : NONE
    case 'getblockbyid':
      return numberOf(String(params['value'])) > height ? UNKNOWN : ask(request)
    case 'getblockbylimitnext':
    case 'getblockbylatestnum':
      return withoutNewer(await ask(request), height)
    case 'gettransactioninfobyid':
      return (await isNewer(params['value'], height, ask)) ? UNKNOWN : ask(request)
    case 'gettransactionbyid':
      return (await isNewer(params['value'], height, ask)) ? UNKNOWN : ask(request)
    case 'getnodeinfo': {
      const { blockID } = parseNative((await blockAtHeight()).text) as Block
      const info = parseNative((await ask(request)).text) as Record<string, unknown>
      return reply({ ...info, block: `Num:${height},ID:${blockID}` })
    }
    default:
      return ask(request)
  }
}

const UNKNOWN: ProxyReply = { status: 200, text: '{}\n' }
const NONE: ProxyReply = { status: 200, text: '[]\n' }

function post(prefix: string, name: string, body: object): ProxyRequest {
  return { method: 'POST', path: `/${prefix}/${name}`, body: JSON.stringify(body) }
}

function reply(value: unknown): ProxyReply {
  return { status: 200, text: `${stringifyNative(value)}\n` }
}

/** A height from decimal text, or from a block hash, which begins with it. */
function numberOf(text: string): number {
  return text.length === 64 ? Number.parseInt(text.slice(0, 16), 16) : Number(text)
}

async function isNewer(value: unknown, height: number, ask: Ask): Promise<boolean> {
  const { text } = await ask(post('wallet', 'gettransactioninfobyid', { value }))
  return ((parseNative(text) as TransactionInfo).blockNumber ?? 0) > height
}

function withoutNewer({ status, text }: ProxyReply, height: number): ProxyReply {
  const answer = parseNative(text) as { block?: Block[] }
  if (status !== 200 || !answer.block) return { status, text }
  const block = answer.block.filter(
    ({ block_header }) => (block_header.raw_data.number ?? 0) <= height,
  )
  return reply({ ...answer, block })
}
