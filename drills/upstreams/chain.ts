import { createScriptedChain, type ScriptedChain } from '../../test/support/chain.ts'
import type { ProxyTarget } from '../../test/support/faultProxy.ts'

/** Number of blocks at the start. */
export const BLOCKS = 120

/** Blocks between the head and the solidified block. */
const UNSOLIDIFIED = 5

/**
 * A chain of the drill. Two chains with the same seed and height have the same hashes, so one can be the node, and the
 * other a node that stopped or the correct chain.
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

/** The contract of all logs, 20 bytes without 0x. */
export const CONTRACT = '33'.repeat(20)

/** The account whose balance is the number of a node's newest block. */
export const ACCOUNT = '22'.repeat(20)

/**
 * A node of the chain. Calls and balances return the number of the newest block, so each answer shows whether its state
 * is older than an earlier answer.
 *
 * @param offset - added to the number, to distinguish the state of another chain.
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

/** The block of a call in a node's answer. */
const referenceTo = ({ hash, number }: { hash: string; number: number }) => ({
  ref_block_bytes: number.toString(16).padStart(4, '0').slice(-4),
  ref_block_hash: hash.slice(2 + 16, 2 + 32),
})

const reply = (value: object) => ({ status: 200, text: JSON.stringify(value) })

const word = (number: number) => number.toString(16).padStart(64, '0')
