import type { Hash } from 'viem'

import { StoreUnavailableError } from '../../../src/lib/redis.ts'
import type { SentStore } from '../../../src/sending/sentStore.ts'
import { createSharedSentStore } from '../../../src/sending/sharedSentStore.ts'
import type { LosingRedis } from '../losingRedis.ts'

/** A replica as its store sees it. */
export type Life = {
  isDead: boolean
  /** The run of Redis in which it has restored what it knows. */
  run: string
  look: () => Promise<void>
  /** Those that it waits for. */
  commands: number
}

/** What a store has recorded, or dropped because of a refusal. */
type Notes = { reserved(id: Hash): void; refused(id: Hash): void }

/** When commands fail: before or after they have run, or not at all. */
type Fault = 'after' | 'before' | 'none'

type Slowly = <value>(call: () => Promise<value>) => Promise<value>

/** Runs commands slowly, and loses some before they run, and the answers of others. */
export function createFaulty(life: Life, slowly: Slowly, nextFault: () => Fault) {
  return <args extends unknown[], value>(call: (...args: args) => Promise<value>) =>
    async (...args: args): Promise<value> => {
      life.commands += 1
      return slowly(async () => {
        const fault = nextFault()
        if (fault === 'before') throw new StoreUnavailableError(new Error('lost'))
        const result = await call(...args)
        if (fault === 'after') throw new StoreUnavailableError(new Error('lost'))
        return result
      }).finally(() => (life.commands -= 1))
    }
}

type Faulty = ReturnType<typeof createFaulty>

/** A store that loses nothing, as one replica reaches it. */
export function faultyStore(store: SentStore, faulty: Faulty, notes: Notes): SentStore {
  return {
    ...store,
    reserve: faulty(async (sent: Parameters<SentStore['reserve']>[0]) => {
      const reservation = await store.reserve(sent)
      if (reservation.outcome === 'reserved') notes.reserved(sent.id)
      return reservation
    }),
    change: faulty(async (...call: Parameters<SentStore['change']>) => {
      const result = await store.change(...call)
      if (call[1].event === 'refused' && !result.sent) notes.refused(call[0])
      return result
    }),
    find: faulty((hash: Hash) => store.find(hash)),
    pick: faulty((ids: readonly Hash[]) => store.pick(ids)),
    unfinished: faulty((options: Parameters<SentStore['unfinished']>[0]) =>
      store.unfinished(options),
    ),
    mined: faulty((options: { upTo: number; limit: number }) => store.mined(options)),
    ending: faulty((hash: Hash) => store.ending(hash)),
    addContract: faulty((id: Hash) => store.addContract(id)),
  }
}

/** The store of a replica in Redis. @param onWait - called when it waits until all have restored what they know in a run */
export function losingStore(
  redis: LosingRedis,
  {
    faulty,
    life,
    notes,
    onWait,
  }: { faulty: Faulty; life: Life; notes: Notes; onWait: (resolve: () => void) => void },
): SentStore {
  return createSharedSentStore({
    redis: {
      ...redis,
      onStatus: () => () => {},
      run: (commands) => faulty(() => redis.run(commands))(),
      script(lua) {
        const call = redis.script(lua)
        return faulty(async (keys: string[], args: (number | string)[]) => {
          const answer = await call(keys, args)
          const { id, state } = JSON.parse(String(args[1] ?? '{}')) as { id: Hash; state: string }
          if (Array.isArray(answer) && answer[0] === 'reserved') notes.reserved(id)
          if (typeof answer === 'number' && state === 'ended') notes.refused(id)
          return answer
        })
      },
    },
    wait: (_, run) =>
      new Promise<void>((resolve) => {
        life.run = run
        onWait(resolve)
      }),
    watch(look) {
      life.look = look
      return () => {}
    },
  })
}
