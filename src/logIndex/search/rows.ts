import type { Searcher, SearchRequest } from './search.ts'

/** A row of eth_getLogs. */
type Row = Record<string, string> & { topics: string[] }

/** All rows of a search in order, about `size` at a time, cut between blocks. */
export async function* readRows(
  searcher: Searcher,
  search: Omit<SearchRequest, 'limit'>,
  size: number,
): AsyncGenerator<Row[]> {
  let { from } = search
  for (let limit = size; from <= search.to;) {
    const { blocks, bytes } = await searcher.search({ ...search, from, limit })
    const rows = JSON.parse(`[${bytes.toString('latin1')}]`) as Row[]
    if (rows.length <= limit) {
      yield rows
      return
    }
    // The last block may be cut, so the next search begins with it.
    const next = blocks[limit] ?? from
    const whole = rows.filter((_, row) => (blocks[row] ?? 0) < next)
    if (whole.length > 0) yield whole
    limit = whole.length === 0 ? limit * 2 : size
    from = next
  }
}
