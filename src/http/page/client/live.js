/** Milliseconds before a lost socket is opened again. They double up to the second value. */
const RETRY = [1000, 30000]
const STATE_INTERVAL = 5000
/** Keeps heads, blocks, times and the state page current without a reload. */
export function startLive() {
  if (document.body.dataset['chainId']) connect(RETRY[0])
  setInterval(renewTimes, 1000)
  if (document.querySelector('[data-live="state"]'))
    setInterval(() => void renew('state', '/page/state'), STATE_INTERVAL)
}
/** Follows new heads over the gateway’s own WebSocket. */
function connect(delay) {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/ws`)
  let next = Math.min(delay * 2, RETRY[1])
  socket.addEventListener('open', () => {
    next = RETRY[0]
    socket.send(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }),
    )
  })
  socket.addEventListener('message', ({ data }) => {
    const { params } = JSON.parse(String(data))
    const number = params?.result?.number
    if (number) showHead(Number(number))
  })
  socket.addEventListener('close', () => setTimeout(() => connect(next), delay))
}
function showHead(number) {
  for (const output of document.querySelectorAll('[data-live="head"]'))
    output.textContent = number.toLocaleString('en')
  const first = !new URLSearchParams(location.search).has('to')
  if (first && document.querySelector('[data-live="blocks"]')) void renew('blocks', '/page/blocks')
}
/** Replaces a part of the page by a new rendering. Keeps the old part if the request fails. */
async function renew(name, path) {
  const part = document.querySelector(`[data-live="${name}"]`)
  if (!part || document.hidden) return
  try {
    const response = await fetch(path)
    if (!response.ok) return
    const parsed = new DOMParser().parseFromString(await response.text(), 'text/html')
    const fresh = parsed.querySelector(`[data-live="${name}"]`) ?? parsed.body
    part.replaceChildren(...fresh.childNodes)
  } catch {
    // The gateway may be restarting: the next refresh tries again.
  }
}
function renewTimes() {
  const now = Date.now() / 1000
  for (const time of document.querySelectorAll('time[data-ago]')) {
    const passed = Math.max(0, now - Number(time.dataset['ago']))
    if (passed < 60 && !time.textContent?.includes('('))
      time.textContent = `${Math.round(passed)} s ago`
  }
}
