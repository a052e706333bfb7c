import { parseUnits } from '../../../codec/coin.ts'
import { create, each, find, parsed } from './dom.ts'
import { quoteOf, sentLink, showOutcome } from './sent.ts'
import { findWallets, nativeSending, useChain, type Wallet } from './wallets.ts'

/** Decodes the custom error of a transaction with an ABI that the visitor gives. */
export function startError(): void {
  const form = document.querySelector<HTMLFormElement>('#error-form')
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    void showOutcome(decode(), find('#error-answer'))
  })

  async function decode(): Promise<string> {
    let abi: unknown
    try {
      abi = JSON.parse(find<HTMLTextAreaElement>('#error-abi').value)
    } catch {
      throw new Error('This is no ABI: expected JSON.')
    }
    const { error, value } = await post('/page/error', { abi, data: form?.dataset['error'] })
    if (error !== undefined) throw new Error(error)
    return value ?? ''
  }
}

/** The functions of a contract: answers in place, writes with a wallet, and an ABI that the browser keeps. */
export function startContract(): void {
  const tab = document.querySelector<HTMLElement>('#contract')
  if (!tab) return
  const address = (tab.dataset['address'] ?? '0x') as `0x${string}`
  const wallets: Wallet[] = []
  const shown = () => {
    offerWallets(wallets)
    void readAll(tab, address)
  }
  startAbi(address, shown)
  shown()
  findWallets((wallet) => {
    if (wallet.native) wallets.unshift(wallet)
    else wallets.push(wallet)
    offerWallets(wallets)
  })
  tab.addEventListener('click', ({ target }) => {
    const button = (target as HTMLElement).closest<HTMLElement>('[data-times]')
    if (!button) return
    const input = find<HTMLInputElement>('input', button.parentElement ?? tab)
    // Other text stays.
    input.value = String(parseUnits(input.value, Number(button.dataset['times'])) ?? input.value)
  })
  tab.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement
    if (!form.dataset['entry']) return
    event.preventDefault()
    const output = find('output', form)
    const chain = JSON.parse(tab.dataset['wallet'] ?? '{}') as { chainId: string }
    const work =
      form.dataset['writes'] === undefined
        ? read(form, address)
        : write(form, address, chosen(wallets), chain, output)
    void showOutcome(work, output)
  })
}

/** Functions without parameters that are called when the page opens. The visitor pays for each. */
const MOST_READ = 20

/** Calls the functions without parameters, one after the other. */
async function readAll(tab: HTMLElement, address: string): Promise<void> {
  const forms = [...tab.querySelectorAll<HTMLFormElement>('form.call:not([data-writes])')]
  for (const form of forms
    .filter((one) => !one.querySelector('[name="arg"]') && !find('output', one).textContent)
    .slice(0, MOST_READ))
    await showOutcome(read(form, address), find('output', form))
}

async function read(form: HTMLFormElement, address: string): Promise<string> {
  const { error, value } = await post(`/page/call/${address}`, requestOf(form))
  if (error !== undefined) throw new Error(error)
  return value ?? ''
}

/** Sends a transaction with the wallet, and shows its outcome when it is in a block. */
async function write(
  form: HTMLFormElement,
  to: `0x${string}`,
  wallet: Wallet | undefined,
  chain: { chainId: string },
  output: HTMLElement,
): Promise<Node> {
  if (!wallet) throw new Error('No wallet was found in this browser.')
  const { data, error } = await post('/page/encode', requestOf(form))
  if (error !== undefined) throw new Error(error)
  const coins = form.querySelector<HTMLInputElement>('[name="coins"]')?.value ?? '0'
  let words = ''
  const quoted = (text: string) => {
    words = text
    output.textContent = `${words} …`
  }
  if (wallet.native) {
    const { sendNative, toSun } = await nativeSending()
    const hash = await sendNative(
      wallet.native,
      { to, ...(data && { data }), value: toSun(coins) },
      quoted,
    )
    return sentLink(words, hash, output)
  }
  const { provider } = wallet
  const [from = '0x'] = (await provider.request({
    method: 'eth_requestAccounts',
  })) as `0x${string}`[]
  assertMaySend(from)
  await useChain(provider, chain)
  const call = { from, to, ...(data && { data }), value: toWei(coins) }
  const quote = await quoteOf('/wei', call).catch((cause: unknown) => {
    // Without a quote the wallet estimates.
    if ((cause as { code?: number }).code === 3) throw cause
    return undefined
  })
  if (quote) quoted(quote.words)
  const hash = String(
    await provider.request({
      method: 'eth_sendTransaction',
      params: [
        {
          ...call,
          value: hex(call.value),
          ...(quote && quote.gas > 0n && { gas: hex(quote.gas) }),
        },
      ],
    }),
  )
  return sentLink(words, hash, output)
}

