import { type Action, type Actions, blockIn, type Query } from './query.ts'

/** The parameters that several methods take, in the order of the call. */
const CALL = ['from', 'to', 'gas', 'gasPrice', 'value', 'data'] as const

function callIn(query: Query): Record<string, string> {
  return Object.fromEntries(
    CALL.flatMap((name) => {
      const value = query(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Passes parameters on as they are: the method checks them. */
const pass =
  (method: string, ...names: readonly string[]): Action =>
  (query, source) =>
    source.ask(method, ...names.map((name) => query(name)))

/** The module `proxy`: JSON-RPC by GET. The answers are those of JSON-RPC. */
export const proxy: Actions = {
  eth_blockNumber: pass('eth_blockNumber'),
  eth_call: (query, source) => source.ask('eth_call', callIn(query), blockIn(query)),
  eth_estimateGas: (query, source) => source.ask('eth_estimateGas', callIn(query)),
  eth_gasPrice: pass('eth_gasPrice'),
  eth_getBlockByNumber: (query, source) =>
    source.ask('eth_getBlockByNumber', blockIn(query), query('boolean') === 'true'),
  eth_getBlockTransactionCountByNumber: (query, source) =>
    source.ask('eth_getBlockTransactionCountByNumber', blockIn(query)),
  eth_getCode: (query, source) => source.ask('eth_getCode', query('address'), blockIn(query)),
  eth_getStorageAt: (query, source) =>
    source.ask('eth_getStorageAt', query('address'), query('position'), blockIn(query)),
  eth_getTransactionByBlockNumberAndIndex: (query, source) =>
    source.ask('eth_getTransactionByBlockNumberAndIndex', blockIn(query), query('index')),
  eth_getTransactionByHash: pass('eth_getTransactionByHash', 'txhash'),
  eth_getTransactionCount: (query, source) =>
    source.ask('eth_getTransactionCount', query('address'), blockIn(query)),
  eth_getTransactionReceipt: pass('eth_getTransactionReceipt', 'txhash'),
  eth_getUncleByBlockNumberAndIndex: (query, source) =>
    source.ask('eth_getUncleByBlockNumberAndIndex', blockIn(query), query('index')),
  eth_sendRawTransaction: pass('eth_sendRawTransaction', 'hex'),
}
