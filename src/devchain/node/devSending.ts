import type { Hash, Hex } from 'viem'

import * as schemas from '../../codec/schemas.ts'
import type { Unit } from '../../codec/unit.ts'
import type { Config } from '../../config/config.ts'
import { RpcError } from '../../lib/errors.ts'
import { createQueue, type Queue } from '../../lib/queue.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import type { Context } from '../../rpc/context.ts'
import type { SendExecution } from '../../rpc/execution/execution.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { signedBytes } from '../../rpc/methods/eth_sendRawTransaction.ts'
import type { CallRequest } from '../../rpc/params/callParam.ts'
import { optional, quantity } from '../../rpc/params/params.ts'
import { sendRequest } from '../../rpc/params/sendParam.ts'
import type { ClientCall } from '../../rpc/request.ts'
import { looksLikeEthereum } from '../../sending/ethereumTransaction.ts'
import { type DevChain, type SignedEthereum, signEthereum, unsignedEthereum } from '../index.ts'
import type { Announcer } from './announce.ts'
import { transactionFailure } from './failures.ts'
import { createSigner, inUnit } from './signer.ts'

/** How long `eth_sendRawTransactionSync` waits for a block, milliseconds. Geth's default. */
const SYNC_TIMEOUT = 20_000n

/** Longest time of a timer, in milliseconds. A timer with a longer time fires at once. */
const MAX_TIMER = 2 ** 31 - 1

/**
 * Whether the client is Hardhat, which names itself in each request. Where its network has keys, it signs what its tests send, and
 * expects the errors of its own node. Other clients expect the hash, as on anvil.
 */
const isHardhat = ({ headers }: ClientCall): boolean =>
  /^hardhat\b/i.test(String(headers?.['user-agent'] ?? ''))

/** Sends Ethereum transactions, which the chain executes as their sender. */
export type DevSending = ReturnType<typeof createDevSending>

