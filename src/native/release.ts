/**
 * What a release of the node changes for the gateway and for those who call the node themselves, measured on recorded nodes. A
 * release that is not listed has not been tested.
 */
const CHANGES: ReadonlyMap<string, string> = new Map([
  [
    '4.8.0',
    'its own JSON-RPC: no revert data, no eth_getBlockReceipts, no blockTimestamp in logs; too large requests get a text, not HTTP 413',
  ],
  [
    '4.8.1',
    'its own JSON-RPC: revert data and eth_getBlockReceipts, no blockTimestamp in logs; it has getpaginatednowwitnesslist',
  ],
  [
    '4.8.2',
    'its own JSON-RPC: at most 100 requests in a batch, 1,000 addresses and 4 MiB; revert data, eth_getBlockReceipts, blockTimestamp in logs; int64_as_string in its HTTP API',
  ],
])

/** What changes with a release, such as `4.8.2`; undefined for a release that was not tested. */
export function changesOf(release: string | null | undefined): string | undefined {
  return release ? CHANGES.get(release) : undefined
}

/** The releases that are known, as text. */
export const KNOWN_RELEASES = [...CHANGES.keys()].join(', ')

/** Logs the release of a node when it becomes known and when it changes. */
export function logRelease(
  log: { info: (fields: object, message: string) => void } | undefined,
  upstream: string,
  release: string,
): void {
  const changes = changesOf(release) ?? `not tested; tested with ${KNOWN_RELEASES}`
  log?.info({ upstream, release, changes }, `upstream ${upstream} is java-tron ${release}`)
}
