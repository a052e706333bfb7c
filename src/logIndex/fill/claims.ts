import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

import type { Engine } from '../engine/engine.ts'

/** Claims of work, so that replicas that share an index do not read the same blocks. */
export type Claims = ReturnType<typeof createClaims>

type Claim = { owner: string; until: number }

/**
 * Claims in the index itself. They only avoid double work: the writer checks the coverage again, so wrong clocks and expired leases
 * do no harm.
 */
export function createClaims({ engine, lease, now = Date.now, owner }: createClaims.Options) {
  return {
    /** Claims work for `lease` milliseconds; false when another replica has it. The owner calls it again to renew. */
    take: (work: string): Promise<boolean> =>
      engine.write(async (batch) => {
        const key = Buffer.from(work)
        const [value] = await batch.get('claims', [key])
        const claim = value && (JSON.parse(value.toString()) as Claim)
        if (claim && claim.owner !== owner && claim.until > now() && !isGone(claim.owner))
          return false
        const own: Claim = { owner, until: now() + lease }
        await batch.put('claims', [{ key, value: Buffer.from(JSON.stringify(own)) }])
        return true
      }),
    release: (work: string): Promise<void> =>
      engine.write((batch) => batch.delete('claims', [Buffer.from(work)])),
  }
}

export declare namespace createClaims {
  type Options = {
    engine: Engine
    /** Milliseconds. */
    lease: number
    /** Names this process: `ownerName()`. */
    owner: string
    /** @default Date.now */
    now?: () => number
  }
}

/** A name of this process, from which others on the host see whether it still runs: host, process id, random part. */
export function ownerName(): string {
  return `${hostname()} ${process.pid} ${randomUUID()}`
}

/** Whether an owner was a process of this host that has ended. Its work is free at once. */
function isGone(owner: string): boolean {
  const [host, pid] = owner.split(' ')
  if (host !== hostname()) return false
  // An earlier process with the same id, as in a container.
  if (Number(pid) === process.pid) return true
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
