import type { Hex } from 'viem'

import { type Rpc, RpcFailure } from '../base/rpcClient.ts'
import { openRpcSocket } from '../base/rpcSocket.ts'
import { judge, type Verdict } from './judge.ts'
import type { Recorded } from './recorded.ts'

/** What became of one recorded request. */
export type Replayed = { method: string; params: readonly unknown[] } & Verdict

/** Blocks below the newest one that are searched for a transaction and a contract. */
const SEARCHED = 50

/** Methods that change a development chain. They are not sent. */
const DEV_METHODS = /^(?:anvil|evm|hardhat|tenderly)_/

/** Methods that a key of the gateway signs. They are not sent where the gateway has keys. */
const SIGNED = /^(?:eth_sendTransaction|eth_sign|personal_)/

/**
 * Members with amounts. They become the gas price of the chain: the recorded chain has other fees, and a unit that is a fraction of the
 * smallest one of a node's coin.
 */
const AMOUNTS = /^(?:value|balance|gasPrice|maxFeePerGas|maxPriorityFeePerGas)$/

/** An account without coins and code. */
const UNUSED = '0x00000000000000000000000000000000000000aa'

/** Creation code of a contract without code. */
const EMPTY_CONTRACT = '0x60006000f3'

/**
 * Sends the recorded requests of a tool to a gateway, with what belongs to its chain in place of what belongs to the recorded one. The
 * transaction that it sends is of a new account without funds, which every node refuses.
 *
 * @throws CommandError when the gateway does not answer
 */
export async function replay({ requests }: Recorded, rpc: Rpc): Promise<Replayed[]> {
  const values = await valuesOf(rpc)
  const accounts = (await rpc.call('eth_accounts').catch(() => [])) as string[]
  const socket = requests.some(({ method }) => method === 'eth_subscribe')
    ? await openRpcSocket(rpc.url)
    : undefined
  try {
    const replayed: Replayed[] = []
    for (const { method, params } of requests) {
      const sent = filled(params, values) as unknown[]
      replayed.push({ method, params: sent, ...(await outcomeOf(method, sent)) })
    }
    return replayed
  } finally {
    socket?.close()
  }

  async function outcomeOf(method: string, params: unknown[]): Promise<Verdict> {
    if (DEV_METHODS.test(method)) return judge(method, undefined)
    if (SIGNED.test(method) && accounts.length > 0) return judge(method, { result: null })
    const isSubscription = method === 'eth_subscribe' || method === 'eth_unsubscribe'
    if (isSubscription && !socket)
      return judge(method, { error: { code: -32601, message: 'the address accepts no WebSocket' } })
    if (isSubscription && socket) return judge(method, await socket.call(method, params))
    try {
      return judge(method, { result: await rpc.call(method, params) })
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      return judge(method, { error: { code: error.code, message: error.rpcMessage } })
    }
  }
}

type Values = Record<string, string>

/** The values of this chain for the words of the recording. @throws CommandError */
async function valuesOf(rpc: Rpc): Promise<Values> {
  const [{ generatePrivateKey, privateKeyToAccount }, chainId, newest] = await Promise.all([
    import('viem/accounts'),
    rpc.call('eth_chainId'),
    rpc.call('eth_blockNumber'),
  ])
  const signer = privateKeyToAccount(generatePrivateKey())
  const gasPrice = (await rpc.call('eth_gasPrice')) as string
  const raw = await signer.signTransaction({
    type: 'legacy',
    chainId: Number(chainId),
    gas: 21_000n,
    gasPrice: BigInt(gasPrice),
    nonce: 0,
    to: UNUSED,
    value: 0n,
  })
  const filter = await rpc.call('eth_newBlockFilter').catch(() => '0x1')
  const block = (await rpc.call('eth_getBlockByNumber', [newest, false])) as { hash: string }
  return {
    $amount: gasPrice,
    $block: newest as string,
    $blockHash: block.hash,
    $code: EMPTY_CONTRACT,
    $filter: filter as string,
    $raw: raw,
    $subscription: '0x1',
    ...(await placesOf(rpc, Number(newest))),
  }
}

/** A transaction of one of the newest blocks, its sender, and a contract that one of them called. */
async function placesOf(rpc: Rpc, newest: number): Promise<Values> {
  const found: Values = {
    $account: UNUSED,
    $contract: UNUSED,
    $transaction: `0x${'00'.repeat(32)}`,
  }
  for (let number = newest; number >= 0 && number > newest - SEARCHED; number--) {
    const hex = `0x${number.toString(16)}`
    const { transactions } = (await rpc.call('eth_getBlockByNumber', [hex, true])) as {
      transactions: { from: Hex; hash: Hex; to: Hex | null }[]
    }
    for (const { from, hash, to } of transactions) {
      Object.assign(found, { $account: from, $transaction: hash })
      if (!to || (await rpc.call('eth_getCode', [to, 'latest'])) === '0x') continue
      return { ...found, $contract: to }
    }
  }
  return found
}

/** The same params with values in place of the words. */
function filled(value: unknown, values: Values): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, values))
  if (value && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        AMOUNTS.test(key) && typeof one === 'string' ? values['$amount'] : filled(one, values),
      ]),
    )
  return typeof value === 'string' ? (values[value] ?? value) : value
}
