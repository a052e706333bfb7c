import type { Abi } from 'viem'

import type { CallFrame } from '../../codec/callFrame.ts'
import { grouped } from '../../codec/coin.ts'
import { withChecksum } from '../../lib/address.ts'
import type { Terminal } from '../base/terminal.ts'
import { decodeCalldata, describe, describeRevert } from '../text/abi.ts'

/** The calls of a transaction, one a line, each under its caller. */
export function renderTrace(terminal: Terminal, frame: CallFrame, abis: Abis): string {
  return lines(terminal, frame, abis).join('\n')
}

/** The functions of a contract, and the errors of all. */
type Abis = { abiOf: (to: string | undefined) => Abi; errors: Abi }

/** The contracts that a transaction calls. */
export function calledIn({ calls = [], to }: CallFrame): string[] {
  return [...(to ? [to] : []), ...calls.flatMap(calledIn)]
}

/** @param first - before the first line @param rest - before the others */
function lines(terminal: Terminal, frame: CallFrame, abis: Abis, first = '', rest = ''): string[] {
  const { calls = [] } = frame
  const inner = calls.flatMap((call, index) => {
    const [branch, line] = index === calls.length - 1 ? ['└─ ', '   '] : ['├─ ', '│  ']
    return lines(terminal, call, abis, rest + branch, rest + line)
  })
  return [`${first}${headOf(terminal, frame, abis)}`, ...inner]
}

function headOf(terminal: Terminal, frame: CallFrame, { abiOf, errors }: Abis): string {
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