const hex = (value: bigint) => `0x${value.toString(16)}`

/** The accounts whose transactions of Ethereum the gateway takes. */
function senders(): 'all' | string[] {
  const text = document.querySelector<HTMLElement>('#wallets')?.dataset['senders']
  return JSON.parse(text ?? '"all"') as 'all' | string[]
}

/** @throws Error before the wallet is asked to sign what the chain cannot use */
function assertMaySend(from: string): void {
  const known = senders()
  if (known === 'all' || known.some((one) => one.toLowerCase() === from.toLowerCase())) return
  throw new Error(
    `This gateway does not hold the key of ${from}, and the chain does not accept its Ethereum signature. See “Sending transactions” of the documentation`,
  )
}

function requestOf(form: HTMLFormElement) {
  const args = [...form.querySelectorAll<HTMLInputElement>('[name="arg"]')].map(
    ({ value }) => value,
  )
  return { entry: JSON.parse(form.dataset['entry'] ?? '{}') as unknown, args }
}

function toWei(coins: string): bigint {
  const wei = parseUnits(coins, 18)
  if (wei === undefined) throw new Error('coins to send: expected a number')
  return wei
}

type Answer = { error?: string; value?: string; data?: `0x${string}` }

async function post(path: string, body: unknown): Promise<Answer> {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) })
  return (await response.json()) as Answer
}

/** Offers the wallets, those of this chain first, and switches writing off while none of them can send. */
function offerWallets(wallets: readonly Wallet[]): void {
  each('#wallets', (place) => {
    if (wallets.length === 0) return
    const select = create('select', { id: 'wallet' })
    for (const { info } of wallets) select.append(create('option', {}, info.name))
    const label = create('label', { htmlFor: 'wallet' }, 'Wallet')
    const reason = create('span', { className: 'quiet' })
    select.addEventListener('change', () => update(wallets, reason))
    place.replaceChildren(label, select, reason)
    update(wallets, reason)
  })
  if (wallets.length === 0) allowWrites(false)
}

function update(wallets: readonly Wallet[], reason: HTMLElement): void {
  const canSend = chosen(wallets)?.native !== undefined || senders().length > 0
  reason.textContent = canSend
    ? ''
    : 'This wallet cannot send here: the gateway holds none of its keys.'
  allowWrites(canSend)
}

function allowWrites(isOn: boolean): void {
  each('[data-writes] [type=submit]', (button) => ((button as HTMLButtonElement).disabled = !isOn))
}

function chosen(wallets: readonly Wallet[]): Wallet | undefined {
  return wallets[document.querySelector<HTMLSelectElement>('#wallet')?.selectedIndex ?? 0]
}

/** Replaces the functions by those of an ABI that the visitor gives. @param shown - called when they are replaced */
function startAbi(address: string, shown: () => void): void {
  const key = `abi ${address.toLowerCase()}`
  const form = find<HTMLFormElement>('#abi-form')
  const text = find<HTMLTextAreaElement>('#abi-text')
  const file = find<HTMLInputElement>('#abi-file')
  const forget = find<HTMLButtonElement>('#abi-forget')

  async function show(abi: string): Promise<boolean> {
    const response = await fetch(`/page/functions/${address}`, { method: 'POST', body: abi })
    if (!response.ok) {
      const { error } = (await response.json().catch(() => ({}))) as Answer
      find('#abi-answer').textContent = error ?? 'The ABI is too large.'
      return false
    }
    find('#abi-answer').textContent = ''
    find('#functions').replaceChildren(...parsed(await response.text()))
    forget.hidden = false
    shown()
    return true
  }

  file.addEventListener('change', () => {
    void file.files?.[0]?.text().then((content) => (text.value = content))
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void show(text.value).then((isGood) => isGood && localStorage.setItem(key, text.value))
  })
  forget.addEventListener('click', () => {
    localStorage.removeItem(key)
    location.reload()
  })
  const kept = localStorage.getItem(key)
  if (kept === null) return
  text.value = kept
  void show(kept)
}
