import type { AccessList, Hex } from 'viem'

import { plain } from './callTracer.ts'
import { recordFrames } from './frames.ts'
import { createTouched } from './touched.ts'
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
  const { step, touch, touched } = createTouched()

  for (const { address, storageKeys } of given) {
    const slots = touch(`41${address.slice(2).toLowerCase()}`)
    for (const key of storageKeys) slots.add(key.slice(2).toLowerCase())
  }

  let root: ReturnType<typeof recordFrames>['root']

  return {
    observe(events, state) {
      ;({ root } = recordFrames(events, state, { step }))
    },
    result({ gasUsed, plain: { from, to } }) {
      const { error, to: created } = root() ?? {}
      const omitted = new Set([from, to ?? created])
      const isListed = (address: string, slots: Set<string>) =>
        slots.size > 0 || (!omitted.has(address) && BigInt(`0x${address.slice(2)}`) > LAST_BUILT_IN)
      return {
        accessList: [...touched]
          .filter(([address, slots]) => isListed(address, slots))
          .map(([address, slots]) => ({
            address: plain(address),
            storageKeys: [...slots].map((slot): Hex => `0x${slot}`),
          })),
        gasUsed,
        ...(error !== undefined && { error }),
      }
    },
  }
}
