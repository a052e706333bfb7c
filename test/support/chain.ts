import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'

import { createNodeClient } from '../../src/native/client.ts'
import type { NativeTransport } from '../../src/native/transport/transport.ts'
import { serve } from './serve.ts'

/** A log of a new block. */
export type ScriptedLog = { address: string; topics: string[]; data?: string }

/** A new block: the logs of each of its transactions. */
export type Script = {
  logs?: ScriptedLog[][]
  timestamp?: number
  /** Ids of the first transactions, without `0x`. @default new ones */
  ids?: string[]
}

type Stored = {
  number: number
  id: string
  parent: string
  timestamp: number
  transactions: { id: string; logs: ScriptedLog[] }[]
}

/** The faults of a scripted chain's node. */
type Faults = {
  /** Reports a head that is this many blocks older, like a lagging node behind a load balancer. */
  lag?: number
  /** Answers HTTP 503. */
  down?: boolean
  /** Does not answer. */
  hang?: boolean
}

/**
 * A chain that the test controls, with the node's HTTP interface. The test makes blocks, removes branches, and lets the
 * node lag or fail. Block ids are deterministic.
 */
export function createScriptedChain({
  seed = 'chain',
  start = 0,
}: createScriptedChain.Options = {}) {
  const blocks: Stored[] = []
  const known = new Map<string, Stored>()
  const calls = new Map<string, number>()
  const pending: string[] = []
  const faults: Faults = {}
  const listeners = new Set<() => void>()
  let solid = start
  let made = 0

  const changed = () => {
    for (const listener of listeners) listener()
  }

  const digest = (text: string) => createHash('sha256').update(`${seed}:${text}`).digest('hex')

  function push({ ids = [], logs = [], timestamp }: Script): Stored {
    const parent = blocks.at(-1)
    const number = parent ? parent.number + 1 : start
    made++
    const block: Stored = {
      number,
      id: number.toString(16).padStart(16, '0') + digest(`block ${made}`).slice(16),
      parent: parent?.id ?? '0'.repeat(64),
      timestamp: timestamp ?? (parent?.timestamp ?? 1_700_000_000_000) + 3_000,
      transactions: logs.map((logs, index) => ({
        id: ids[index] ?? digest(`tx ${made} ${index}`),
        logs,
      })),
    }
    blocks.push(block)
    known.set(block.id, block)
    return block
  }

  const at = (number: number) => blocks[number - start]
  const newest = () => blocks.at(-1) as Stored

  function find(ref: string | undefined, top: Stored): Stored | undefined {
    if (ref === undefined || ref === '') return top
    if (/^[0-9a-f]{64}$/.test(ref)) return known.get(ref)
    const block = at(Number(ref))
    return block && block.number <= top.number ? block : undefined
  }

  function answer(path: string, body: Record<string, unknown>): unknown {
    const [, prefix, operation = ''] = path.split('/')
    const shown = Math.max(start, newest().number - (faults.lag ?? 0))
    const top = at(prefix === 'walletsolidity' ? Math.min(solid, shown) : shown) as Stored
    switch (operation) {
      case 'getnowblock':
        return toBlock(top, true)
      case 'getblock': {
        const block = find(body['id_or_num'] as string | undefined, top)
        return block ? toBlock(block, body['detail'] === true) : {}
      }
      case 'getblockbynum': {
        const block = find(String(Number(body['num'] ?? 0)), top)
        return block ? toBlock(block, true) : {}
      }
      case 'getblockbyid': {
        const block = known.get(body['value'] as string)
        return block ? toBlock(block, true) : {}
      }
      case 'getblockbylimitnext': {
        const [from, to] = [Number(body['startNum'] ?? 0), Number(body['endNum'])]
        const found = blocks.filter(
          ({ number }) => number >= from && number < to && number <= top.number,
        )
        return { block: found.map((block) => toBlock(block, true)) }
      }
      case 'gettransactioninfobyblocknum': {
        const block = find(String(Number(body['num'] ?? 0)), top)
        return block ? toInfos(block) : []
      }
      case 'gettransactioninfobyid': {
        const infos = blocks.filter(({ number }) => number <= top.number).flatMap(toInfos)
        return infos.find(({ id }) => id === body['value']) ?? {}
      }
      case 'gettransactionbyid': {
        const id = body['value'] as string
        if (pending.includes(id)) return toTransaction(id)
        const block = blocks.find(({ transactions }) => transactions.some((one) => one.id === id))
        return block ? toTransaction(id, block.timestamp + 60_000) : {}
      }
      case 'getenergyprices':
        return { prices: '0:100' }
      case 'getnextmaintenancetime':
        return { num: Number.MAX_SAFE_INTEGER }
      case 'gettransactionfrompending': {
        const id = body['value'] as string
        return pending.includes(id) ? toTransaction(id) : {}
      }
      case 'gettransactionlistfrompending':
        return pending.length > 0 ? { txId: [...pending] } : {}
      case 'triggerconstantcontract':
        return {
          result: { result: true },
          energy_used: 1,
          constant_result: [''],
          transaction: { ret: [{}], raw_data: referenceTo(at(shown) as Stored) },
        }
      default:
        return {}
    }
  }

  async function send(path: string, body: string | undefined) {
    calls.set(path, (calls.get(path) ?? 0) + 1)
    if (faults.down) return { status: 503, text: '' }
    if (faults.hang) await new Promise(() => {})
    const input = body ? (JSON.parse(body) as Record<string, unknown>) : {}
    return { status: 200, text: JSON.stringify(answer(path, input)) }
  }

  const transport: NativeTransport = { send, async close() {} }
  push({})

  return {
    /** Makes the next block. */
    mine(script: Script = {}) {
      const block = toRef(push(script))
      changed()
      return block
    },
    /** Removes the newest `depth` blocks and makes others in their place. */
    reorg(depth: number, scripts: Script[]) {
      blocks.splice(blocks.length - depth, depth)
      const branch = scripts.map((script) => toRef(push(script)))
      changed()
      return branch
    },
    /** Raises the solidified block. */
    solidify(number: number) {
      solid = number
      changed()
    },
    /** Calls the listener after each change of the chain. Returns the function that removes it. */
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    head: () => toRef(newest()),
    /** Hash of the first block. */
    genesis: `0x${(blocks[0] as Stored).id}` as const,
    /** The canonical blocks, oldest first. */
    canonical: () => blocks.map(toRef),
    /** Hashes in the mempool, without `0x`. */
    pending,
    faults,
    /** Calls by path since the start. */
    calls,
    total: () => [...calls.values()].reduce((sum, count) => sum + count, 0),
    transport,
    native: createNodeClient({ transport }),
    /** Serves both prefixes on a free port. */
    listen: () =>
      serve(async (request, response) => {
        const reply = await send(request.url ?? '', await text(request))
        response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.text)
      }),
  }
}

