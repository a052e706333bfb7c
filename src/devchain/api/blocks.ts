import { type ChainBlock, printBlock } from '../blocks/block.ts'
import type { Call, Operations } from './operation.ts'
import { PlainNodeError } from './request.ts'

const MAX_BLOCKS = 100

const print = (block: ChainBlock | undefined, call: Call, detail = true) =>
  block
    ? printBlock(block, detail, { visible: call.params.visible, isUnsigned: call.isUnsigned })
    : {}

const at = (call: Call, number: number) =>
  number <= call.newest.header.number ? call.ledger.block(number) : undefined

const range = (call: Call, from: number, to: number) => {
  const block: unknown[] = []
  for (let number = from; number < to; number++) {
    const found = at(call, number)
    if (found) block.push(print(found, call))
  }
  return { block }
}

/** The block queries. */
export const blockOperations: Operations = {
  getnowblock: { ignoresBody: true, isPlain: true, run: (call) => print(call.newest, call) },

  getblock: {
    isPlain: true,
    run(call) {
      const selector = call.params.text('id_or_num')
      const detail = call.params.flag('detail')
      if (selector === '') return print(call.newest, call, detail)
      if (/^-?\d+$/.test(selector) && selector.length < 20) {
        if (selector.startsWith('-')) throw new PlainNodeError('num must be non-positive number.')
        return print(at(call, Number(selector)), call, detail)
      }
      if (!/^[\da-f]{64}$/i.test(selector)) throw new PlainNodeError('id must be legal block hash.')
      const number = BigInt(`0x${selector.slice(0, 16)}`)
      if (number > BigInt(call.newest.header.number))
        throw new PlainNodeError('id must be legal block hash.')
      const block = at(call, Number(number))
      return print(block?.id === selector.toLowerCase() ? block : undefined, call, detail)
    },
  },

  getblockbynum: {
    isPlain: true,
    run: (call) => print(at(call, Number(call.params.int('num'))), call),
  },

  getblockbyid: {
    isPlain: true,
    run(call) {
      const number = call.ledger.numberOf(call.params.hex('value'))
      return print(number === undefined ? undefined : at(call, number), call)
    },
  },

  getblockbylimitnext: {
    isPlain: true,
    run(call) {
      const start = Number(call.params.int('startNum'))
      const end = Number(call.params.int('endNum'))
      if (end <= 0 || end <= start || end - start > MAX_BLOCKS) return {}
      if (start < 0) return { block: [] }
      return range(call, start, end)
    },
  },

  getblockbylatestnum: {
    run(call) {
      const count = Number(call.params.int('num'))
      if (count <= 0 || count >= MAX_BLOCKS) return {}
      const end = call.newest.header.number + 1
      return range(call, Math.max(0, end - count), end)
    },
  },

  gettransactioncountbyblocknum: {
    run: (call) => ({
      count: at(call, Number(call.params.int('num')))?.transactions.length ?? 0,
    }),
  },
}
