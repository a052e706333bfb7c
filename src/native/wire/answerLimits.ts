// Bounds on the answers of a node. They hold for a node that is broken, or under the control of somebody else. Each is well above the
// largest answer that a healthy node gives.

const MIB = 1024 * 1024

/** Bytes of an answer with one block: three times the JSON of a full block of 2 MB. */
const BLOCK = 16 * MIB

/** Bytes of an answer with outcomes or a list: the outcomes of a block with 100,000 logs take about 60 MB. */
const LIST = 64 * MIB

/** Bytes of an answer with several blocks: 50 blocks that are half full. */
const BLOCKS = 128 * MIB

/** Bytes of any other answer. The result of a contract call has at most 3 MB, as hex. */
const OTHER = 32 * MIB

const BYTES: Readonly<Record<string, number>> = {
  getassetissuelist: LIST,
  getblock: BLOCK,
  getblockbyid: BLOCK,
  getblockbylatestnum: BLOCKS,
  getblockbylimitnext: BLOCKS,
  getblockbynum: BLOCK,
  getnowblock: BLOCK,
  gettransactioninfobyblocknum: LIST,
  gettransactioninfobyid: LIST,
  GetBlockByLimitNext: LIST,
  GetTransactionInfoByBlockNum: LIST,
}

/** Largest answer to a call, in bytes. */
export function maxBytes(path: string): number {
  const query = path.indexOf('?')
  const name = path.slice(path.indexOf('/', 1) + 1, query === -1 ? undefined : query)
  return Object.hasOwn(BYTES, name) ? (BYTES[name] as number) : OTHER
}

/**
 * Bytes of the answers that a transport receives at the same time, and characters of the answers that are parsed at the same time. A
 * parsed answer takes several times its text, so this is an eighth of the heap.
 */
export const MAX_IN_FLIGHT = Math.min(256 * MIB, heapLimit() / 8)

/** Bytes of an answer of the node's own JSON-RPC. Release 4.8.2 limits the answers of a batch to 25 MiB. */
export const MAX_RPC_ANSWER = 64 * MIB

/** Nesting of lists and objects. The node's answers have up to ten levels. */
export const MAX_DEPTH = 32

/** Values of all kinds in an answer: those of 100,000 logs. */
export const MAX_VALUES = 2_000_000

/** Characters of a text: a log has at most the 3 MB of a contract's memory, as hex. */
export const MAX_TEXT = 8 * MIB

/** Digits of an integer. An int64 has 19; an amount of a development chain with 18 decimals has more, up to the 78 of a uint256. */
export const MAX_DIGITS = 78

/** The heap limit of this process in bytes. A browser, where the native client runs too, does not say. */
function heapLimit(): number {
  const v8 = globalThis.process?.getBuiltinModule?.('node:v8')
  return v8?.getHeapStatistics().heap_size_limit ?? Infinity
}
