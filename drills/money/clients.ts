import { setTimeout as sleep } from 'node:timers/promises'

import { createWalletClient, fallback, type Hash, type Hex, http, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

import { encodeTransaction, signTransaction } from '../../src/sdk/client.ts'

/** Milliseconds after which a client that does not wait asks the next replica too. */
const IMPATIENCE = 300

/** Milliseconds that one answer may take. */
const DEADLINE = 60_000

/** Milliseconds between two looks at a transaction, and before the same bytes are sent again. */
const PAUSE = 1_500

/** Most transactions that a client signs for one payment, each after an error that says that the one before was refused. */
const MOST_SIGNED = 3

/** One payment of a client. `amount` distinguishes it from all others. */
export type Payment = { amount: number; from: Hash; to: Hex; urls: readonly string[] }

/** What a client was told. `hash` is the hash that it asks for the outcome. */
export type Told =
  | { kind: 'hash'; hash: Hash; replica: number }
  | { kind: 'refused'; hash?: Hash | undefined; text: string }
  | { kind: 'expired'; hash: Hash }
  | { kind: 'unconfirmed'; hash?: Hash | undefined; text: string }

/** A client: pays once, as its gateway tells it to, and returns what it was told, in order. */
export type Client = (payment: Payment) => Promise<Told[]>

type Answer = { result?: unknown; error?: { code: number; message: string } }

/** Calls a method. A connection that fails is an answer that says nothing. */
export async function ask(url: string, method: string, ...params: unknown[]): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(DEADLINE),
    })
    return (await response.json()) as Answer
  } catch (error) {
    return { error: { code: 0, message: `unconfirmed: ${String(error)}` } }
  }
}

/** A read that is repeated until it succeeds. */
async function read<result>(urls: readonly string[], method: string, ...params: unknown[]) {
  for (let tries = 0; ; tries++) {
    const { error, result } = await ask(urls[tries % urls.length] ?? '', method, ...params)
    if (!error) return result as result
    if (tries > 60) throw new Error(`${method}: ${error.message}`)
    await sleep(PAUSE / 3)
  }
}

/** What an error tells its reader to do. */
function meaning(text: string): 'look' | 'again' | 'refused' {
  if (/unconfirmed|may still be mined|did not confirm/i.test(text)) return 'look'
  if (/again|busy|unavailable|not reach|timed? ?out/i.test(text)) return 'again'
  return 'refused'
}

type State = { state: string }

/** Looks at a transaction until it is mined or has ended. */
async function outcome(urls: readonly string[], hash: Hash): Promise<'mined' | 'expired' | 'open'> {
  for (const began = performance.now(); performance.now() - began < 2 * DEADLINE;) {
    if (await read(urls, 'eth_getTransactionReceipt', hash)) return 'mined'
    const { state } = await read<State>(urls, 'ethgate_transactionStatus', hash)
    if (state === 'expired') return 'expired'
    await sleep(PAUSE)
  }
  return 'open'
}

/** Signs one payment. Returns the bytes and the hash that finds them. */
type Sign = (payment: Payment) => Promise<{ raw: Hex; hash: Hash }>

const ethereum: Sign = async ({ amount, from, to, urls }) => {
  const account = privateKeyToAccount(from)
  const [nonce, chainId, gasPrice] = await Promise.all([
    read<Hex>(urls, 'eth_getTransactionCount', account.address, 'pending'),
    read<Hex>(urls, 'eth_chainId'),
    read<Hex>(urls, 'eth_gasPrice'),
  ])
  const raw = await account.signTransaction({
    chainId: Number(chainId),
    gas: 100_000n,
    gasPrice: BigInt(gasPrice),
    nonce: Number(nonce),
    to,
    type: 'legacy',
    value: BigInt(amount),
  })
  return { raw, hash: keccak256(raw) }
}

const native: Sign = async ({ amount, from, to, urls }) => {
  const { transaction } = await read<{ transaction: { raw_data_hex: string; txID: string } }>(
    urls,
    'buildTransaction',
    { from: privateKeyToAccount(from).address, to, value: `0x${amount.toString(16)}` },
  )
  const signed = signTransaction({ raw_data_hex: transaction.raw_data_hex }, from)
  return { raw: `0x${encodeTransaction(signed)}`, hash: `0x${transaction.txID}` }
}

