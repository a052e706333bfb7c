import type { Abi, Hex } from 'viem'

import { grouped } from '../../codec/coin.ts'
import { withChecksum } from '../../lib/address.ts'
import type { Terminal } from '../base/terminal.ts'
import { decodeCalldata, describe, describeRevert } from '../text/abi.ts'

/** A call of `callTracer`. */
export type Frame = {
  type: string
  from: Hex
  to?: Hex
  value?: Hex
  gasUsed?: Hex
  input?: Hex
  output?: Hex
  error?: string
  calls?: Frame[]
}

/** The calls of a transaction, one a line, each under its caller. */
export function renderTrace(terminal: Terminal, frame: Frame, abis: Abis): string {
  return lines(terminal, frame, abis, '', '').join('\n')
}

/** The functions of a contract, and the errors of all. */
type Abis = { abiOf: (to: string | undefined) => Abi; errors: Abi }

/** The contracts that a transaction calls. */
export function calledIn({ calls = [], to }: Frame): string[] {
  return [...(to ? [to] : []), ...calls.flatMap(calledIn)]
}

function lines(
  terminal: Terminal,
  frame: Frame,
  abis: Abis,
  first: string,
  rest: string,
): string[] {
  const calls = frame.calls ?? []
  return [
    `${first}${headOf(terminal, frame, abis)}`,
    ...calls.flatMap((call, index) =>
      index === calls.length - 1
        ? lines(terminal, call, abis, `${rest}└─ `, `${rest}   `)
        : lines(terminal, call, abis, `${rest}├─ `, `${rest}│  `),
    ),
  ]
}

function headOf(terminal: Terminal, frame: Frame, { abiOf, errors }: Abis): string {
  const { error, gasUsed, input = '0x', output = '0x', to, type, value } = frame
  const isCreation = type.startsWith('CREATE')
  const called = isCreation || input === '0x' ? undefined : decodeCalldata(input, abiOf(to))
  const what = called ? describe(called) : isCreation ? 'new contract' : input.slice(0, 10)
  const amount = value !== undefined && BigInt(value) > 0n ? ` {value: ${BigInt(value)}}` : ''
  const outcome = error
    ? terminal.red(`${error}${output === '0x' ? '' : `: ${describeRevert(output, errors).text}`}`)
    : isCreation || output === '0x'
      ? ''
      : output.length > 66
        ? `${output.slice(0, 66)}…`
        : output
  return `${terminal.dim(`[${grouped(BigInt(gasUsed ?? '0x0'))}]`)} ${terminal.bold(type)} ${withChecksum(to ?? '')} ${what}${amount}${outcome && ` → ${outcome}`}`
}
