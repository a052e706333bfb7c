/** What the process keeps for a client. Each place that keeps bytes of clients is one of these. */
export const HELD_PLACES = [
  'answers',
  'bodies',
  'filters',
  'frames',
  'simulations',
  'subscriptions',
  'unpacked bodies',
] as const

export type HeldPlace = (typeof HELD_PLACES)[number]

/**
 * One budget for the bytes that this process holds for its callers. They are taken before memory is allocated, from the share of
 * the caller and from the process, and given back when the memory is free.
 */
export type HeldBytes = ReturnType<typeof createHeldBytes>

/** What one request, filter, subscription or answer holds. */
export type Hold = {
  /** Takes more bytes. @returns false when the caller or the process may not have them: then nothing was taken */
  take(bytes: number): boolean
  /** Says how many bytes are held now, also above the limit: for what is there already, and for what shrinks. */
  set(bytes: number): void
  /** Gives all bytes back. May be called more than once. */
  end(): void
}

/** Creates a budget. */
export function createHeldBytes({ limit = Infinity, share = limit }: createHeldBytes.Options = {}) {
  const byCaller = new Map<string, number>()
  const byPlace = new Map<HeldPlace, number>(HELD_PLACES.map((place) => [place, 0]))
  let all = 0

  function hasRoom(caller: string, bytes: number): boolean {
    return all + bytes <= limit && (byCaller.get(caller) ?? 0) + bytes <= share
  }

  function add(caller: string, place: HeldPlace, bytes: number) {
    all += bytes
    byPlace.set(place, (byPlace.get(place) ?? 0) + bytes)
    const own = (byCaller.get(caller) ?? 0) + bytes
    if (own === 0) byCaller.delete(caller)
    else byCaller.set(caller, own)
  }

  function take(caller: string, place: HeldPlace, bytes: number): boolean {
    const isFree = hasRoom(caller, bytes)
    if (isFree) add(caller, place, bytes)
    return isFree
  }

  return {
    /** Whether a caller may have so many bytes more. */
    hasRoom,
    /** Takes bytes without opening a hold, which itself takes memory. @returns false if the limit is reached; nothing is taken then */
    take,
    /** Gives back what `take` took. */
    give: (caller: string, place: HeldPlace, bytes: number) => add(caller, place, -bytes),
    /** Opens an empty hold. Always end it. @param caller - the id of the caller */
    hold(caller: string, place: HeldPlace): Hold {
      let held = 0
      const set = (bytes: number) => {
        if (bytes !== held) add(caller, place, bytes - held)
        held = bytes
      }
      return {
        take(bytes) {
          const isTaken = take(caller, place, bytes)
          if (isTaken) held += bytes
          return isTaken
        },
        set,
        end: () => set(0),
      }
    },
    /** Bytes that are held, of one place or of all. */
    total: (place?: HeldPlace) => (place ? (byPlace.get(place) ?? 0) : all),
  }
}

export declare namespace createHeldBytes {
  type Options = {
    /** Most bytes of all callers. @default none */
    limit?: number
    /** Most bytes of one caller. @default `limit` */
    share?: number
  }
}
