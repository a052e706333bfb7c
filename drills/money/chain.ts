import type { Hash } from 'viem'

import { createDevChain } from '../../src/devchain/index.ts'
import { createNativeClient } from '../../src/sdk/client.ts'
import { proxyTarget, startFaultProxy } from '../../test/support/faultProxy.ts'
import { keys } from '../../test/support/recordedChain.ts'
import type { Ask } from './nodes.ts'

/** The chain of the drill, read and written without faults. */
export type MoneyChain = {
  /** Which nodes are used, in words. */
  what: string
  /** How each of the nodes is asked. With one real node or none, all ask the same one. */
  asks: readonly Ask[]
  /** Private keys of accounts with coins, `0x…`. */
  keys: readonly Hash[]
  /** Transfers of coins in the blocks since the start: recipient, amount and id. */
  transfers(): Promise<{ to: string; amount: number; id: string }[]>
  /** Time of the newest solidified block, milliseconds. */
  solidTime(): Promise<number>
  close(): Promise<void>
}

/**
 * The chain of the nodes of NATIVE_PRODUCING_URL (their HTTP APIs, separated by commas; the recorded private chain, whose keys have
 * coins), or without it a development chain with a block each second, which stands for all nodes.
 */
export async function openChain(): Promise<MoneyChain> {
  const urls = (process.env['NATIVE_PRODUCING_URL'] ?? '').split(',').filter(Boolean)
  return urls.length > 0 ? openReal(urls) : openDevelopment()
}

/** Sun that an account needs for its payments and their bandwidth. */
const ENOUGH = 200_000_000

async function openReal(urls: string[]): Promise<MoneyChain> {
  const asks = urls.map((url): Ask => async ({ body, path }) => {
    const target = new URL(url)
    // A node serves /walletsolidity on the next port.
    if (path.startsWith('/walletsolidity')) target.port = String(Number(target.port) + 1)
    const response = await fetch(new URL(path, target), { method: 'POST', body })
    return { status: response.status, text: await response.text() }
  })
  const plain = await startFaultProxy(asks[0] as Ask)
  const { wallet } = createNativeClient(plain.url)
  const { alice, bob, carol, dave, rich, sr1, sr2, sr3, sr4, sr5 } = keys
  const senders: (typeof rich)[] = []
  for (const account of [alice, bob, carol, dave, rich, sr1, sr2, sr3, sr4, sr5]) {
    const { balance = 0 } = (await wallet.getAccount({ address: account.hex })) ?? {}
    if (balance > ENOUGH) senders.push(account)
  }
  const what = `${urls.length} real node${urls.length > 1 ? 's' : ''}`
  return {
    what,
    asks,
    keys: senders.map(({ pk }) => prefixed(pk)),
    ...(await reader(plain.url)),
    close: () => plain.close(),
  }
}

async function openDevelopment(): Promise<MoneyChain> {
  const chain = await createDevChain({
    accounts: { count: 10 },
    mining: { blockTime: 1_000 },
    rules: { profile: 'native' },
  })
  chain.automine = false
  await chain.start()
  const target = proxyTarget(chain) as Ask
  const plain = await startFaultProxy(target)
  return {
    what: 'a development chain behind each proxy',
    asks: [target],
    keys: chain.accounts.map(({ key }) => prefixed(key)),
    ...(await reader(plain.url)),
    async close() {
      await plain.close()
      await chain.close()
    },
  }
}

const prefixed = (key: string): Hash => `0x${key.replace(/^0x/, '')}`

/** Reads the chain past all faults. */
async function reader(url: string): Promise<Pick<MoneyChain, 'solidTime' | 'transfers'>> {
  const { solidity, wallet } = createNativeClient(url)
  const first = (await wallet.getNowBlock()).block_header.raw_data.number ?? 0
  return {
    async solidTime() {
      return (await solidity.getNowBlock()).block_header.raw_data.timestamp ?? 0
    },
    async transfers() {
      const found: { to: string; amount: number; id: string }[] = []
      const last = (await wallet.getNowBlock()).block_header.raw_data.number ?? 0
      for (let num = first + 1; num <= last; num++) {
        const block = await wallet.getBlockByNum({ num })
        for (const { raw_data, txID } of block?.transactions ?? []) {
          const { parameter, type } = raw_data.contract?.[0] ?? {}
          const { amount, to_address } = parameter?.value ?? {}
          if (type === 'TransferContract')
            found.push({ amount: Number(amount), id: `0x${txID}`, to: String(to_address) })
        }
      }
      return found
    },
  }
}
