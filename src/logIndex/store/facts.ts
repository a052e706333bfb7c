import { randomInt } from 'node:crypto'

import { type Batch, type Engine, IndexError } from '../engine/engine.ts'

/** Properties of an index that never change. */
export type Facts = {
  /** The layout of its rows. */
  format: number
  /** Hash of block 0, hex without `0x`. */
  genesis: string
  /** Seed of the hash of values. */
  seed: [number, number]
  /** The contracts whose logs are kept, hex without `0x`, sorted; absent when all are. */
  addresses?: string[]
}

/** The version of the layout of rows. */
const FORMAT = 1

const KEY = Buffer.from('index')

/** The facts of an index; undefined when it was never written. @throws IndexError when its layout has another version. */
export async function readFacts(engine: Engine): Promise<Facts | undefined> {
  return engine.read(async (view) => parse((await view.get('facts', [KEY]))[0]))
}

/**
 * Opens an index for a chain, a new one when it was never written.
 *
 * @param addresses - contracts whose logs are kept. Absent takes what an index has, or all.
 * @throws IndexError when it is of another chain, another layout, or keeps other contracts.
 */
export async function openFacts(
  engine: Engine,
  { addresses, genesis }: { genesis: string; addresses?: readonly string[] | undefined },
): Promise<Facts> {
  const wanted = addresses && [...new Set(addresses)].toSorted()
  const known = (await readFacts(engine)) ?? (await engine.write(create))
  if (known.genesis !== genesis)
    throw new IndexError(
      `the log index belongs to another chain (its block 0 is 0x${known.genesis}, the node’s is 0x${genesis})`,
    )
  if (wanted && wanted.join() !== known.addresses?.join())
    throw new IndexError(
      known.addresses
        ? `the log index keeps the logs of ${known.addresses.length} other contracts; use another one for these`
        : 'the log index keeps the logs of all contracts; use another one for a few',
    )
  return known

  async function create(batch: Batch): Promise<Facts> {
    const [existing] = await batch.get('facts', [KEY])
    const facts = parse(existing) ?? {
      format: FORMAT,
      genesis,
      seed: [randomInt(2 ** 32), randomInt(2 ** 32)],
      ...(wanted && { addresses: wanted }),
    }
    await batch.put('facts', [{ key: KEY, value: Buffer.from(JSON.stringify(facts)) }])
    return facts
  }
}

function parse(value: Buffer | undefined): Facts | undefined {
  if (!value) return undefined
  const facts = JSON.parse(value.toString()) as Facts
  if (facts.format !== FORMAT)
    throw new IndexError(`the log index has layout ${facts.format}, this version reads ${FORMAT}`)
  return facts
}