/** Creates the sending of a chain, for its own accounts and for impersonated ones. */
export function createDevSending(
  chain: DevChain,
  announcer: Pick<Announcer, 'announced' | 'answered' | 'defer'>,
) {
  const { ledger, unlocked } = chain
  const signer = createSigner(chain, unlocked)
  const { fill, prepare, read, senderOf, sign, signForClient } = signer
  const { rawReverts } = ledger.rules

  /** One for each sender with requests, and how many these are. */
  const queues = new Map<string, { queue: Queue; waiting: number }>()

  /**
   * Signs a request and sends it. Requests of one sender run one after the other, because the nonce and the estimate of each depend
   * on those before it. Requests of other senders are handled meanwhile.
   */
  async function send(request: CallRequest, make: () => Promise<SignedEthereum>): Promise<Hash> {
    const from = senderOf(request)
    const own = queues.get(from) ?? { queue: createQueue(), waiting: 0 }
    queues.set(from, own)
    own.waiting++
    const { announced, id } = await own
      .queue(async () => {
        const signed = await make()
        return { ...(await chain.send(signed)), id: signed.id }
      })
      .finally(() => {
        if (--own.waiting === 0) queues.delete(from)
      })
    await announced
    return `0x${id}`
  }

  /**
   * Returns as soon as the transaction is in the pool, if its block cannot fail. The chain makes the block while the client reads
   * the answer. Only later calls wait until the gateway has seen it.
   */
  async function sendRaw(raw: Hex, unit: Unit): Promise<Hash> {
    const signed = await read(raw, unit)
    const { announced } = await chain.send(signed, announcer.answered)
    announcer.defer(announced)
    return `0x${signed.id}`
  }

  /**
   * As on Hardhat, a failed transaction is an error. Its matchers read the revert data from the error.
   *
   * @param hash - of a transaction whose block the gateway has seen, unless it waits in the pool.
   */
  function assertSucceeded(hash: Hash): Hash {
    const place = ledger.placeOf(hash.slice(2))
    const info = place && ledger.block(place.block)?.infos[place.index]
    if (info?.result === 'FAILED') throw transactionFailure(info, chain)
    return hash
  }

  /** Signed bytes that are no Ethereum transaction are sent as the gateway sends them to a node. */
  const sendSigned = (raw: Hex, unit: Unit, sendNative: () => Promise<Hash>): Promise<Hash> =>
    looksLikeEthereum(raw) ? sendRaw(raw, unit) : sendNative()

  /** @param node - sends native transactions */
  const execution = (config: Config, node: SendExecution): SendExecution => ({
    async fill(request, { unit }) {
      const filled = await fill(request, config)
      const { raw } = unsignedEthereum(inUnit(filled, unit))
      const { tx } = unsignedEthereum(filled)
      return { raw, tx: { ...tx, from: `0x${senderOf(request).slice(2)}` } }
    },

    send: async (request) => assertSucceeded(await send(request, () => sign(request, config))),

    async sendRaw(raw, asked) {
      const hash = await sendSigned(raw, asked.unit, () => node.sendRaw(raw, asked))
      const isError = rawReverts === 'auto' ? isHardhat(asked.call) : rawReverts === 'error'
      if (!isError) return hash
      await announcer.announced()
      return assertSucceeded(hash)
    },

    // The bytes alone, as anvil and the specification have it: viem and ethers take the answer for them. Geth adds the fields.
    sign: async (request, { unit }) => (await signForClient(request, config, unit)).raw,
  })

  const sendUnsigned = (request: CallRequest, config: Config) =>
    send(request, async () =>
      signEthereum(await prepare(request, config), unlocked.keyOf(senderOf(request))),
    )

  /** The receipt of a transaction whose block is made within the time. */
  async function receiptOf(
    hash: Hash,
    { chain: view }: Context,
    timeout: bigint,
    call: ClientCall,
  ): Promise<unknown> {
    const isMined = await minedWithin(hash, Math.min(Number(timeout), MAX_TIMER), call.signal)
    await announcer.announced()
    if (isMined) return (await view.receipt(hash, call)) ?? null
    const message = `the transaction is in the pool and was not mined within ${timeout} ms`
    throw new RpcError(4, message, { data: hash })
  }

  /** Ends early when the client has gone, which may have asked to wait for weeks. */
  function minedWithin(hash: Hash, ms: number, signal: StopSignal): Promise<boolean> {
    const isMined = () => ledger.placeOf(hash.slice(2)) !== undefined
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        end()
        signal.removeEventListener('abort', finish)
        resolve(isMined())
      }
      const timer = setTimeout(finish, ms)
      const end = chain.onBlock(() => (isMined() ? finish() : undefined))
      signal.addEventListener('abort', finish, { once: true })
      if (isMined() || signal.aborted) finish()
    })
  }

  return {
    execution,
    receiptOf,
    send: (request: CallRequest, config: Config) => send(request, () => sign(request, config)),
    sendSigned,
    sendUnsigned,
    signer,
  }
}

/** Methods that send Ethereum transactions in ways that only development chains have. */
export function sendingMethods(sending: DevSending): Record<string, AnyMethod> {
  const eth_sendUnsignedTransaction = defineMethod({
    params: [sendRequest],
    summary: 'sends a transaction of any account, without a signature',
    fullOnly: true,
    handler: ({ config }, [request]) => sending.sendUnsigned(request, config),
  })

  const eth_sendRawTransactionSync = defineMethod({
    params: [signedBytes, optional(quantity, SYNC_TIMEOUT)],
    result: schemas.nullable(schemas.receipt),
    summary: 'sends a signed transaction, waits for its block and returns the receipt (EIP-7966)',
    fullOnly: true,
    async handler(context, [{ unit, value: raw }, timeout], call): Promise<unknown> {
      const sendNative = () => context.sending.sendRaw(raw, unit, call.caller?.spender)
      const hash = await sending.sendSigned(raw, unit, sendNative)
      return sending.receiptOf(hash, context, timeout, call)
    },
  })

  const eth_sendTransactionSync = defineMethod({
    params: [sendRequest, optional(quantity, SYNC_TIMEOUT)],
    result: schemas.nullable(schemas.receipt),
    summary: 'sends as eth_sendTransaction does, waits for the block and returns the receipt',
    fullOnly: true,
    handler: async (context, [request, timeout], call): Promise<unknown> =>
      sending.receiptOf(await sending.send(request, context.config), context, timeout, call),
  })

  return { eth_sendRawTransactionSync, eth_sendTransactionSync, eth_sendUnsignedTransaction }
}
