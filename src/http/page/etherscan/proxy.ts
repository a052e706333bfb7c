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

/** The block of a request, without the name of its parameter. */
const block = (query: Query) => blockIn(query)

/** The parameters of each method in order: by name, passed on as they are because the method checks them, or as they are read. */
const METHODS: Readonly<Record<string, readonly (string | ((query: Query) => unknown))[]>> = {
  eth_blockNumber: [],
  eth_call: [callIn, block],
  eth_estimateGas: [callIn],
  eth_gasPrice: [],
  eth_getBlockByNumber: [block, (query) => query('boolean') === 'true'],
  eth_getBlockTransactionCountByNumber: [block],
  eth_getCode: ['address', block],
  eth_getStorageAt: ['address', 'position', block],
  eth_getTransactionByBlockNumberAndIndex: [block, 'index'],
  eth_getTransactionByHash: ['txhash'],
  eth_getTransactionCount: ['address', block],
  eth_getTransactionReceipt: ['txhash'],
  eth_getUncleByBlockNumberAndIndex: [block, 'index'],
  eth_sendRawTransaction: ['hex'],
}

/** The module `proxy`: JSON-RPC by GET. The answers are those of JSON-RPC. */
export const proxy: Actions = Object.fromEntries(
  Object.entries(METHODS).map(([method, params]): [string, Action] => [
    method,
    (query, source) =>
      source.ask(
        method,
        ...params.map((one) => (typeof one === 'string' ? query(one) : one(query))),
      ),
  ]),
)
