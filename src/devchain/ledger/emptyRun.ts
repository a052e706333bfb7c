import { sha256 } from '@noble/hashes/sha2.js'

import { BLOCK_VERSION, type ChainBlock, idOf, sealBlock } from '../blocks/block.ts'
import type { Genesis } from '../blocks/genesis.ts'
import type { EmptyRun, Run } from '../blocks/runList.ts'
import { baseFeeAfter } from './baseFee.ts'

/** The producer of a height. @param turn - the shift of the order of the producers */
export function producerAt(
  { producers }: Pick<Genesis, 'producers'>,
  number: number,
  turn: number,
): Genesis['producers'][0] {
  return producers[(number + turn) % producers.length] as Genesis['producers'][0]
}

/**
 * Computes each block of a run when it is read, in constant time: the hash of its header would need those of all blocks before it.
 * So its id is its height and a hash of what the run begins with, and only the id differs from that of a block that was stored.
 */
export function createRun(run: EmptyRun, genesis: Pick<Genesis, 'producers'>): Run {
  const { from, gasLimit, parent, seen, step, time, to, turn } = run
  /** The base fees of the first blocks. The base fee falls to its minimum, so all later blocks have the last one of these. */
  let fees: bigint[] | undefined

  function baseFeeOf(number: number): bigint | undefined {
    if (seen.baseFee === undefined) return undefined
    fees ??= fallingFees(seen.baseFee, gasLimit)
    return fees[Math.min(number - from, fees.length - 1)]
  }

  const hashOf = (number: number) => sha256(Buffer.from(`${parent} ${time} ${step} ${number}`))
  const idAt = (number: number) =>
    number < from ? parent : idOf(number, Buffer.from(hashOf(number)).toString('hex'))

  return {
    ...run,
    has: (id) => {
      const number = Number.parseInt(id.slice(0, 16), 16)
      return number >= from && number <= to && idAt(number) === id
    },
    blockAt(number): ChainBlock {
      const { address, key } = producerAt(genesis, number, turn)
      const baseFee = baseFeeOf(number)
      const header = {
        number,
        timestamp: time + (number - from) * step,
        parentHash: idAt(number - 1),
        witness: address,
        version: BLOCK_VERSION,
      }
      const all = { ...seen, ...(baseFee !== undefined && { baseFee }) }
      const content = {
        transactions: [],
        infos: [],
        ...(Object.keys(all).length > 0 && { seen: all }),
      }
      return sealBlock(header, content, key, idAt(number))
    },
  }
}

/** The base fees of consecutive empty blocks, from the first one until they stay the same: at most about 1,400. */
function fallingFees(baseFee: bigint, gasLimit: bigint): bigint[] {
  const fees = [baseFee]
  for (let fee = baseFee; ;) {
    const next = baseFeeAfter({ infos: [] }, { baseFee: fee, gasLimit })
    if (next === fee) return fees
    fees.push(next)
    fee = next
  }
}
