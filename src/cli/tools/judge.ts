import type { RpcAnswer } from '../base/rpcSocket.ts'

/** Whether a request works: `info` where the tool goes on without it, with the setting that changes it. */
export type Verdict = { level: 'ok' | 'info' | 'fail'; found: string; advice: string }

/** Codes of errors that say nothing about the chain: the method, its params or the node are the problem. */
const BROKEN = new Set([-32700, -32600, -32601, -32602, -32603, -32005, -32029, 4100])

/** Words of this gateway's errors, and what to set. The first that fits counts. */
const SETTINGS: readonly (readonly [words: RegExp, advice: string])[] = [
  [/--simulate/, 'serve with --simulate on and --upstream-rpc'],
  [/--upstream-rpc/, 'serve with --upstream-rpc, the address of the node’s own JSON-RPC'],
  [
    /does not manage the key|manages no keys/,
    'sign in the tool (a private key or a wallet), or give the gateway keys with --keys',
  ],
  [
    /historical state/,
    'read "latest": nodes keep the newest state only; balances of past blocks need storage.balance.history.lookup = true in the node',
  ],
  [
    /WebSocket/,
    'give the address of the gateway itself, or let the proxy in front of it pass WebSockets',
  ],
  [/API key/, 'give the tool an API key that may call this method'],
  [
    /max block range|query returned more/,
    'search fewer blocks, or serve with a log index (--index)',
  ],
  [/rate|limit/i, 'raise the limits of this caller (--rate-per-client, or its API key)'],
]

const NODE_FAILED = 'the node did not answer as it should: see "ethgate doctor" without --for'

/** Methods without which a tool goes on, and why. */
const OPTIONAL: readonly (readonly [method: RegExp, why: string])[] = [
  [
    /^(?:anvil|evm|hardhat|tenderly)_/,
    'only a development chain has it (ethgate dev); it was not sent',
  ],
  [/^eth_blobBaseFee$/, 'the tool asks for it on request only'],
  [/^eth_getProof$/, 'the tool asks for it on request only'],
  [
    /^eth_(?:fillTransaction|getAccountInfo|maxPriorityFeePerGas)$/,
    'the tool then uses other methods',
  ],
]

/**
 * Judges the answer to one request. An error about the chain, such as a revert or missing funds, is an answer.
 *
 * @param answer - undefined when the request was not sent
 */
export function judge(method: string, answer: RpcAnswer | undefined): Verdict {
  const [, why] = OPTIONAL.find(([name]) => name.test(method)) ?? []
  if (!answer) return { level: 'info', found: 'not sent', advice: why ?? '' }
  const { error } = answer
  if (!error) return { level: 'ok', found: 'works', advice: '' }
  const [, setting] = SETTINGS.find(([words]) => words.test(error.message)) ?? []
  if (setting === undefined && !BROKEN.has(error.code))
    return { level: 'ok', found: `answers: ${error.message}`, advice: '' }
  const found = `${error.message} (${error.code})`
  if (why !== undefined) return { level: 'info', found, advice: why }
  const other = error.code === -32603 ? NODE_FAILED : 'no setting adds it'
  return { level: 'fail', found, advice: setting ?? other }
}
