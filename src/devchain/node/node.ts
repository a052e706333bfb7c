import { randomUUID } from 'node:crypto'

import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { RpcError } from '../../lib/errors.ts'
import { VERSION } from '../../lib/version.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { boolean, optional, quantity } from '../../rpc/params/params.ts'
import { type DevChain, gasPriceOf } from '../index.ts'
import { named, aliases, returningNull, returningTrue } from './named.ts'

/**
 * The client version. Hardhat’s network helpers refuse every client whose name does not start with that of Hardhat, anvil or
 * Ganache. The development chain has the methods of anvil, so it starts with that name.
 */
export const CLIENT = `anvil/v1.0.0/ethgate/v${VERSION}`

/** The largest chain id that wallets accept. After EIP-155 doubles a larger one, it is not exact as a JavaScript number. */
const MAX_CHAIN_ID = BigInt(Math.floor((Number.MAX_SAFE_INTEGER - 36) / 2))

/** Methods that describe the chain. */
export function nodeMethods(
  chain: DevChain,
  setLogging: (on: boolean) => void,
): Record<string, AnyMethod> {
  const { ledger } = chain
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
    result: {
      type: 'object',
      properties: {
        environment: {
          type: 'object',
          properties: { baseFee: schemas.amount, gasPrice: schemas.amount },
        },
      },
    },
    summary: 'block, time and settings of the chain',
    handler() {
      const { latestBlockHash, latestBlockNumber } = latest()
      const { energy, gasLimit } = ledger.rules
      const gasPrice = numberToHex(gasPriceOf(ledger.newestState(), ledger.next()))
      return {
        currentBlockNumber: numberToHex(latestBlockNumber),
        currentBlockTimestamp: Math.floor(ledger.head().header.timestamp / 1000),
        currentBlockHash: latestBlockHash,
        // The chain's own EVM has the operations of Shanghai.
        hardFork: energy === 'native' ? 'shanghai' : energy,
        transactionOrder: 'fifo',
        environment: {
          baseFee: gasPrice,
          chainId: chain.chainId,
          gasLimit: numberToHex(gasLimit),
          gasPrice,
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
      chainId: chain.chainId,
      instanceId,
      ...latest(),
      forkedNetwork: fork
        ? { chainId: chain.fork?.chainId, forkBlockNumber: fork.number, forkBlockHash: fork.hash }
        : null,
      snapshots: Object.fromEntries(
        chain
          .snapshots()
          .map(({ block, id }) => [numberToHex(id), [block, `0x${ledger.block(block)?.id}`]]),
      ),
    }),
  })

  const anvil_setChainId = returningNull(
    'sets the chain id that contracts see and Ethereum transactions are signed for',
    [quantity],
    (id) => {
      if (id < 1n || id > MAX_CHAIN_ID)
        throw new RpcError(-32602, `expected a chain id from 1 to ${MAX_CHAIN_ID}, got ${id}`)
      ledger.setChainId(Number(id))
    },
  )

  const setLoggingEnabled = returningTrue(
    'turns the terminal output on or off',
    [optional(boolean, true)],
    setLogging,
  )

  return {
    anvil_nodeInfo: nodeInfo,
    anvil_setChainId,
    ...named(['anvil', 'hardhat'], 'metadata', metadata),
    ...aliases({}, 'setLoggingEnabled', setLoggingEnabled),
  }
}
