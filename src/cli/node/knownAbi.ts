import type { Abi } from 'viem'

import { get, isRecord } from '../base/json.ts'
import { below, type Target } from './target.ts'

/** Contracts whose ABI is asked for. */
const MOST = 20

/** Milliseconds for one answer: the command also works without. */
const TIMEOUT = 5_000

/**
 * The ABIs that the gateway knows, by address in lower case: those on the chain and those of its build folders. A contract is missing
 * when the gateway knows no ABI, serves no pages, or only a node is given.
 */
export async function knownAbis(
  { baseUrl, headers, isNodeOnly }: Target,
  addresses: Iterable<string>,
): Promise<Map<string, Abi>> {
  const all = isNodeOnly ? [] : [...new Set([...addresses].map((one) => one.toLowerCase()))]
  const found = await Promise.all(
    all.slice(0, MOST).map(async (address): Promise<[string, Abi][]> => {
      try {
        const url = below(baseUrl, '/api')
        for (const [name, value] of Object.entries({
          module: 'contract',
          action: 'getabi',
          address,
        }))
          url.searchParams.set(name, value)
        const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT) })
        const answer: unknown = await response.json()
        const text = isRecord(answer) && get(answer, 'status') === '1' && get(answer, 'result')
        return typeof text === 'string' ? [[address, JSON.parse(text) as Abi]] : []
      } catch {
        return []
      }
    }),
  )
  return new Map(found.flat())
}
