import type { Call } from '../../lib/call.ts'
import { type GrpcCall, grpcCallFor } from '../../native/grpc/calls.ts'
import { itemsOf } from '../../native/protobuf/fields.ts'
import type { NativePath, NativeReply, NativeTransport } from '../../native/transport/transport.ts'
import type { Hex } from '../../native/wire/types.ts'
import type { Part } from './halves.ts'
import { listOf, type StoredBlock } from './row.ts'

/** Final blocks that were stored, and what becomes of those that a node gives. */
export type BlockSource = {
  /** The newest final block. */
  solid(): number
  /** Undefined when it is not stored. @throws Error when the storage fails */
  get(number: number): Promise<StoredBlock | undefined>
  heightOf(id: Hex): Promise<number | undefined>
  keep(part: Part): void
}

/**
 * Says who answers a read of blocks, transactions and outcomes. What is in memory does not come here. Then:
 *
 * 1. the store, when it has all that is asked for and all of it is final;
 * 2. the node over gRPC, when it has that interface (`withGrpc`);
 * 3. the node over HTTP.
 *
 * Answers of nodes about final blocks are stored. Calls that need the text of a node (without `part`), and repeated ones after answers
 * that did not fit together, are not answered from the store.
 *
 * @param source - undefined while there is no store that may answer
 * @param onRead - learns of each read that the store could answer, and whether it did
 */
export function throughStore(
  transport: NativeTransport,
  source: () => BlockSource | undefined,
  onRead: (call: Call, isHit: boolean) => void = () => {},
): NativeTransport {
  return {
    ...transport,
    async send(path, body, options) {
      const from = source()
      const wanted = from && options.part !== undefined ? wantedBy(path, body) : undefined
      if (!from || !wanted) return transport.send(path, body, options)
      const isFinal = wanted.to <= from.solid()
      const found =
        isFinal || wanted.kind === 'one'
          ? await answerOf(from, wanted, options.part).catch(() => undefined)
          : undefined
      if (isFinal || found) onRead(options, found !== undefined)
      if (found) return found
      options.signal?.throwIfAborted()
      const reply = await transport.send(path, body, options)
      if (isFinal && wanted.kind !== 'one' && reply.status === 200)
        from.keep({
          kind: wanted.kind,
          number: wanted.from,
          ...(reply.bytes ? { bytes: new Uint8Array(reply.bytes) } : { text: reply.text }),
        })
      return reply
    },
  }
}

/** What a call asks for. */
type Wanted = {
  kind: Part['kind'] | 'one'
  /** The last part of the path. */
  name: string
  /** The first height and the last one; not known for a transaction. */
  from: number
  to: number
  /** The id of a block or a transaction. */
  id: Hex
  body: string
}

const KINDS: Readonly<Record<string, Wanted['kind']>> = {
  getblockbyid: 'block',
  getblockbylimitnext: 'blocks',
  getblockbynum: 'block',
  gettransactionbyid: 'one',
  gettransactioninfobyblocknum: 'outcomes',
  gettransactioninfobyid: 'one',
}

function wantedBy(path: NativePath, body = '{}'): Wanted | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const kind = KINDS[name]
  if (kind === undefined) return undefined
  const { endNum = 0, num = 0, startNum = 0, value = '' } = JSON.parse(body) as Request
  // The height is the beginning of the id of a block.
  const height = name === 'getblockbyid' ? Number.parseInt(value.slice(0, 16), 16) : num
  const [from, to] = kind === 'blocks' ? [startNum, endNum - 1] : [height, height]
  return { kind, name, from, to: kind === 'one' ? Infinity : to, id: value, body }
}

type Request = { num?: number; startNum?: number; endNum?: number; value?: string }

async function answerOf(
  source: BlockSource,
  wanted: Wanted,
  part = '',
): Promise<NativeReply | undefined> {
  const call = grpcCallFor(`/wallet/${wanted.name}`, part, wanted.body)
  const parsed = call && (await read(source, wanted, call))
  return parsed === undefined ? undefined : { status: 200, text: '', parsed, isChecked: true }
}

async function read(
  source: BlockSource,
  { from, id, kind, name, to }: Wanted,
  { read }: GrpcCall,
): Promise<unknown> {
  if (kind === 'one') {
    const number = await source.heightOf(id)
    const stored = number !== undefined && number <= source.solid() && (await source.get(number))
    if (!stored) return undefined
    const outcomes = itemsOf(stored.outcomes)
    // An outcome begins with its id: a tag, a length and 32 bytes.
    const index = outcomes.findIndex((outcome) => outcome.toString('hex', 2, 34) === id)
    if (index < 0) return undefined
    const item = name === 'gettransactionbyid' ? itemsOf(stored.block)[index] : outcomes[index]
    return item && read(item)
  }
  if (kind === 'blocks') {
    const blocks: Buffer[] = []
    for (let number = from; number <= to; number++) {
      const stored = await source.get(number)
      if (!stored) return undefined
      blocks.push(stored.block)
    }
    return read(listOf(blocks))
  }
  const stored = await source.get(from)
  if (!stored) return undefined
  if (kind === 'outcomes') return read(stored.outcomes) ?? []
  const block = read(stored.block)
  return name !== 'getblockbyid' || (block as { blockID?: Hex }).blockID === id ? block : undefined
}
