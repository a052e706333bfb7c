import { emptyBill } from '../contracts/fees.ts'
import type { EthereumCall } from '../execution/call.ts'
import { outcome, paidPriceOf } from '../execution/executeEthereum.ts'
import type { StateReader } from '../state/state.ts'
import { signEthereum } from '../transactions/ethereumTransaction.ts'
import type { EthereumRules } from '../transactions/rules.ts'
import type { BlockContext } from '../vm/blockContext.ts'
import type { VmResult } from '../vm/run.ts'
import { BLOCK_VERSION, type ChainBlock, printBlock, sealBlock } from './block.ts'
import { envelopeOf } from './envelope.ts'

/** A call that has run, with its nonce. */
export type SimulatedCall = { call: EthereumCall; nonce: bigint; result: VmResult }

/**
 * Makes the block of calls that were not signed or sent, as a block of the chain and in the node's format. Each is a transaction whose
 * signature is derived from its sender.
 */
export function simulatedBlock(
  calls: readonly SimulatedCall[],
  { block, parent, price, rules, state }: simulatedBlock.Options,
) {
  const applied = calls.map(({ call, nonce, result }) => {
    const signed = signEthereum({
      from: call.from,
      ...(call.to && { to: `0x${call.to.slice(2)}` }),
      value: call.value,
      data: `0x${call.data}`,
      gas: call.gas ?? rules.gasLimit,
      ...feesOf(call, price),
      ...(call.accessList && { accessList: call.accessList }),
      ...(call.authorizationList && { authorizationList: call.authorizationList }),
      nonce: Number(nonce),
      chainId: block.chainId,
    })
    const { addresses } = rules
    const transaction = envelopeOf(signed, {
      addresses,
      head: parent,
      price,
      state,
      time: block.timestamp,
    })
    const to = call.to ?? transaction.ethereum?.creates ?? ''
    const paid = paidPriceOf(signed.ethereum, price, { block, ethereum: rules })
    return outcome(signed.id, to, result, { bill: emptyBill(), price: paid, transaction })
  })
  const { number, producer, timestamp } = block
  const infos = applied.map(({ info }) => info)
  const transactions = applied.map(({ results, transaction }) => ({
    transaction,
    results,
    balances: [],
  }))
  const header = { number, timestamp, parentHash: parent.id, witness: producer }
  const content = { transactions, infos, seen: block }
  const sealed = sealBlock({ ...header, version: BLOCK_VERSION }, content)
  return { sealed, native: printBlock(sealed, true), infos }
}

/**
 * The fees of a call as those of a transaction: an offer of the base fee and the tip where the call names the tip alone. A transaction with
 * authorizations has no gas price.
 */
function feesOf({ authorizationList, gasPrice, maxPrice, tip = 0n }: EthereumCall, price: bigint) {
  if (gasPrice === undefined && maxPrice === undefined && tip === 0n)
    return authorizationList ? { maxFeePerGas: 0n } : { gasPrice: 0n }
  return authorizationList || gasPrice === undefined
    ? { maxFeePerGas: maxPrice ?? price + tip, maxPriorityFeePerGas: tip }
    : { gasPrice }
}

export declare namespace simulatedBlock {
  type Options = {
    block: BlockContext
    /** The block before. */
    parent: ChainBlock
    /** The price of a unit of gas. */
    price: bigint
    rules: EthereumRules
    /** The state after the calls. */
    state: StateReader
  }
}
