import type { Command } from 'commander'

import {
  addCommand,
  addOutputOptions,
  addRequestOptions,
  addRpcOption,
} from '../support/command.ts'
import { usageError } from '../support/errors.ts'
import { readStdin } from '../support/input.ts'
import { type Io, processIo } from '../support/io.ts'
import { parse, parseLoose, stringify } from '../support/json.ts'
import { renderValue } from '../support/table.ts'
import { resolveTarget, type TargetOptions } from '../support/target.ts'
import { createTerminal } from '../support/terminal.ts'

/** `ethgate call METHOD [PARAMS…]`: one JSON-RPC call. */
export function addCallCommand(program: Command, io: Io = processIo()): void {
  const command = addCommand(program, 'call', {
    summary: 'call a JSON-RPC method',
    description:
      'Calls a JSON-RPC method of a gateway or node and prints its result. A parameter that is valid JSON is sent as JSON, ' +
      'any other as text. A single "-" reads the parameters from standard input: a JSON array is the list of parameters, anything else is the only parameter.',
    examples: [
      ['ethgate call eth_chainId', 'the result, as a table or as JSON'],
      ['ethgate call eth_getBlockByNumber latest false --json', 'the head as JSON'],
      ['ethgate call eth_getBlockByNumber latest true | jq .hash', 'JSON is the default in a pipe'],
      ['ethgate call eth_chainId --raw', 'a text result without quotes, for shell variables'],
      [
        `ethgate call eth_call '{"to":"0x8233a7f16c9f522f26006ab000e1df7a6ae68662","data":"0x2e52d606"}' latest`,
        'a contract call; explains a revert and exits with 3',
      ],
      [
        `echo '[{"fromBlock":"0x0"}]' | ethgate call eth_getLogs -`,
        'parameters from standard input',
      ],
    ],
  })
    .argument('<method>', 'such as eth_getBalance')
    .argument('[params...]', 'its parameters, in order; "-" reads them from standard input')
    .option('--abi <file>', 'ABI, artifact or list of signatures, to decode custom errors')
    .option('-r, --raw', 'print a text result without quotes')
  addOutputOptions(addRequestOptions(addRpcOption(command))).action(
    (method: string, words: string[], options: CallOptions) => call(io, method, words, options),
  )
}

type CallOptions = TargetOptions & {
  abi?: string
  raw?: boolean
  json?: boolean
  table?: boolean
}

async function call(io: Io, method: string, words: string[], options: CallOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  const { rpc } = resolveTarget(options, io)
  const params = await readParams(io, words)
  const result = await rpc.call(method, params).catch(async (error: unknown) => {
    const { explain } = await import('../support/abi.ts')
    throw await explain(error, options.abi)
  })
  if (options.raw && typeof result === 'string') return terminal.print(result)
  return terminal.print(
    terminal.mode === 'json' ? stringify(result) : renderValue(terminal, result),
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
