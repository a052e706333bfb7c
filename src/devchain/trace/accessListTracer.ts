import type { AccessList, Hex } from 'viem'

import { stackAddress } from '../vm/energy.ts'
import { native } from '../vm/vmState.ts'
import { plain } from './callTracer.ts'
import { recordFrames } from './frames.ts'
import { touchedBy, word } from './touched.ts'
import type { Tracer } from './tracer.ts'

/** The accounts and slots that a run used, its energy, and geth's text for its failure. */
export type TracedAccessList = { accessList: AccessList; gasUsed: bigint; error?: string }

/** The highest address of a precompiled contract of Ethereum. */
const LAST_BUILT_IN = 0x0an

/**
 * The tracer of `eth_createAccessList`. As in geth, the list has every slot that the run read or wrote and every account that
 * it used, but the sender, the receiver and precompiled contracts only with their slots.
 *
 * @param given - The access list of the request. The result contains it.
 */
export function createAccessListTracer(given: AccessList = []): Tracer<TracedAccessList> {
  /** Slots by account. */
  const touched = new Map<string, Set<Hex>>()

  function touch(address: string): Set<Hex> {
    const slots = touched.get(address) ?? new Set()
    touched.set(address, slots)
    return slots
  }

  for (const { address, storageKeys } of given) {
    const slots = touch(`41${address.slice(2).toLowerCase()}`)
    for (const key of storageKeys) slots.add(key.toLowerCase() as Hex)
  }

  let root: ReturnType<typeof recordFrames>['root']

  return {
    observe(events, state) {
      ;({ root } = recordFrames(events, state, {
        step(step) {
          const { account, slot } = touchedBy(step)
          if (slot !== undefined) touch(step.address).add(`0x${word(slot)}`)
          if (account !== undefined) touch(native(stackAddress(account)))
        },
      }))
    },
    result({ gasUsed, plain: { from, to } }) {
      const { error, to: created } = root() ?? {}
      const omitted = new Set([from, to ?? created])
      const isListed = (address: string, slots: Set<Hex>) =>
        slots.size > 0 || (!omitted.has(address) && BigInt(`0x${address.slice(2)}`) > LAST_BUILT_IN)
      return {
        accessList: [...touched]
          .filter(([address, slots]) => isListed(address, slots))
          .map(([address, slots]) => ({
            address: plain(address),
            storageKeys: [...slots],
          })),
        gasUsed,
        ...(error !== undefined && { error }),
      }
    },
  }
}
