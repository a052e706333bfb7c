import type { IncomingMessage } from 'node:http'

import type { Hash } from 'viem'

import { isComplete } from '../../chain/logs/origins.ts'
import { IN_PROCESS } from '../../limits/caller.ts'
import type { CallLimits } from '../../limits/limits.ts'
import type { ClientCall } from '../request.ts'
import { type CallRecorder, callsFor, type RecordedCall } from './recorder.ts'

/** Maximum number of native calls, and of ranges of blocks, in a header. */
const MAX_LISTED = 20

/**
 * Runs a request and describes in headers how it was answered: `X-Ethgate-Block` (number and hash of the newest block at
 * the start), `X-Ethgate-Source` (`memory` or `upstream`), `X-Ethgate-Calls` (each native call with status, milliseconds
 * and node), `X-Ethgate-Logs` (where the logs of which blocks were found) with `X-Ethgate-Logs-Complete`, `X-Ethgate-Cost`
 * (units), and what is left to the caller.
 */
export async function explainInHeaders<answer>(
  work: () => Promise<answer>,
  {
    head,
    limits,
    recorder,
    call: { caller = IN_PROCESS, meter },
  }: {
    /** The newest block; undefined before the first one. */
    head: () => { number: number; hash: Hash } | undefined
    limits: Pick<CallLimits, 'headers'>
    recorder: Pick<CallRecorder, 'record'>
    call: Pick<ClientCall, 'caller' | 'meter'>
  },
): Promise<{ answer: answer; headers: Record<string, string> }> {
  const block = head()
  const before = meter?.charged ?? 0
  const { calls: made, origins, result } = await recorder.record(work)
  const calls = callsFor(caller, made)
  const cost = (meter?.charged ?? 0) - before
  return {
    answer: result,
    headers: {
      'access-control-expose-headers':
        'X-Ethgate-Block, X-Ethgate-Cost, X-Ethgate-Source, X-Ethgate-Calls, X-Ethgate-Logs, X-Ethgate-Logs-Complete, RateLimit, RateLimit-Policy',
      'x-ethgate-cost': String(Math.round(cost * 1_000) / 1_000),
      ...(await limits.headers(caller)),
      ...(block && { 'x-ethgate-block': `${block.number} ${block.hash}` }),
      'x-ethgate-source': calls.length === 0 ? 'memory' : 'upstream',
      ...(calls.length > 0 && { 'x-ethgate-calls': listed(calls.map(callText)) }),
      ...(origins.length > 0 && {
        'x-ethgate-logs': listed(
          origins.map(({ from, source, to }) => `${source};from=${from};to=${to}`),
        ),
        'x-ethgate-logs-complete': String(isComplete(origins)),
      }),
    },
  }
}

/** Whether a request asks for these headers: with `X-Ethgate-Explain: 1`, or with `?explain=1` in its address. */
export function asksToExplain({ headers, url = '' }: IncomingMessage): boolean {
  if (headers['x-ethgate-explain'] === '1') return true
  return url.includes('?') && /[?&]explain=1(?:&|$)/.test(url)
}

function callText({ ms, operation, outcome, upstream }: RecordedCall): string {
  const node = upstream === undefined ? '' : `;upstream="${upstream}"`
  return `${operation};status=${outcome};dur=${ms.toFixed(1)}${node}`
}

function listed(entries: readonly string[]): string {
  const rest = entries.length - MAX_LISTED
  return [...entries.slice(0, MAX_LISTED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')
}
