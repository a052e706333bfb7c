import { coinText, grouped } from '../../../codec/coin.ts'
import { type QuotedCall, readQuote } from '../../../sdk/quote.ts'
import { create } from './dom.ts'
import { requestAt, rpc } from './pageRpc.ts'

/** Milliseconds between two requests for the receipt of a transaction, and their maximum number. */
const RECEIPT_INTERVAL = 2_000
const RECEIPT_LOOKS = 60

/** What a refusal of the gateway names for more. Here a page says it. */
const DOCS = / See “Sending transactions” of the documentation$/

/** Shows the outcome of a call or a transaction, or its error. */
export async function showOutcome(
  work: Promise<Node | string>,
  output: HTMLElement,
): Promise<void> {
  output.className = 'quiet'
  output.textContent = '…'
  try {
    const answer = await work
    output.className = 'hex'
    output.replaceChildren(answer)
  } catch (error) {
    const { message } = error as Error
    output.className = 'bad'
    output.textContent = message.replace(DOCS, ' ')
    if (DOCS.test(message))
      output.append(create('a', { href: '/connect#native' }, 'How to send here'))
  }
}

/** What a transaction costs, as text, and the energy that its safe fee limit pays for. @throws Error when it would revert */
export async function quoteOf(
  path: '/' | '/wei',
  call: QuotedCall,
): Promise<{ words: string; gas: bigint; price: bigint }> {
  const { coins, energy, feeLimit } = await readQuote(requestAt(path), call)
  const parts = (
    [
      ['fromCreator', 'from the creator’s stake'],
      ['fromSender', 'from your stake'],
      ['burned', 'burned'],
    ] as const
  ).flatMap(([name, text]) => (energy[name] > 0n ? [`${grouped(energy[name])} ${text}`] : []))
  const used = parts.length > 0 ? ` for ${grouped(energy.total)} energy (${parts.join(', ')})` : ''
  const limit = feeLimit > 0n ? `; safe fee limit ${coinText(feeLimit, path === '/' ? 6 : 18)}` : ''
  const { price } = energy
  return {
    words: `Fee about ${coins} coins${used}${limit}.`,
    gas: price > 0n ? (feeLimit + price - 1n) / price : 0n,
    price,
  }
}

/** What was sent, as a link. Its outcome is added to `output` when it is in a block. */
export function sentLink(words: string, hash: string, output: HTMLElement): Node {
  void follow(hash, output)
  return create('span', {}, `${words} Sent: `, create('a', { href: `/tx/${hash}` }, hash))
}

async function follow(hash: string, output: HTMLElement): Promise<void> {
  for (let look = 0; look < RECEIPT_LOOKS; look++) {
    await new Promise((resolve) => setTimeout(resolve, look === 0 ? 100 : RECEIPT_INTERVAL))
    const { result } = await rpc('eth_getTransactionReceipt', [hash])
    if (!result) continue
    const isGood = (result as { status: string }).status === '0x1'
    const badge = create('span', { className: `badge ${isGood ? 'good' : 'bad'}` })
    badge.textContent = isGood ? 'success' : 'failed'
    output.append(' ', badge)
    return
  }
}
