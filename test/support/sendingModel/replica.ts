import type { ChainUpdate, Head, RecentBlock } from '../../../src/chain/head/headTypes.ts'
import type { NativeClient } from '../../../src/native/client.ts'
import { createFollow } from '../../../src/sending/follow.ts'
import type { SentStore } from '../../../src/sending/sentStore.ts'
import { createSubmission } from '../../../src/sending/submission.ts'
import { hash, LIFETIME, type ModelChain } from './chain.ts'

/**
 * A replica that follows a chain and sends. It reads an update when `deliver` is called. The window begins at the solidified block.
 *
 * @param nextSigned - the number of the next transaction that is signed
 */
export function startReplica({ chain, native, nextSigned, store }: startReplica.Options) {
  let blocks: RecentBlock[] = []
  let applied = 0
  let solid: RecentBlock = chain.solidified()
  let listener: (update: ChainUpdate) => void = () => {}
  const head: Pick<Head, 'at' | 'blockWith' | 'onUpdate' | 'window'> = {
    at: (number) => blocks.find((block) => block.number === number),
    blockWith: (id) => blocks.find(({ transactions }) => transactions.includes(id)),
    window: () =>
      blocks.length > 0 ? { blocks, orphans: new Map(), solidified: solid } : undefined,
    onUpdate(given) {
      listener = given
      return () => {}
    },
  }
  const submission = createSubmission({
    assertKept: async () => {},
    chain: { latest: () => blocks.at(-1) as never, solid: () => solid },
    contracts: { refresh: async () => {} },
    head: { ...head, pollNow() {} },
    native,
    onError() {},
    onReplaced() {},
    onSent() {},
    async sign({ to, value }) {
      const id = hash(nextSigned())
      const expiration = (blocks.at(-1)?.timestamp ?? 0) + LIFETIME * 1_000
      chain.natives.set(id, { alias: Number(value), expiration })
      const contract = [{ type: to ? 'TransferContract' : 'CreateSmartContract' }]
      return { id, hex: id.slice(2), transaction: { raw_data: { contract, expiration } } as never }
    },
    sleep: async () => {},
    store,
  })
  createFollow({
    contracts: { refresh: async () => {} },
    head,
    native,
    onError() {},
    resend: (id) => submission.resend(id),
    store,
  }).start()

  function beginning(): ChainUpdate {
    applied = chain.updates.length
    const solidified = chain.solidified()
    return { added: chain.blocks().slice(solidified.number), removed: [], solidified }
  }
  function deliver(): void {
    const update = blocks.length === 0 ? beginning() : chain.updates[applied]
    if (!update) return
    if (blocks.length > 0) applied += 1
    blocks = [...blocks.slice(0, blocks.length - update.removed.length), ...update.added]
    solid = update.solidified as RecentBlock
    listener(update)
  }
  deliver()
  return { deliver, isBehind: () => applied < chain.updates.length, submission }
}

export declare namespace startReplica {
  type Options = {
    chain: ModelChain
    native: NativeClient
    nextSigned: () => number
    store: SentStore
  }
}
