import { coinText, parseUnits } from '../../../codec/coin.ts'
import { parseAddress } from '../../../lib/address.ts'
import { recoverSigners } from '../../../native/protobuf/signature.ts'
import {
  encodeTransaction,
  rawDataBytes,
  rawDataToJson,
} from '../../../native/protobuf/transaction.ts'
import { buildNative } from '../../../sdk/build.ts'
import { type Attempt, sendUntilKnown, UNCERTAIN } from '../../../sdk/unconfirmed.ts'
import { requestAt } from './pageRpc.ts'
import { quoteOf } from './sent.ts'

/** A wallet of this chain: TIP-1193, with the `tronWeb` that signs. Older wallets have only a part of it. */
export type NativeProvider = {
  request?(call: { method: string }): Promise<unknown>
  isTronLink?: boolean
  tronWeb?:
    | {
        defaultAddress?: { base58?: string | false }
        trx: { sign(transaction: object): Promise<{ signature?: readonly string[] } | undefined> }
      }
    | false
}

/** What a visitor wants to send. The amount is in sun. */
export type Wanted = { to: `0x${string}`; data?: `0x${string}`; value: bigint }

/** Asks a wallet for its account. @throws Error when the visitor or the wallet refuses */
export async function connectNative(wallet: NativeProvider): Promise<`0x${string}`> {
  let answer: unknown
  try {
    answer = await wallet.request?.({ method: 'eth_requestAccounts' })
  } catch (error) {
    // Wallets before TIP-1193 have their own method, and answer with a code.
    if ((error as { code?: unknown }).code === 4001) throw error
    answer = await wallet.request?.({ method: 'tron_requestAccounts' })
  }
  const { code, message } = (answer ?? {}) as { code?: number; message?: string }
  if (code !== undefined && code !== 200)
    throw new Error(message ?? 'The wallet refused to connect.')
  const given: unknown = Array.isArray(answer)
    ? answer[0]
    : wallet.tronWeb && wallet.tronWeb.defaultAddress?.base58
  const address = typeof given === 'string' ? parseAddress(given) : undefined
  if (!address) throw new Error('The wallet named no account. Is it locked?')
  return address
}

/**
 * Sends a transaction of a native wallet: the gateway builds it, it is compared here with what is wanted, the wallet signs it, and
 * the gateway broadcasts it. Resolves with its hash when the gateway has accepted it.
 *
 * @param quoted - called with the cost in words before the wallet is asked
 * @throws Error when it would fail, differs from what is wanted, is signed by another account, or is refused
 */
export async function sendNative(
  wallet: NativeProvider,
  { data, to, value }: Wanted,
  quoted: (words: string) => void,
): Promise<`0x${string}`> {
  const from = await connectNative(wallet)
  const call = { from, to, value, ...(data && { data }) }
  const { gas, price, words } = await quoteOf('/', call)
  quoted(words)
  const built = await buildNative(request, { ...call, gas, gasPrice: price })
  const raw_data_hex = built.native
  const raw_data = rawDataToJson(rawDataBytes({ raw_data_hex }))
  const unsigned = { visible: false, txID: built.id.slice(2), raw_data, raw_data_hex }
  if (!wallet.tronWeb) throw new Error('The wallet cannot sign. Is it locked?')
  const { signature } = (await wallet.tronWeb.trx.sign(unsigned)) ?? {}
  // The bytes that were checked are sent, whatever the wallet returns with its signature.
  const signed = { raw_data_hex, signature: signature ?? [] }
  const signers = recoverSigners(signed).map((signer) => parseAddress(signer))
  if (signers.length !== 1 || signers[0] !== from)
    throw new Error('The wallet signed another transaction, or with another account.')
  const bytes = `0x${encodeTransaction(signed)}`
  await sendUntilKnown(built, () => attempt(bytes))
  return built.id
}

async function attempt(bytes: string): Promise<Attempt> {
  try {
    await request('eth_sendRawTransaction', [bytes])
    return { accepted: true }
  } catch (error) {
    const { code } = error as { code?: number }
    return code === undefined || UNCERTAIN.has(code) ? { unknown: error } : { refused: error }
  }
}

const request = requestAt('/')

/** An amount of coins that a visitor typed, in sun. @throws Error */
export function toSun(coins: string): bigint {
  const sun = parseUnits(coins, 6)
  if (sun === undefined) throw new Error('Coins: expected a number with at most 6 decimals.')
  return sun
}

/** The balance of an account, in coins. */
export async function coinsOf(account: `0x${string}`): Promise<string> {
  return coinText(BigInt(String(await request('eth_getBalance', [account, 'latest']))), 6)
}

/** An address in any format. @throws Error */
export function toEthereum(address: string): `0x${string}` {
  const parsed = parseAddress(address.trim())
  if (parsed) return parsed
  throw new Error('To: expected an address as 0x…, 41… or T….')
}
