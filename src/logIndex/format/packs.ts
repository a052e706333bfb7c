import { encodePack } from '../../codec/logPack/encode.ts'
import type { Entry } from '../engine/engine.ts'
import type { IndexBlock } from './block.ts'
import { packKey } from './keys.ts'

/** The packs of a block with their keys: pack n has the logs from n × `logsPerPack` on. */
export function packsOf(block: IndexBlock, logsPerPack: number): Entry[] {
  const { logs, number } = block
  const packs: Entry[] = []
  const packAt = (at: number) => Math.floor((logs[at]?.index ?? Infinity) / logsPerPack)
  for (let at = 0; at < logs.length;) {
    const pack = packAt(at)
    let end = at + 1
    while (packAt(end) === pack) end += 1
    packs.push({ key: packKey(number, pack), value: encodePack(block, logs.slice(at, end)) })
    at = end
  }
  return packs
}
