import type { Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import type { FeeHistory } from '../../rpc/execution/execution.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import { type ChainBlock, type DevChain, gasPriceOf, hasRulesOf } from '../index.ts'

/** The minimum price of a unit of blob gas (EIP-4844), wei. */
const BLOB_PRICE = '0x1'

/** `eth_blobBaseFee`, from Cancun on. */
export function blobMethods({ ledger }: DevChain): Record<string, AnyMethod> {
  if (!hasRulesOf(ledger.rules.energy, 'cancun')) return {}
  return {
    eth_blobBaseFee: defineMethod({
      params: [],
      result: schemas.amount,
      summary: 'price of blob gas: always 1, as no block has blobs; refused before Cancun',
      handler: () => BLOB_PRICE,
    }),
  }
}

/** A history of fees with what only this chain knows of its blocks. Amounts are wei with 18 decimals. */
export function withTips(
  { ledger }: DevChain,
  history: FeeHistory,
  percentiles: readonly number[],
): FeeHistory {
  const { baseFeePerGas, gasUsedRatio, oldestBlock } = history
  const blobs = hasRulesOf(ledger.rules.energy, 'cancun') && {
    baseFeePerBlobGas: baseFeePerGas.map((): Hex => BLOB_PRICE),
    blobGasUsedRatio: gasUsedRatio.map(() => 0),
  }
  const oldest = Number(oldestBlock)
  // The last price is that of the next block, which a tool may have chosen. Hardhat's client offers what follows from it. The block
  // may have been made while the history was read.
  const next = oldest + gasUsedRatio.length
  const price =
    next > ledger.head().header.number
      ? gasPriceOf(ledger.newestState(), ledger.next())
      : ledger.block(next)?.seen?.baseFee
  if (price !== undefined && gasUsedRatio.length > 0)
    baseFeePerGas.splice(-1, 1, numberToHex(price))
  if (percentiles.length === 0) return { ...history, ...blobs }
  const reward = gasUsedRatio.map((_, index) =>
    tipsOf(ledger.block(oldest + index), BigInt(baseFeePerGas[index] as Hex), percentiles),
  )
  return { ...history, ...blobs, reward }
}

/** The tips at percentiles of the gas that a block used, as geth computes them: 0 in a block without Ethereum transactions. */
function tipsOf(
  block: ChainBlock | undefined,
  baseFee: bigint,
  percentiles: readonly number[],
): Hex[] {
  const paid = (block?.transactions ?? []).flatMap(({ transaction: { ethereum } }, index) => {
    const price = ethereum?.fields['gasPrice']
    if (typeof price !== 'string') return []
    const gas = block?.infos[index]?.receipt?.energy_usage_total ?? 0
    return [{ tip: BigInt(price) - baseFee, gas }]
  })
  paid.sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
  const total = paid.reduce((sum, { gas }) => sum + gas, 0)
  return percentiles.map((percentile) => {
    let used = 0
    const found = paid.find(({ gas }) => (used += gas) >= (total * percentile) / 100)
    return numberToHex(found && found.tip > 0n ? found.tip : 0n)
  })
}
