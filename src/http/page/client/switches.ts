import { each } from './dom.ts'
import { renewTimes } from './times.ts'

/** Switches of the whole page, by name: the class that they set on the document. The browser keeps them. */
const CLASSES: Readonly<Record<string, string>> = { addresses: 'native', times: 'exact-times' }

/** The switches between formats of addresses and times, and the key that leads to the search. */
export function startSwitches(): void {
  for (const name of Object.keys(CLASSES)) set(name, localStorage.getItem(name) === 'on')
  each('[data-switch]', (button) => {
    const name = button.dataset['switch'] ?? ''
    button.addEventListener('click', () => {
      const isOn = button.getAttribute('aria-pressed') !== 'true'
      localStorage.setItem(name, isOn ? 'on' : 'off')
      set(name, isOn)
    })
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).matches('input, textarea, select')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    document.querySelector<HTMLInputElement>('#search')?.focus()
  })
}

function set(name: string, isOn: boolean): void {
  document.documentElement.classList.toggle(CLASSES[name] ?? '', isOn)
  each(`[data-switch="${name}"]`, (button) => button.setAttribute('aria-pressed', String(isOn)))
  renewTimes()
}
