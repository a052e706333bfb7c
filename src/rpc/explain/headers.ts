import type { Hash } from 'viem'

import type { CallRecorder, RecordedCall } from './recorder.ts'

/** Maximum number of native calls in the header. */
const MAX_CALLS = 20

/**
 * Runs a request and describes in headers how it was answered: `X-Ethgate-Block` (number and hash of the newest block at
 * the start), `X-Ethgate-Source` (`memory` or `upstream`), `X-Ethgate-Calls` (each native call with status, milliseconds
 * and node).
 */
export async function explainInHeaders<answer>(
  work: () => Promise<answer>,
  {
    head,
    recorder,
  }: {
    /** The newest block; undefined before the first one. */
    head: () => { number: number; hash: Hash } | undefined
    recorder: Pick<CallRecorder, 'record'>
  },
): Promise<{ answer: answer; headers: Record<string, string> }> {
  const block = head()
  const { calls, result } = await recorder.record(work)
  return {
    answer: result,
    headers: {
      'access-control-expose-headers': 'X-Ethgate-Block, X-Ethgate-Source, X-Ethgate-Calls',
      ...(block && { 'x-ethgate-block': `${block.number} ${block.hash}` }),
      'x-ethgate-source': calls.length === 0 ? 'memory' : 'upstream',
      ...(calls.length > 0 && { 'x-ethgate-calls': listed(calls) }),
    },
  }
}

function listed(calls: readonly RecordedCall[]): string {
  const shown = calls
    .slice(0, MAX_CALLS)
    .map(
      ({ ms, operation, outcome, upstream }) =>
        `${operation};status=${outcome};dur=${ms.toFixed(1)}${upstream === undefined ? '' : `;upstream="${upstream}"`}`,
    )
  const rest = calls.length - shown.length
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')
}
