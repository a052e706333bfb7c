import { countFirst } from './countFirst.ts'

/**
 * A weighted fair queue: each owner gets turns in proportion to its weight, however many entries it adds. The entries of one
 * owner keep their order.
 *
 * Start-time fair queueing: an entry gets the turn after the previous one of its owner, but never one that has passed. An
 * owner that was idle does not save turns.
 */
export function createFairQueue<entry>() {
  /** In the order of their turns. */
  const places: Place<entry>[] = []
  /** The last turn of each owner that waits. */
  const owners = new Map<string, { turn: number; waiting: number }>()
  let present = 0

  function drop(at: number): Place<entry> | undefined {
    const place = at < 0 ? undefined : places.splice(at, 1)[0]
    const owner = place && owners.get(place.owner)
    if (owner && --owner.waiting === 0) owners.delete(place.owner)
    return place
  }

  /** The turn after the last one of an owner. */
  function turnOf(last: number, weight: number): number {
    return Math.max(last, present) + 1 / weight
  }

  return {
    /** @param owner - whose turn it uses; entries without an owner share one. */
    add(entry: entry, owner: string = '', weight: number = 1) {
      let own = owners.get(owner)
      if (!own) owners.set(owner, (own = { turn: present, waiting: 0 }))
      own.turn = turnOf(own.turn, weight)
      own.waiting++
      places.splice(positionOf(places, own.turn), 0, { entry, owner, turn: own.turn })
    },
    /** Removes an entry that no longer waits. It does not use a turn. */
    remove(entry: entry) {
      drop(places.findIndex((place) => place.entry === entry))
    },
    /** Removes and returns the next entry, or the next one that is ready. */
    shift(isReady?: (entry: entry) => boolean) {
      const at = isReady ? places.findIndex(({ entry }) => isReady(entry)) : 0
      const place = drop(at)
      if (place) present = Math.max(present, place.turn)
      return place?.entry
    },
    /** Entries that have their turn before the next one of an owner. */
    ahead: (owner: string = '', weight: number = 1) =>
      positionOf(places, turnOf(owners.get(owner)?.turn ?? present, weight)),
    get size() {
      return places.length
    },
  }
}

type Place<entry> = { entry: entry; owner: string; turn: number }

/** The position of a turn: behind all equal or earlier turns. */
const positionOf = (places: readonly { turn: number }[], turn: number) =>
  countFirst(places, (place) => place.turn <= turn)
