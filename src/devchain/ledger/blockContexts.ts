import type { ChainBlock } from '../blocks/block.ts'
import type { BlockStore } from '../blocks/blockStore.ts'
import type { Genesis } from '../blocks/genesis.ts'
import type { EmptyRun } from '../blocks/runList.ts'
import type { ExecutionContext } from '../execution/execution.ts'
import type { Fork } from '../fork/open.ts'
import { parameter } from '../state/parameters.ts'
import type { EthereumRules } from '../transactions/rules.ts'
import type { BlockContext } from '../vm/blockContext.ts'
import { baseFeeAfter } from './baseFee.ts'
import { producerAt } from './emptyRun.ts'

/** Values of a block that a tool chose: the base fee of Ethereum transactions and the randomness. */
export type NextBlockChoice = Pick<ExecutionContext['block'], 'baseFee' | 'prevRandao'>

/** Number, time and producer of a future block. */
export type NextBlock = { number: number; timestamp: number; producer: string }

/** Greatest distance of a transaction's reference block, in blocks. */
const REFERENCE_WINDOW = 65_536

/** The hardfork of Ethereum that runs contracts, if there is one. */
export const hardforkOf = ({ energy }: EthereumRules): Pick<BlockContext, 'hardfork'> =>
  energy === 'native' ? {} : { hardfork: energy }

/** The execution contexts of past blocks and of the next one. */
export type BlockContexts = ReturnType<typeof createBlockContexts>

/**
 * Creates the execution contexts of a chain.
 *
 * @param options.store - The blocks of the chain, with the first one.
 */
export function createBlockContexts({
  chainId,
  ethereum,
  fork,
  genesis,
  nextTime,
  store,
  types,
}: createBlockContexts.Options) {
  const { head } = store
  /** The gas limit of transactions before a tool chose another one. */
  const { gasLimit } = ethereum
  const first = fork?.block.header.number ?? 0
  /** The shift of the order of the producers. */
  let turn = 0
  /** Chosen values of the next block. */
  let chosen: NextBlockChoice = {}
  /** The account that contracts see as the producer. */
  let coinbase: string | undefined
  /** The chain id from now on. */
  let id = chainId
  /** The accounts that `ecrecover` finds for signatures (r ‖ s ‖ v, hex), whoever signed. */
  const signers = new Map<string, string>()

  const blockAt = (number: number) =>
    fork && number >= 0 && number < first ? fork.blockAt(number) : store.block(number)
  const hashOf = (number: number) => blockAt(number)?.id

  function refBlockHash(bytes: string, newest = head().header.number): string | undefined {
    const low = Number.parseInt(bytes, 16)
    if (bytes.length !== 4) return undefined
    const number = newest - ((newest - low) & 0xffff)
    if (number < 0 || newest - number >= REFERENCE_WINDOW) return undefined
    return hashOf(number)?.slice(16, 32)
  }

  function nextBlock(timestamp: number): NextBlock {
    const number = head().header.number + 1
    return { number, timestamp, producer: producerAt(genesis, number, turn).address }
  }

  function nextBaseFee(): bigint {
    const parent = head()
    const { baseFee = parameter(store.state(), 'getEnergyFee'), gasLimit: limit = gasLimit } =
      parent.seen ?? {}
    return baseFeeAfter(parent, { baseFee, gasLimit: limit })
  }

  const choice = () => ({
    ...hardforkOf(ethereum),
    ...(ethereum.baseFee === 'eip1559' && { baseFee: nextBaseFee() }),
    ...chosen,
    ...(coinbase && { producer: coinbase }),
    ...(ethereum.gasLimit !== gasLimit && { gasLimit: ethereum.gasLimit }),
    ...(id !== chainId && { chainId: id }),
  })

  function contextOf(block: NextBlock): ExecutionContext {
    return {
      headTime: head().header.timestamp,
      types,
      refBlockHash: (bytes) => refBlockHash(bytes),
      isKnown: (id) => store.placeOf(id) !== undefined,
      block: {
        hashOf,
        signerOf: (signature) => signers.get(signature),
        ...block,
        ...(block.number > head().header.number ? choice() : store.block(block.number)?.seen),
        chainId: id,
        hardfork: hardforkOf(ethereum).hardfork,
      },
      ethereum,
    }
  }

  return {
    /** The block at a height. Blocks before a fork have no transactions. @throws MissingStateError if it must be fetched first */
    blockAt,

    /** The context of a block after the newest one, or of calls at an earlier height. */
    contextOf,

    /** The context in which the transactions of a block were executed. */
    contextAt: ({ header: { number, timestamp, witness }, seen }: ChainBlock): ExecutionContext => {
      const context = contextOf({ number, timestamp, producer: witness })
      return {
        ...context,
        block: {
          ...context.block,
          chainId: seen?.chainId ?? chainId,
          hardfork: seen?.hardfork,
        },
        headTime: store.block(number - 1)?.header.timestamp ?? 0,
        refBlockHash: (bytes) => refBlockHash(bytes, number - 1),
        isKnown: () => false,
      }
    },

    /** A block after the newest one, by the producer of its slot. */
    nextBlock,

    /** The context of the next block, if it is made now. */
    next: (): ExecutionContext => contextOf(nextBlock(nextTime())),

    /** Chosen values of the next block. */
    choice,

    /** Chooses values of the next block only. */
    chooseNext: (choice: NextBlockChoice): void => void (chosen = { ...chosen, ...choice }),

    /**
     * What a run of empty blocks after the newest one has, beside its heights and times. Undefined if the next block differs from
     * those after it: a tool chose values for it.
     */
    steady: (): Pick<EmptyRun, 'gasLimit' | 'seen' | 'turn'> | undefined => {
      if (Object.keys(chosen).length > 0) return undefined
      const seen = choice()
      return { gasLimit: seen.gasLimit ?? gasLimit, seen, turn }
    },

    /** Clears the chosen values. Must be called after the next block is made. */
    made: (): void => void (chosen = {}),

    /** Sets the producer that all later blocks show and contracts see. */
    setCoinbase: (address: string): void => void (coinbase = address),

    /** Undoes every choice of a tool except the chain id. */
    clearChoices: (): void => {
      chosen = {}
      coinbase = undefined
      ethereum.gasLimit = gasLimit
    },

    /** Returns a function that restores the present choices of tools, except the chain id. */
    mark: (): (() => void) => {
      const kept = { chosen, coinbase, gasLimit: ethereum.gasLimit }
      return () => {
        ;({ chosen, coinbase } = kept)
        ethereum.gasLimit = kept.gasLimit
      }
    },

    chainId: (): number => id,

    /** Sets the chain id that contracts see and Ethereum transactions are signed for. */
    setChainId: (next: number): void => void (id = next),

    /** Lets `ecrecover` find an account of 42 hex characters for a signature (r ‖ s ‖ v, hex without `0x`). */
    setSigner: (signature: string, address: string): void => void signers.set(signature, address),

    /** Shifts the order of the producers, so that a new branch differs from the old one. */
    shiftTurn: () => void turn++,
  }
}

export declare namespace createBlockContexts {
  type Options = {
    chainId: number
    ethereum: EthereumRules
    fork?: Fork | undefined
    genesis: Genesis
    /** The time of the next block if it is made now, milliseconds. */
    nextTime: () => number
    store: BlockStore
    types: ExecutionContext['types']
  }
}
