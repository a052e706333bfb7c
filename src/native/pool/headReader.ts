import { UpstreamError } from '../../lib/errors.ts'
import { isObject } from '../../lib/isObject.ts'
import { createStop, type StopSignal } from '../../lib/stopSignal.ts'
import { whenLate } from '../../lib/within.ts'
import type { NativeReply } from '../transport/transport.ts'
import { parseNative } from '../wire/json.ts'
import type { Block } from '../wire/types.ts'
import { chooseHead, majorityHeight, rightHash } from './headChoice.ts'
import type { Member, MemberCall } from './member.ts'
import { toTip } from './prober.ts'

/** Milliseconds that other nodes get to answer after the first one did. */
const GRACE = 60

/** Milliseconds for which the heads are waited for in all. */
const HEAD_TIMEOUT = 2_000

/** Milliseconds for the hash at one height. */
const HASH_TIMEOUT = 1_000

/** Milliseconds after which branches are compared again although nothing was solidified: a node may have changed its chain. */
const CHECK_AGAIN = 10_000

/** Reads the newest block from several nodes and compares their branches. */
export function createHeadReader({
  isSameChain,
  isUsable,
  members,
  onRisen,
  quorum,
  served,
  shownHead,
}: createHeadReader.Options) {
  let anchor = -1
  let checkedAt = 0
  let checking: Promise<void> | undefined
  /** The height of each node at the last comparison of the branches. */
  const checkedHeads = new WeakMap<Member, number>()

  async function read(
    call: MemberCall,
    solid: boolean,
    signal: StopSignal | undefined,
  ): Promise<NativeReply> {
    const found = await ask(call, solid, signal)
    const views = found.map(({ member, tip, reply }) => ({ node: { member, reply }, tip }))
    // Solidified blocks are final on every branch in use, so the highest one is right.
    const wanted = solid ? 1 : quorum
    const chosen = await chooseHead(views, wanted, ({ member }, number) => hashAt(member, number))
    if (chosen) return chosen.node.reply
    throw new UpstreamError(
      found.length === 0
        ? 'no upstream node reports its newest block'
        : `${wanted} upstream nodes must agree on the newest block: ${found.length} reported one`,
    )
  }

  /** What the nodes answer within the grace after the first one. */
  function ask(call: MemberCall, solid: boolean, signal: StopSignal | undefined) {
    const found: { member: Member; reply: NativeReply; tip: ReturnType<typeof toTip> }[] = []
    const asked = members().filter(isUsable)
    const calls = createStop()
    return new Promise<typeof found>((resolve, reject) => {
      let left = asked.length
      let grace: NodeJS.Timeout | undefined
      const leave = () => (stop(), reject(signal?.reason))
      const finish = () => (stop(), resolve(found))
      const limit = whenLate(finish, HEAD_TIMEOUT)
      function stop() {
        clearTimeout(limit)
        clearTimeout(grace)
        signal?.removeEventListener('abort', leave)
        calls.stop(HEAD_FOUND)
      }
      if (signal?.aborted) return leave()
      signal?.addEventListener('abort', leave, { once: true })
      if (left === 0) return finish()
      for (const member of asked)
        member
          .ask(call, HEAD_TIMEOUT, calls)
          .then(
            (outcome) => {
              // A refusal is an answer too.
              if (outcome.kind !== 'answer' || !isBlock(outcome.reply.parsed)) return undefined
              const tip = toTip(outcome.reply.parsed)
              note(member, tip, solid)
              found.push({ member, reply: outcome.reply, tip })
              if (found.length >= quorum) grace ??= whenLate(finish, GRACE)
              return undefined
            },
            () => {},
          )
          .finally(() => --left === 0 && finish())
      return undefined
    })
  }

  function note({ known }: Member, tip: ReturnType<typeof toTip>, solid: boolean): void {
    const place = solid ? 'solid' : 'head'
    const risen = (known[place]?.number ?? -1) < tip.number
    known[place] = tip
    known[solid ? 'solidReadAt' : 'headReadAt'] = performance.now()
    if (risen) onRisen()
  }

  async function checkBranches(): Promise<void> {
    const all = members().filter(
      (member) => isSameChain(member) && member.known.solid !== undefined,
    )
    if (isShorter(all)) anchor = -1
    const height = Math.max(majorityHeight(all.map(solidOf)) ?? -1, anchor)
    if (all.length < 2) return
    const isNew = height > anchor || all.some(mayHaveChanged)
    if (!isNew && performance.now() - checkedAt < CHECK_AGAIN) return
    const newest = shownHead()
    let compared = await compareAt(height, all)
    // Where the nodes are split, what clients were shown decides, and the nodes may be ahead of that.
    if (compared.isSplit && served(height) === undefined && newest > 0 && newest < height)
      compared = await compareAt(newest, all)
    const { hashes, reached, right } = compared
    if (right === undefined) return
    anchor = height
    checkedAt = performance.now()
    for (const member of all) checkedHeads.set(member, headOf(member))
    for (const [index, { known }] of reached.entries())
      if (hashes[index] !== undefined) known.onBranch = hashes[index] === right
    const reference = reached[hashes.indexOf(right)]
    if (!reference) return
    // A node below that height has no such block. Its newest block must be on the branch.
    await Promise.all(
      all
        .filter((member) => !reached.includes(member))
        .map(async ({ known }) => {
          const { head } = known
          const hash = head && (await hashAt(reference, head.number))
          if (hash !== undefined) known.onBranch = hash === head?.hash
        }),
    )
  }

  /** The hashes that the nodes have at a height, and which of them is right. */
  async function compareAt(height: number, all: readonly Member[]) {
    const reached = all.filter((member) => headOf(member) >= height)
    const hashes = await Promise.all(reached.map((member) => hashAt(member, height)))
    // A node may serve another chain since its last probe. Its hash must not count against the others.
    if (new Set(hashes.filter((hash) => hash !== undefined)).size > 1)
      await Promise.all(
        reached.map(async ({ identity }, index) => {
          await identity.confirm(true)?.catch(() => {
            hashes[index] = undefined
          })
        }),
      )
    const right = rightHash(
      hashes.filter((hash) => hash !== undefined),
      {
        missing: missingOf(reached, hashes),
        of: all.length,
        shown: served(height),
      },
    )
    const isSplit = hashes.filter((hash) => hash === right).length <= all.length / 2
    return { hashes, isSplit, reached, right }
  }

  /** A node whose newest block is lower than before was reset, or another node has its address now. */
  function mayHaveChanged(member: Member): boolean {
    const before = checkedHeads.get(member)
    return member.known.onBranch === undefined || (before !== undefined && headOf(member) < before)
  }

  /** Whether most nodes answer and none has the block any more that was compared last: the chain was reset. */
  function isShorter(all: readonly Member[]): boolean {
    const answering = all.filter(({ breaker }) => breaker.state() !== 'open')
    return answering.length > all.length / 2 && answering.every((one) => solidOf(one) < anchor)
  }

  return {
    /** The reply of the node whose newest block is the head. @throws UpstreamError when not enough nodes agree on one */
    read,
    /** Finds out which nodes have the block that the majority calls solidified. */
    checkBranches: () =>
      (checking ??= checkBranches().finally(() => {
        checking = undefined
      })),
  }
}

