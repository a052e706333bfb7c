import { countFirst } from '../../lib/countFirst.ts'
import { EthereumError } from './errors.ts'
import type { Tables } from './model.ts'

type Table = keyof Tables

/** A key-value view of the chain's state. Values are replaced, never mutated. */
export type StateReader = {
  get<table extends Table>(table: table, key: string): Tables[table] | undefined
  /** The same for a reader that has the name `table:key` already; overlays lie several deep, and each would write it again. */
  named?: (name: string, table: Table, key: string) => unknown
}

/** A writable state. */
export type State = StateReader & {
  /** Sets a value; `undefined` deletes it. */
  set<table extends Table>(table: table, key: string, value: Tables[table] | undefined): void
  /** Sets values by `table:key`. */
  setAll(values: Iterable<readonly [name: string, value: unknown]>): void
}

/** A state on top of a parent. It includes its own changes, and `commit` writes them to the parent. */
export type Overlay = State & {
  commit(): void
  /** The changes so far, by `table:key`. */
  changes(): ReadonlyMap<string, unknown>
}

type Version = { revision: number; value: unknown }

/** An empty state. */
const nothing: StateReader = { get: () => undefined }

/**
 * Keeps all present and past values. Each set of changes (a block, or a state change by a tool) makes a new revision, so every
 * earlier state can be read and restored.
 *
 * @param base - the state before the first revision
 */
export function createHistory(base: StateReader = nothing) {
  const versions = new Map<string, Version[]>()
  /** The changed keys of each revision. */
  const changed: string[][] = []
  /** The newest revision after each truncation. */
  const returns: number[] = []

  const find = (key: string, revision: number): Version | undefined => {
    const list = versions.get(key)
    const newest = list?.at(-1)
    // Most reads are of the newest state.
    if (!list || !newest || newest.revision <= revision) return newest
    return list[countFirst(list, (version) => version.revision <= revision) - 1]
  }

  /** Returns a function that says whether a revision was removed since this call. */
  function undoneLater(revision: number): () => boolean {
    let seen = returns.length
    let isUndone = false
    return () => {
      while (seen < returns.length) if ((returns[seen++] as number) < revision) isUndone = true
      return isUndone
    }
  }

  function undo(key: string): void {
    const list = versions.get(key) as Version[]
    list.pop()
    if (list.length === 0) versions.delete(key)
  }

  return {
    get<table extends Table>(table: table, key: string): Tables[table] | undefined {
      const newest = versions.get(`${table}:${key}`)?.at(-1)
      return (newest ? newest.value : base.get(table, key)) as never
    },
    /** The newest revision; -1 before the first change. */
    revision: () => changed.length - 1,
    /** The state as of a revision. Reads throw EthereumError after that revision is removed. */
    at(revision: number): StateReader {
      const isUndone = undoneLater(revision)
      const named = (name: string, table: Table, key: string): unknown => {
        if (isUndone()) throw new EthereumError('header not found')
        const version = find(name, revision)
        return version ? version.value : base.get(table, key)
      }
      return { named, get: (table, key) => named(`${table}:${key}`, table, key) as never }
    },
    /** Records changes. Returns their revision. */
    apply(changes: ReadonlyMap<string, unknown>): number {
      const revision = changed.push([...changes.keys()]) - 1
      for (const [key, value] of changes) {
        const list = versions.get(key)
        if (list) list.push({ revision, value })
        else versions.set(key, [{ revision, value }])
      }
      return revision
    },
    /** Removes every later revision. Its cost depends on the number of changes, not on the size of the state. */
    truncate(revision: number): void {
      returns.push(revision)
      while (changed.length > revision + 1) for (const key of changed.pop() as string[]) undo(key)
    },
    /** The newest revision up to `revision` that changed a key; undefined if none did. */
    changedAt: (table: Table, key: string, revision: number) =>
      find(`${table}:${key}`, revision)?.revision,
    /** The keys of a table that begin with a text, of any revision. */
    keysOf(table: Table, prefix: string): string[] {
      const name = `${table}:${prefix}`
      return [...versions.keys()]
        .filter((key) => key.startsWith(name))
        .map((key) => key.slice(table.length + 1))
    },
    /** The changes of a revision. */
    changesAt: (revision: number): ReadonlyMap<string, unknown> =>
      new Map((changed[revision] ?? []).map((key) => [key, find(key, revision)?.value])),
  }
}

/** Creates a writable state. `parent` does not see its changes before `commit`. */
export function createOverlay(parent: StateReader | State): Overlay {
  const changes = new Map<string, unknown>()
  const { named: above } = parent
  const named = (name: string, table: Table, key: string): unknown => {
    const value = changes.get(name)
    // A value that was deleted is there as `undefined`.
    if (value !== undefined || changes.has(name)) return value
    return above ? above(name, table, key) : parent.get(table, key)
  }
  return {
    named,
    get: (table, key) => named(`${table}:${key}`, table, key) as never,
    set(table, key, value) {
      changes.set(`${table}:${key}`, value)
    },
    setAll(values) {
      for (const [name, value] of values) changes.set(name, value)
    },
    commit() {
      if (!('set' in parent)) throw new Error('the parent of this state is read-only')
      parent.setAll(changes)
      changes.clear()
    },
    changes: () => changes,
  }
}
