import { randomUUID } from 'node:crypto'

import { numberToHex } from 'viem/utils'

import * as schemas from '../codec/schemas.ts'
import { gasPriceOf } from '../devchain/index.ts'
import type { DevChain } from '../devchain/index.ts'
import { type AnyMethod, defineMethod } from '../jsonrpc/method.ts'
import { boolean, optional } from '../jsonrpc/params.ts'
import { VERSION } from '../version.ts'
import { named, twins } from './named.ts'

/**
 * The client version. Hardhat’s network helpers refuse any chain whose name does not begin with that of Hardhat, anvil or
 * Ganache, so the one with the same methods stands in front.
 */
const CLIENT = `anvil/v1.0.0/ethgate/v${VERSION}`

/** What the chain says about itself. */
export function nodeMethods(
  chain: DevChain,
  setLogging: (on: boolean) => void,
): Record<string, AnyMethod> {
  const { chainId, ledger } = chain
  const instanceId = `0x${randomUUID().replaceAll('-', '').padStart(64, '0')}`
  const latest = () => {
    const { header, id } = ledger.head()
    return { latestBlockHash: `0x${id}`, latestBlockNumber: header.number }
  }

  const fork = chain.fork && {
    number: chain.fork.block.header.number,
    hash: `0x${chain.fork.block.id}`,
  }

  const nodeInfo = defineMethod({
    params: [],
    summary: 'block, time and settings of the chain',
    handler() {
      const { latestBlockHash, latestBlockNumber } = latest()
      const { block } = ledger.contextOf(ledger.nextBlock(chain.clock.next()))
      return {
        currentBlockNumber: numberToHex(latestBlockNumber),
        currentBlockTimestamp: Math.floor(ledger.head().header.timestamp / 1000),
        currentBlockHash: latestBlockHash,
        hardFork: 'shanghai',
        transactionOrder: 'fifo',
        environment: {
          baseFee: numberToHex(gasPriceOf(ledger.newestState(), { block })),
          chainId,
          gasLimit: numberToHex(ledger.rules.gasLimit),
          gasPrice: numberToHex(gasPriceOf(ledger.newestState(), { block })),
        },
        forkConfig: {
          forkUrl: chain.fork?.urls[0] ?? null,
          forkBlockNumber: fork?.number ?? null,
          forkRetryBackoff: null,
        },
      }
    },
  })

  const metadata = defineMethod({
    params: [],
    summary: 'version, chain id and newest block',
    handler: () => ({
      clientVersion: CLIENT,
      chainId,
      instanceId,
      ...latest(),
      forkedNetwork: fork
        ? { chainId, forkBlockNumber: fork.number, forkBlockHash: fork.hash }
        : null,
      snapshots: Object.fromEntries(
        chain
          .snapshots()
          .map(({ block, id }) => [numberToHex(id), [block, `0x${ledger.block(block)?.id}`]]),
      ),
    }),
  })

  const setLoggingEnabled = defineMethod({
    params: [optional(boolean, true)],
    summary: 'whether calls are shown on the terminal',
    handler(_, [on]) {
      setLogging(on)
      return true
    },
  })

  return {
    anvil_nodeInfo: nodeInfo,
    ...named(['anvil', 'hardhat'], 'metadata', metadata),
    ...twins({}, 'setLoggingEnabled', setLoggingEnabled),
    web3_clientVersion: defineMethod({
      params: [],
      summary: 'name and version, in a form that Hardhat’s network helpers accept',
      handler: () => CLIENT,
    }),
    eth_coinbase: defineMethod({
      params: [],
      summary: 'producer of the next block',
      handler() {
        const { block } = ledger.contextOf(ledger.nextBlock(chain.clock.next()))
        return `0x${block.producer.slice(2)}`
      },
    }),
    net_listening: defineMethod({
      params: [],
      result: schemas.boolean,
      summary: 'true, as anvil and Hardhat answer; the chain has no peers',
      handler: () => true,
    }),
    eth_mining: defineMethod({
      params: [],
      summary: 'whether blocks are made at once when transactions come',
      handler: () => chain.automine,
    }),
  }
}
