import type { Tables } from './model.ts'

type Table = keyof Tables

/** A key-value view of the chain's state. Values are replaced as a whole, never mutated. */
export type StateReader = {
  get<table extends Table>(table: table, key: string): Tables[table] | undefined
}

export type State = StateReader & {
  /** `undefined` deletes. */
  set<table extends Table>(table: table, key: string, value: Tables[table] | undefined): void
}

/** A state on top of another one: its changes are seen through it and reach the parent with `commit`. */
export type Overlay = State & {
  commit(): void
  /** The changes so far, by `table:key`. */
  changes(): ReadonlyMap<string, unknown>
}

type Version = { height: number; value: unknown }

/** Every value that any key had at any height, so that the state of any block can be read and blocks can be undone. */
export type History = StateReader & {
  /** The state after the block at a height. */
  at(height: number): StateReader
  /** Records what the block at `height` changed. Heights ascend. */
  apply(height: number, changes: ReadonlyMap<string, unknown>): void
  /** Undoes every block above `height`. */
  truncate(height: number): void
  /** The height at or below `height` that changed a key last; undefined when none did. */
  changedAt(table: Table, key: string, height: number): number | undefined
  /** What the block at a height changed. */
  changesAt(height: number): ReadonlyMap<string, unknown>
}

/** The state of a chain with all of its past, in memory. */
export function createHistory(): History {
  const versions = new Map<string, Version[]>()
  const keysByHeight = new Map<number, string[]>()

  const find = (key: string, height: number): Version | undefined => {
    const list = versions.get(key)
    if (!list) return undefined
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((list[middle] as Version).height <= height) low = middle + 1
      else high = middle
    }
    return list[low - 1]
  }

  return {
    get: (table, key) => versions.get(`${table}:${key}`)?.at(-1)?.value as never,
    at: (height) => ({ get: (table, key) => find(`${table}:${key}`, height)?.value as never }),
    apply(height, changes) {
      keysByHeight.set(height, [...changes.keys()])
      for (const [key, value] of changes) {
        const list = versions.get(key)
        if (list) list.push({ height, value })
        else versions.set(key, [{ height, value }])
      }
    },
    truncate(height) {
      for (const [changed, keys] of keysByHeight) {
        if (changed <= height) continue
        for (const key of keys) {
          const list = versions.get(key) as Version[]
          while (list.length > 0 && (list.at(-1) as Version).height > height) list.pop()
          if (list.length === 0) versions.delete(key)
        }
        keysByHeight.delete(changed)
      }
    },
    changedAt: (table, key, height) => find(`${table}:${key}`, height)?.height,
    changesAt: (height) =>
      new Map((keysByHeight.get(height) ?? []).map((key) => [key, find(key, height)?.value])),
  }
}

/** A writable state whose changes stay apart from `parent` until they are committed. */
export function createOverlay(parent: StateReader | State): Overlay {
  const changes = new Map<string, unknown>()
  return {
    get(table, key) {
      const name = `${table}:${key}`
      return (changes.has(name) ? changes.get(name) : parent.get(table, key)) as never
    },
    set(table, key, value) {
      changes.set(`${table}:${key}`, value)
    },
    commit() {
      if (!('set' in parent)) throw new Error('the parent of this state is read-only')
      for (const [name, value] of changes) {
        const split = name.indexOf(':')
        parent.set(name.slice(0, split) as Table, name.slice(split + 1), value as never)
      }
      changes.clear()
    },
    changes: () => changes,
  }
}
