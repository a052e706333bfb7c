import { each, parsed } from './dom.ts'
import { renewTimes } from './times.ts'

/** Milliseconds before a lost socket is opened again. They double up to the second value. */
const RETRY = [1_000, 30_000] as const

/** Milliseconds between two readings of a part that no new head announces: the solidified block, the state. */
const INTERVAL = 5_000

/** Keeps heads, the start page, times and the state page current without a reload. */
export function startLive(): void {
  if (document.body.dataset['chainId']) connect(RETRY[0])
  setInterval(renewTimes, 1_000)
  setInterval(() => each('[data-live]', (part) => void renew(part.dataset['live'])), INTERVAL)
}

/** Follows new heads over the gateway’s own WebSocket. */
function connect(delay: number): void {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/ws`)
  let next: number = Math.min(delay * 2, RETRY[1])
  socket.addEventListener('open', () => {
    next = RETRY[0]
    socket.send(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }),
    )
  })
  socket.addEventListener('message', ({ data }) => {
    const { params } = JSON.parse(String(data)) as { params?: { result?: { number?: string } } }
    const number = params?.result?.number
    if (number) showHead(Number(number))
  })
  socket.addEventListener('close', () => setTimeout(() => connect(next), delay))
}

function showHead(number: number): void {
  each('[data-live="head"]', (output) => (output.textContent = number.toLocaleString('en')))
  void renew('home')
}

/** Replaces a part of the page by a new rendering. Keeps the old part if the request fails. */
async function renew(name: string | undefined): Promise<void> {
  const part = document.querySelector(`[data-live="${name}"]`)
  if (!part || name === 'head' || document.hidden) return
  // A visitor who follows a link with the keyboard keeps the focus.
  if (part.contains(document.activeElement)) return
  try {
    const response = await fetch(`/page/${name}`)
    if (!response.ok) return
    const [fresh] = parsed(await response.text())
    if (!(fresh instanceof HTMLElement)) return
    part.replaceWith(fresh)
    renewTimes()
  } catch {
    // The gateway may be restarting: the next reading tries again.
  }
}