/** Sends bytes to one replica, and when `isImpatient` after 0.3 s to the next one too. The first hash counts. */
async function sendRaw({ urls }: Payment, raw: Hex, isImpatient: boolean) {
  const first = Math.floor(Math.random() * urls.length)
  const at = async (replica: number) => ({
    replica,
    ...(await ask(urls[replica] ?? '', 'eth_sendRawTransaction', raw)),
  })
  const attempts = [at(first)]
  if (isImpatient) attempts.push(sleep(IMPATIENCE).then(() => at((first + 1) % urls.length)))
  const answers = await Promise.all(attempts)
  // The client believes a hash; of two errors the last one.
  return answers.find(({ error }) => !error) ?? answers.at(-1)
}

/** A client with bytes of its own: asks again with the same bytes when it is told so, and signs anew after a refusal. */
const withBytes =
  (sign: Sign, isImpatient: boolean): Client =>
  async (payment) => {
    const told: Told[] = []
    for (let signed = 0; signed < MOST_SIGNED; signed++) {
      const { hash, raw } = await sign(payment)
      for (let tries = 0; ; tries++) {
        const answer = await sendRaw(payment, raw, isImpatient)
        const text = answer?.error?.message ?? ''
        if (!answer?.error) {
          told.push({ kind: 'hash', hash: answer?.result as Hash, replica: answer?.replica ?? 0 })
          return told
        }
        const isOver = tries > 4
        if (meaning(text) === 'refused') {
          told.push({ kind: 'refused', hash, text })
          break
        }
        told.push({ kind: 'unconfirmed', hash, text })
        await sleep(PAUSE)
        if (!isOver) continue
        const end = await outcome(payment.urls, hash)
        if (end !== 'expired') return told
        told.push({ kind: 'expired', hash })
        break
      }
    }
    return told
  }

/** A client of a managed account: sends again only after a refusal, or an error that says so. */
const managed: Client = async ({ amount, from, to, urls }) => {
  const told: Told[] = []
  const request = { from: privateKeyToAccount(from).address, to, value: `0x${amount.toString(16)}` }
  for (let signed = 0; signed < MOST_SIGNED; signed++) {
    const replica = Math.floor(Math.random() * urls.length)
    const { error, result } = await ask(urls[replica] ?? '', 'eth_sendTransaction', request)
    if (!error) return [...told, { kind: 'hash', hash: result as Hash, replica }]
    const text = error.message
    const hash = /0x[\da-f]{64}/.exec(text)?.[0] as Hash | undefined
    if (meaning(text) === 'look' || error.code === 0) {
      told.push({ kind: 'unconfirmed', hash, text })
      if (!hash || (await outcome(urls, hash)) !== 'expired') return told
      told.push({ kind: 'expired', hash })
    } else told.push({ kind: 'refused', hash, text })
    await sleep(PAUSE)
  }
  return told
}

/** viem with both replicas in one `fallback`. It never sends again itself. */
const viemFallback: Client = async ({ amount, from, to, urls }) => {
  const wallet = createWalletClient({ transport: fallback(urls.map((url) => http(url))) })
  try {
    const account = privateKeyToAccount(from).address
    const hash = await wallet.sendTransaction({ account, chain: null, to, value: BigInt(amount) })
    return [{ kind: 'hash', hash, replica: 0 }]
  } catch (error) {
    return [{ kind: 'unconfirmed', text: (error as Error).message }]
  }
}

/** The client that asks the next replica by itself. */
export const FALLBACK = 'eth_sendTransaction, viem fallback'

/** All kinds of clients, by name. */
export const clients: Record<string, Client> = {
  'Ethereum bytes': withBytes(ethereum, false),
  'Ethereum bytes, both replicas': withBytes(ethereum, true),
  'native bytes': withBytes(native, false),
  'native bytes, both replicas': withBytes(native, true),
  eth_sendTransaction: managed,
  [FALLBACK]: viemFallback,
}
