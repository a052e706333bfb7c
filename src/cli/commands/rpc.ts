import type { Command } from 'commander'

import { reworded, usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import { parse, parseLoose } from '../base/json.ts'
import { RpcFailure } from '../base/rpcClient.ts'
import { readStdin } from '../text/input.ts'
import { addWord } from '../words/command.ts'

/** `ethgate rpc METHOD [PARAMS…]`: one JSON-RPC call. */
export function addRpcCommand(program: Command, io: Io): void {
  addWord<{ abi?: string }>(program, io, {
    usage: 'rpc <method> [params...]',
    summary: 'call a JSON-RPC method',
    description:
      'Calls a JSON-RPC method of a gateway or node and prints its result. A parameter that is valid JSON is sent as JSON, ' +
      'any other as text. A single "-" reads the parameters from standard input: a JSON array is the list of parameters, anything else is the only parameter.',
    options: [['--abi <file>', 'ABI or artifact whose errors decode a revert']],
    examples: [
      ['ethgate rpc eth_chainId', 'a result that is text has no quotes in a pipe'],
      ['ethgate rpc eth_getBlockByNumber latest false --json', 'the head as JSON'],
      ['ethgate rpc eth_getBlockByNumber latest true | jq .hash', 'JSON is the default in a pipe'],
      [
        `ethgate rpc eth_call '{"to":"0x8233a7f16c9f522f26006ab000e1df7a6ae68662","data":"0x2e52d606"}' latest`,
        'a contract call; explains a revert and exits with 3',
      ],
      [
        `echo '[{"fromBlock":"0x0"}]' | ethgate rpc eth_getLogs -`,
        'parameters from standard input',
      ],
    ],
    calls: 'rpc',
    hasFields: true,
    async run({ options, target }, [method = '', ...words]) {
      const params = await readParams(io, words as string[])
      const { rethrow } = await import('../text/abi.ts')
      const value = await target.rpc
        .call(method, params)
        .catch((error: unknown) => rethrow(withAdvice(error), options.abi))
      return { value }
    },
  })
}

/** The same error; one about the parameters says how they were read. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof RpcFailure) || error.code !== -32602) return error
  return reworded(
    error,
    `${error.message}; a parameter that is valid JSON is sent as JSON, any other as text`,
  )
}

async function readParams(io: Io, words: readonly string[]): Promise<unknown[]> {
  if (words.length === 1 && words[0] === '-') {
    let input: unknown
    try {
      input = parse(await readStdin(io))
    } catch (error) {
      throw usageError(`standard input is not JSON: ${(error as Error).message}`)
    }
    return Array.isArray(input) ? input : [input]
  }
  if (words.includes('-')) throw usageError('"-" must be the only parameter')
  return words.map(parseLoose)
}
