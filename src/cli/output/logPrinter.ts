import type { Abi } from 'viem'

import { grouped } from '../../codec/coin.ts'
import type { RpcLog } from '../../codec/types.ts'
import { withChecksum } from '../../lib/address.ts'
import { stringify } from '../base/json.ts'
import type { Terminal } from '../base/terminal.ts'

/** Formats logs, decoded with an ABI if there is one. @throws CommandError (usage) when the file has no ABI */
export async function createLogPrinter(terminal: Terminal, abiFile: string | undefined) {
  const tools =
    abiFile === undefined && terminal.mode === 'json' ? undefined : await import('../text/abi.ts')
  const abi: Abi = abiFile === undefined || !tools ? [] : await tools.loadAbi(abiFile)
  const decode = (log: RpcLog) => tools?.decodeLog({ topics: log.topics, data: log.data }, abi)
  return {
    /** The log as received, with `decoded` added. */
    json(log: RpcLog) {
      const decoded = abiFile === undefined ? undefined : decode(log)
      return stringify(decoded ? { ...log, decoded } : log)
    },
    /** One line for people. */
    line(log: RpcLog) {
      const decoded = decode(log)
      const what =
        decoded && tools
          ? tools.describe(decoded)
          : `${log.topics[0] ?? '(no topics)'} ${short(log.data)}`
      const mark = log.removed ? terminal.red('removed ') : ''
      return `${mark}${terminal.bold(`#${grouped(BigInt(log.blockNumber))}`)} ${terminal.dim(log.transactionHash)} ${withChecksum(log.address)} ${what}`
    },
  }
}

function short(data: string): string {
  return data.length > 74 ? `${data.slice(0, 74)}… (${grouped((data.length - 2) / 2)} bytes)` : data
}
