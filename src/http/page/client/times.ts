import { relative } from '../format.ts'
import { each } from './dom.ts'

/** Writes every time anew: how far it is from now, or the exact time. */
export function renewTimes(): void {
  const isExact = document.documentElement.classList.contains('exact-times')
  const now = Date.now() / 1_000
  each('[data-at]', (time) => {
    const exact = isExact ? time.dataset['utc'] : undefined
    const text = exact ?? relative(now - Number(time.dataset['at']))
    if (time.textContent !== text) time.textContent = text
  })
}
