import { createScriptedChain, type ScriptedChain } from '../../test/chain.ts'
import type { ProxyTarget } from '../../test/faultProxy.ts'

/** Blocks that are there at the start. */
export const BLOCKS = 120

/** Blocks between the head and the solidified block. */
const UNSOLIDIFIED = 5

/**
 * A chain of the drill. Two that were made with the same seed and mined as often are the same, hash for hash: one is a node,
 * the other one a node that stands still, or the truth.
 */
export function createDrillChain(seed = 'upstreams'): ScriptedChain {
  const chain = createScriptedChain({ seed })
  for (let block = 0; block < BLOCKS; block++) mineNext(chain)
  return chain
}

/** The next block: three transactions, each with two logs. */
export function mineNext(chain: ScriptedChain): number {
  const { number } = chain.mine({
    logs: [0, 1, 2].map((index) => [
      { address: CONTRACT, topics: ['aa'.repeat(32), word(index)] },
      { address: CONTRACT, topics: ['bb'.repeat(32), word(index)] },
    ]),
  })
  chain.solidify(Math.max(0, number - UNSOLIDIFIED))
  return number
}

/** The contract that all logs come from, 20 bytes without 0x. */
export const CONTRACT = '33'.repeat(20)

/** Whose balance is the number of the block that a node has as its newest one. */
export const ACCOUNT = '22'.repeat(20)

/**
 * A node of the chain. Its newest state tells which block it belongs to: each call returns that block's number, and so does
 * a balance. So every answer tells whether it is older than what was shown before.
 *
 * @param offset - added to the number, so that the state of another chain is told from that of this one.
 */
export function nodeOf(chain: ScriptedChain, offset = 0): ProxyTarget {
  return async ({ body, path }) => {
    const number = chain.head().number + offset
    if (path === '/wallet/triggerconstantcontract' && body.includes(CONTRACT))
      return reply({
        result: { result: true },
        energy_used: 1,
        constant_result: [word(number)],
        transaction: { ret: [{}], raw_data: referenceTo(chain.head()) },
      })
    if (path === '/wallet/getaccount' && body.includes(ACCOUNT))
      return reply({ address: `41${ACCOUNT}`, balance: number })
    return chain.transport.send(path as '/wallet/x', body, { idempotent: true })
  }
}

/** How a node tells which block a call was made at. */
const referenceTo = ({ hash, number }: { hash: string; number: number }) => ({
  ref_block_bytes: number.toString(16).padStart(4, '0').slice(-4),
  ref_block_hash: hash.slice(2 + 16, 2 + 32),
})

const reply = (value: object) => ({ status: 200, text: JSON.stringify(value) })

const word = (number: number) => number.toString(16).padStart(64, '0')