export declare namespace createScriptedChain {
  type Options = {
    /** Chains of different seeds have different hashes. */
    seed?: string
    /** Number of the first block. @default 0 */
    start?: number
  }
}

/** A chain whose blocks the test chooses. */
export type ScriptedChain = ReturnType<typeof createScriptedChain>

function toRef({ id, number, parent, timestamp, transactions }: Stored) {
  return {
    number,
    hash: `0x${id}` as const,
    parentHash: `0x${parent}` as const,
    timestamp,
    transactions: transactions.map(({ id }) => `0x${id}` as const),
    /** `number:logIndex` of each log, with its transaction. */
    logs: transactions.flatMap(({ id, logs }) => logs.map((_, index) => `0x${id}:${index}`)),
  }
}

/** The reference block of a transaction: the last bytes of its height and eight bytes of its hash. */
function referenceTo({ id, number }: Stored) {
  return {
    ref_block_bytes: number.toString(16).padStart(4, '0').slice(-4),
    ref_block_hash: id.slice(16, 32),
  }
}

function toBlock({ id, number, parent, timestamp, transactions }: Stored, detail: boolean) {
  return {
    blockID: id,
    block_header: {
      raw_data: {
        ...(number > 0 && { number }),
        timestamp,
        txTrieRoot: transactions.length > 0 ? 'ab'.repeat(32) : '0'.repeat(64),
        parentHash: parent,
        witness_address: `41${'11'.repeat(20)}`,
        version: 32,
      },
      witness_signature: '00'.repeat(65),
    },
    ...(detail &&
      transactions.length > 0 && {
        transactions: transactions.map(({ id }) => toTransaction(id)),
      }),
  }
}

function toTransaction(id: string, expiration?: number) {
  return {
    txID: id,
    raw_data: {
      contract: [
        {
          type: 'TriggerSmartContract',
          parameter: {
            value: {
              owner_address: `41${'22'.repeat(20)}`,
              contract_address: `41${'33'.repeat(20)}`,
            },
            type_url: 'type.googleapis.com/protocol.TriggerSmartContract',
          },
        },
      ],
      ...(expiration !== undefined && { expiration }),
    },
    raw_data_hex: '',
    signature: [],
    ret: [{ contractRet: 'SUCCESS' }],
  }
}

function toInfos({ number, timestamp, transactions }: Stored) {
  return transactions.map(({ id, logs }) => ({
    id,
    blockNumber: number,
    blockTimeStamp: timestamp,
    contractResult: [''],
    contract_address: `41${'33'.repeat(20)}`,
    receipt: { energy_usage_total: 100, result: 'SUCCESS' },
    ...(logs.length > 0 && {
      log: logs.map(({ address, data = '', topics }) => ({ address, topics, data })),
    }),
  }))
}
