import { encodePage } from '../../codec/logPage/encode.ts'
import type { Entry } from '../engine/engine.ts'
import type { IndexBlock } from './block.ts'
import { pageKey } from './keys.ts'

/** The pages of a block with their keys: page n has the logs from n × `logsPerPage` on. */
export function pagesOf(block: IndexBlock, logsPerPage: number): Entry[] {
  const { logs, number } = block
  const pages: Entry[] = []
  const pageAt = (at: number) => Math.floor((logs[at]?.index ?? Infinity) / logsPerPage)
  for (let at = 0; at < logs.length;) {
    const page = pageAt(at)
    let end = at + 1
    while (pageAt(end) === page) end += 1
    pages.push({ key: pageKey(number, page), value: encodePage(block, logs.slice(at, end)) })
    at = end
  }
  return pages
}
