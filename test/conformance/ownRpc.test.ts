import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { intrinsicGas } from '../../src/codec/intrinsicGas.ts'
import { VERSION } from '../../src/lib/version.ts'
import { compareResults } from '../../src/rpc/compare/compare.ts'
import { post } from '../support/client.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { rpcRecording } from '../support/recording.ts'

/**
 * Every recorded request to the node's own JSON-RPC, asked of the gateway. Answers are the same, or of a kind that is
 * listed: left what the node answers, right what the gateway does.
 */

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({ config: { logsMaxResults: 20_000 } })
})
afterAll(() => gateway.close())

type Answer = Awaited<ReturnType<typeof post>>

/** An estimate of the node's, raised to what Ethereum clients expect at least. */
function atLeastIntrinsic(answer: Answer, params: string): Answer {
  if (typeof answer.result !== 'string') return answer
  const [{ data, input, to }] = JSON.parse(params) as [Record<string, string | undefined>]
  const least = intrinsicGas({ data: (input ?? data ?? '0x') as Hex, to: to || undefined })
  return BigInt(answer.result) < least ? { result: numberToHex(least) } : answer
}

/** How the gateway's answer differs; undefined when it does not. */
function difference(theirs: Answer, ours: Answer): string | undefined {
  if (theirs.error || ours.error) return `${outcome(theirs)} → ${outcome(ours)}`
  const same = compareResults(ours.result, theirs.result).length === 0
  return same ? undefined : `${outcome(theirs)} → ${outcome(ours)}`
}

function outcome({ error, result }: Answer): string {
  // How far an endless loop comes is chance.
  if (error)
    return `${error.code} ${error.message.replace(/(CPU timeout|Not enough energy) .*/, '$1')}`
  const text = JSON.stringify(result)
  return text.length > 40 ? 'another result' : text
}

const reverts = ['', ': allowance too low', ': send failed', ': the reason']
  .map((reason) => `-32000 REVERT opcode executed${reason} → 3 execution reverted${reason}`)
  .concat(
    ['assert(false)', 'division or modulo by zero'].map(
      (panic) => `-32000 REVERT opcode executed → 3 execution reverted: ${panic}`,
    ),
  )
const WEI_HINT =
  'amounts here are in 10^-6 of the coin; for 18 decimals use the path /wei, or on a development chain --decimals 18'
/** The hint is for amounts that look as if they had 18 decimals. */
const noMoney = ['balance is not sufficient', 'no OwnerAccount'].flatMap((reason) =>
  ['', ` (${WEI_HINT})`].map(
    (hint) =>
      `-32600 Validate InternalTransfer error, ${reason}. → -32000 insufficient funds for gas * price + value${hint}`,
  ),
)

/** The kinds of difference that are meant, by method. */
const meant: Record<string, string[]> = {
  // Error codes and texts are the same; the node adds `data: "{}"`.
  eth_coinbase: [
    '-32000 etherbase must be explicitly specified → -32000 etherbase must be explicitly specified',
  ],
  // Ethereum's version is decimal.
  net_version: ['"0xb24e27cc" → "2991466444"'],
  web3_clientVersion: [`-32001 No match found → "ethgate/v${VERSION}/java-tron/v4.8.0"`],
  eth_nosuch: [
    '-32601 method not found → -32601 the method eth_nosuch does not exist/is not available',
  ],
  // Genesis is priced as of its time and has no negative value; a deployment has the value that it was given; the
  // solidified block is that of /walletsolidity.
  eth_getBlockByHash: ['another result → another result'],
  eth_getBlockByNumber: [
    '-32602 TAG pending not supported → another result',
    '-32602 invalid block number → -32602 invalid argument 0: expected a block number, a block hash or one of latest, earliest, pending, safe, finalized, got "x"',
    '-32602 invalid block number → -32602 invalid argument 0: expected a block number, a block hash or one of latest, earliest, pending, safe, finalized, got null',
    '-32602 invalid block number → another result',
    'another result → another result',
  ],
  eth_getTransactionByBlockNumberAndIndex: ['another result → another result'],
  // The transactions of genesis are found.
  eth_getTransactionByHash: ['another result → another result', 'null → another result'],
  // This release of the node has no such method.
  eth_getBlockReceipts: [
    '-32601 method not found → []',
    '-32601 method not found → another result',
  ],
  eth_getLogs: [
    '-32005 query returned more than 10000 results → another result',
    '-32602 invalid blockHash → -32000 unknown block',
  ],
  // A quantity has no sign.
  eth_getBalance: ['"0x8000000000000000" → "0x0"'],
  eth_call: [
    '-32000 CPU timeout → -32000 execution timed out: CPU timeout',
    '-32000 Invalid operation code: opCode[46]; → -32000 invalid opcode: Invalid operation code: opCode[46];',
    '-32000 Invalid operation code: opCode[fe]; → -32000 invalid opcode: Invalid operation code: opCode[fe];',
    ...reverts,
    '-32600 Smart contract is not exist. → "0x"',
    ...noMoney,
    // Calls without `to`.
    '-32602 invalid address hash value → "0x"',
    '-32602 invalid address hash value → -32000 invalid opcode: Invalid operation code: opCode[fe];',
    '-32602 invalid address hash value → 3 execution reverted: ctor says no',
    '-32602 invalid address hash value → another result',
    // Addresses of contracts that a call creates come from the hash of a transaction that never is.
    'another result → another result',
  ],
  eth_estimateGas: [
    '-32000 Invalid operation code: opCode[46]; → -32000 invalid opcode: Invalid operation code: opCode[46];',
    '-32000 Invalid operation code: opCode[fe]; → -32000 invalid opcode: Invalid operation code: opCode[fe];',
    '-32000 Not enough energy → -32000 gas required exceeds allowance (4761904)',
    ...reverts,
    '-32000 REVERT opcode executed: ctor says no → 3 execution reverted: ctor says no',
    ...noMoney,
    '-32600 invalid json request: invalid value → "0x5208"',
    '-32600 invalid json request: invalid value → "0x5212"',
  ],
}

test.each(Object.keys(rpcRecording().requests))('%s', async (method) => {
  const { answers, requests } = rpcRecording()
  const differences = new Set<string>()
  for (const [params, index] of Object.entries(requests[method] ?? {})) {
    const recorded = JSON.parse(answers.at(index)?.[2] ?? '{}') as Answer
    const theirs = method === 'eth_estimateGas' ? atLeastIntrinsic(recorded, params) : recorded
    const ours = await post(gateway.url, method, JSON.parse(params) as unknown[])
    const found = difference(theirs, ours)
    if (found !== undefined) differences.add(found)
  }
  expect([...differences].filter((found) => !meant[method]?.includes(found))).toEqual([])
})