export declare namespace createHeadReader {
  type Options = {
    members: () => readonly Member[]
    isUsable: (member: Member) => boolean
    /** Whether a node is known to be of the chain that is served. */
    isSameChain: (member: Member) => boolean
    /** The hash that clients were shown at a height, without 0x; undefined where that is not known. */
    served: (number: number) => string | undefined
    /** The newest block that clients were shown; 0 where they were shown none. */
    shownHead: () => number
    /** Called when a node shows a higher block. */
    onRisen: () => void
    /** Nodes that must have a block before it is the newest one. */
    quorum: number
  }
}

/** Why the calls that have no answer yet are cancelled. */
const HEAD_FOUND = new Error('the newest block is known')

function isBlock(answer: unknown): answer is Block {
  return isObject(answer) && isObject(answer['block_header'])
}

/** How many nodes did not answer although they work. They may answer the next time. */
function missingOf(asked: readonly Member[], hashes: readonly (string | undefined)[]): number {
  return asked.filter(({ breaker }, index) => !hashes[index] && breaker.state() !== 'open').length
}

function headOf({ known }: Member): number {
  return known.head?.number ?? -1
}

function solidOf({ known }: Member): number {
  return known.solid?.number ?? 0
}

/** The hash that a node has at a height; undefined when it cannot be asked or has none. */
async function hashAt({ probe }: Member, number: number): Promise<string | undefined> {
  const body = JSON.stringify({ id_or_num: String(number) })
  try {
    const { text } = await probe.send('/wallet/getblock', body, {
      idempotent: true,
      timeout: HASH_TIMEOUT,
    })
    return (parseNative(text) as Partial<Block>).blockID
  } catch {
    return undefined
  }
}
