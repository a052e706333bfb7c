import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/**
 * Checks the file of an embedded index before it is mapped. LMDB does not check the numbers in its file: a page beyond the end of the file, or a
 * value beyond the end of a page, ends the process with SIGBUS or SIGSEGV in place of an error.
 *
 * It reads the meta pages and every branch page. Leaf pages, about 98 % of the file, are read with `readsAll`, and when the file is small
 * or shorter than its meta page says.
 *
 * @throws Error when the file is damaged, cut short, or no index
 */
export function checkLmdbFile(path: string, { readsAll = false } = {}): void {
  const file = openSync(path, 'r')
  try {
    // Another process may reuse pages while they are read. Then its transaction is noted, and the new state is read.
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { size } = fstatSync(file)
      if (size === 0) return
      const meta = readMeta(file)
      try {
        return checkTables(file, meta, { readsAll, size })
      } catch (error) {
        if (readMeta(file).transaction === meta.transaction) throw error
      }
    }
  } finally {
    closeSync(file)
  }
}

/** Reads of a file that others write to at the same time. When each finds another transaction, the file can be written to. */
const ATTEMPTS = 10

/** Bytes up to which every leaf page is always read: some hundred milliseconds. */
const SMALL = 256 * 1024 * 1024

/** Fields of a meta page. */
type Meta = { pageSize: number; pages: number; transaction: bigint; tables: Table[] }

/** A B-tree: its root page and its height. */
type Table = { root: number; depth: number }

// Offsets of the file format, version 2. A page begins with its number. These are its flags, and the bytes of its pointers to nodes. The
// pointers follow the header and count from its end.
const FLAGS = 18
const LOWER = 20
const HEADER = 24
const [BRANCH, LEAF, BIG, META_PAGE] = [0x01, 0x02, 0x04, 0x08]
// A meta page has these after the header.
const MAGIC = 24
const VERSION = 28
const PAGE_SIZE = 48
const TABLES_AT = [48, 96]
const LAST_PAGE = 144
const TRANSACTION = 152
const META_BYTES = 160
// A table has these from its beginning.
const DEPTH = 6
const ROOT = 40
const TABLE_BYTES = 48
/** A node: three numbers of 16 bits, the length of its key, the key, the value. */
const NODE = 8
const [BIG_VALUE, SUB_TABLE] = [0x01, 0x02]
/** The root of an empty table. */
const NONE = 0xffff_ffff_ffff_ffffn

const MIN_PAGE_SIZE = 256
const MAX_PAGE_SIZE = 65_536
/** Higher than any tree that a file can hold. */
const MAX_DEPTH = 32

/** The newer of the two meta pages. */
function readMeta(file: number): Meta {
  const first = metaOf(readAt(file, 0, META_BYTES))
  const second = metaOf(readAt(file, first.pageSize, META_BYTES))
  return second.transaction > first.transaction ? second : first
}

function metaOf(page: Buffer): Meta {
  const pageSize = page.readUInt32LE(PAGE_SIZE)
  const isMeta =
    (page.readUInt16LE(FLAGS) & META_PAGE) !== 0 &&
    page.readUInt32LE(MAGIC) === 0xbeefc0de &&
    page.readUInt32LE(VERSION) === 2 &&
    pageSize >= MIN_PAGE_SIZE &&
    pageSize <= MAX_PAGE_SIZE
  if (!isMeta) throw new Error('the file is not a log index')
  return {
    pageSize,
    pages: Number(page.readBigUInt64LE(LAST_PAGE)) + 1,
    transaction: page.readBigUInt64LE(TRANSACTION),
    tables: TABLES_AT.flatMap((at) => tableOf(page.subarray(at))),
  }
}

/** No table when it is empty. */
function tableOf(bytes: Buffer): Table[] {
  const root = bytes.readBigUInt64LE(ROOT)
  return root === NONE ? [] : [{ root: Number(root), depth: bytes.readUInt16LE(DEPTH) }]
}

function checkTables(
  file: number,
  { pages, pageSize, tables }: Meta,
  { readsAll, size }: { readsAll: boolean; size: number },
): void {
  const readsLeaves = readsAll || size <= SMALL || pages * pageSize > size
  const end = Math.min(pages, Math.floor(size / pageSize))

  function check({ depth, root }: Table, isRoot: boolean): void {
    if (depth < 1 || depth > MAX_DEPTH) throw damaged(root)
    for (const leaf of leavesOf(root, depth)) {
      requirePage(leaf, root)
      if (!isRoot && !readsLeaves) continue
      const page = readPage(leaf, LEAF)
      for (const at of nodesOf(page, leaf)) {
        const flags = page.readUInt16LE(at + 4)
        const value = at + NODE + page.readUInt16LE(at + 6)
        const length = page.readUInt32LE(at)
        if (value + (flags & BIG_VALUE ? 8 : length) > pageSize) throw damaged(leaf)
        if (flags & BIG_VALUE) {
          const first = Number(page.readBigUInt64LE(value))
          const count = Math.ceil((HEADER + length) / pageSize)
          requirePage(first + count - 1, leaf)
          if (readPage(first, BIG, HEADER).readUInt32LE(LOWER) !== count) throw damaged(first)
        }
        if (!(flags & SUB_TABLE)) continue
        if (length < TABLE_BYTES) throw damaged(leaf)
        for (const table of tableOf(page.subarray(value))) check(table, false)
      }
    }
  }

  /** The numbers of the leaf pages of a tree. */
  function leavesOf(root: number, depth: number): number[] {
    let level = [root]
    for (let left = depth; left > 1; left--)
      level = level.flatMap((number) => {
        const page = readPage(number, BRANCH)
        return nodesOf(page, number).map(
          (at) => page.readUInt32LE(at) + page.readUInt16LE(at + 4) * 2 ** 32,
        )
      })
    return level
  }

  function readPage(number: number, kind: number, length = pageSize): Buffer {
    requirePage(number, number)
    const page = readAt(file, number * pageSize, length)
    const isRight =
      Number(page.readBigUInt64LE(0)) === number && (page.readUInt16LE(FLAGS) & kind) !== 0
    if (!isRight) throw damaged(number)
    return page
  }

  /** Offsets of the nodes of a page. */
  function nodesOf(page: Buffer, number: number): number[] {
    const pointers = page.readUInt16LE(LOWER)
    if (HEADER + pointers > pageSize) throw damaged(number)
    return Array.from({ length: pointers / 2 }, (_, node) => {
      const at = HEADER + page.readUInt16LE(HEADER + node * 2)
      if (at < HEADER + pointers || at + NODE > pageSize) throw damaged(number)
      return at
    })
  }

  /** Checks that a page is in the file. @param from - the page that names it */
  function requirePage(number: number, from: number): void {
    if (number >= end || number < 2)
      throw number < pages && number >= 2 ? new Error('the file is cut short') : damaged(from)
  }

  for (const table of tables) check(table, true)
}

function damaged(page: number): Error {
  return new Error(`the file is damaged at page ${page}`)
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  if (readSync(file, bytes, 0, length, position) < length) throw new Error('the file is cut short')
  return bytes
}
