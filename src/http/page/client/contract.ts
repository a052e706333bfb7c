import { create, each, find, parsed } from './dom.ts'
import { rpc } from './rpc.ts'
import { findWallets, useChain, type Wallet } from './wallets.ts'

/** Milliseconds between two requests for the receipt of a transaction, and their maximum number. */
const RECEIPT_INTERVAL = 2_000
const RECEIPT_LOOKS = 60

/** The functions of a contract: answers in place, writes with a wallet, and an ABI that the browser keeps. */
export function startContract(): void {
  const tab = document.querySelector<HTMLElement>('#contract')
  if (!tab) return
  const address = tab.dataset['address'] ?? ''
  const wallets: Wallet[] = []
  startAbi(address, () => offerWallets(wallets))
  findWallets((wallet) => {
    wallets.push(wallet)
    offerWallets(wallets)
  })
  tab.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement
    if (!form.dataset['entry']) return
    event.preventDefault()
    const output = find('output', form)
    output.className = 'quiet'
    output.textContent = '…'
    const chain = JSON.parse(tab.dataset['wallet'] ?? '{}') as { chainId: string }
    const work =
      form.dataset['writes'] === undefined
        ? read(form, address)
        : write(form, address, chosen(wallets), chain, output)
    void show(work, output)
  })
}

/** Shows the outcome of a call, or its error. */
async function show(work: Promise<Node | string>, output: HTMLElement): Promise<void> {
  try {
    const answer = await work
    output.className = 'hex'
    output.replaceChildren(answer)
  } catch (error) {
    output.className = 'bad'
    output.textContent = (error as Error).message
  }
}

async function read(form: HTMLFormElement, address: string): Promise<string> {
  const { error, value } = await post(`/page/call/${address}`, requestOf(form))
  if (error !== undefined) throw new Error(error)
  return value ?? ''
}

/** Sends a transaction with the wallet, and shows its outcome when it is in a block. */
async function write(
  form: HTMLFormElement,
  to: string,
  wallet: Wallet | undefined,
  chain: { chainId: string },
  output: HTMLElement,
): Promise<Node> {
  if (!wallet) throw new Error('No wallet was found in this browser.')
  const { data, error } = await post('/page/encode', requestOf(form))
  if (error !== undefined) throw new Error(error)
  const { provider } = wallet
  const [from] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
  await useChain(wallet, chain)
  const coins = form.querySelector<HTMLInputElement>('[name="coins"]')?.value ?? '0'
  const value = `0x${toWei(coins).toString(16)}`
  const call = { from, to, data, value }
  const { gas, words } = await quoteOf(call)
  output.textContent = `${words} …`
  const hash = String(
    await provider.request({ method: 'eth_sendTransaction', params: [{ ...call, gas }] }),
  )
  void follow(hash, output)
  const link = create('a', { href: `/tx/${hash}` }, hash)
  return create('span', {}, `${words} Sent: `, link)
}

/** The parts of `ethgate_feeQuote` that are shown. Amounts in wei, coins as text. */
type Quote = {
  coins: string
  energy: Record<'total' | 'fromCreator' | 'fromSender' | 'burned' | 'price', string>
  feeLimit: string
}

/**
 * The cost of a transaction and who pays it, as text. `gas` is the energy that the safe fee limit pays for; the wallet sends it.
 * Without a quote the text is empty, and the wallet estimates. @throws Error when the transaction would revert
 */
async function quoteOf(call: object): Promise<{ words: string; gas?: string }> {
  const { error, result } = await rpc('ethgate_feeQuote', [call], '/wei')
  if (error?.code === 3) throw new Error(`It would fail: ${error.message}`)
  if (!result) return { words: '' }
  const { coins, energy, feeLimit } = result as Quote
  const some = (amount: string, from: string) =>
    BigInt(amount) > 0n ? [`${BigInt(amount).toLocaleString('en')} ${from}`] : []
  const parts = [
    ...some(energy.fromCreator, 'from the creator’s stake'),
    ...some(energy.fromSender, 'from your stake'),
    ...some(energy.burned, 'burned'),
  ]
  const limit = (Number(BigInt(feeLimit) / 10n ** 12n) / 1e6).toLocaleString('en', {
    maximumFractionDigits: 6,
  })
  const total = BigInt(energy.total).toLocaleString('en')
  const price = BigInt(energy.price)
  const gas = price > 0n ? (BigInt(feeLimit) + price - 1n) / price : 0n
  return {
    words: `Fee about ${coins} coins for ${total} energy (${parts.join(', ')}); safe fee limit ${limit} coins.`,
    ...(gas > 0n && { gas: `0x${gas.toString(16)}` }),
  }
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

function requestOf(form: HTMLFormElement) {
  const args = [...form.querySelectorAll<HTMLInputElement>('[name="arg"]')].map(
    ({ value }) => value,
  )
  return { entry: JSON.parse(form.dataset['entry'] ?? '{}') as unknown, args }
}

function toWei(coins: string): bigint {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(coins.trim()) ?? []
  if (whole === '') throw new Error('coins to send: expected a number')
  return BigInt(whole + fraction.padEnd(18, '0'))
}

type Answer = { error?: string; value?: string; data?: string }

async function post(path: string, body: unknown): Promise<Answer> {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) })
  return (await response.json()) as Answer
}

function offerWallets(wallets: readonly Wallet[]): void {
  each('#wallets', (place) => {
    if (wallets.length === 0) return
    const select = create('select', { id: 'wallet' })
    for (const { info } of wallets) select.append(create('option', {}, info.name))
    const label = create('label', { htmlFor: 'wallet' }, 'Wallet')
    place.replaceChildren(label, select)
  })
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
