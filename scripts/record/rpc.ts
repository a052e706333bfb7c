import { keys, labels } from '../../test/support/recordedChain.ts'
import type { Walked } from './chain.ts'
import { eachOf, type Recorder } from './recorder.ts'
import type { SampleCall } from './state.ts'

/** The node's own JSON-RPC on the same chain: tests compare its correct answers with ours. */
export async function recordRpc(
  recorder: Recorder,
  walked: Walked,
  calls: SampleCall[],
): Promise<void> {
  for (const method of [
    'eth_accounts',
    'eth_blockNumber',
    'eth_chainId',
    'eth_coinbase',
    'eth_gasPrice',
    'eth_getWork',
    'eth_hashrate',
    'eth_mining',
    'eth_protocolVersion',
    'eth_syncing',
    'net_listening',
    'net_peerCount',
    'net_version',
    'web3_clientVersion',
    'eth_nosuch',
  ])
    await recorder.rpc(method)

  await eachOf(walked.blocks, async ({ blockID, transactions = [] }) => {
    const number = hex(walked.blocks.findIndex((block) => block.blockID === blockID))
    const hash = `0x${blockID}`
    for (const full of [true, false]) {
      await recorder.rpc('eth_getBlockByNumber', [number, full])
      await recorder.rpc('eth_getBlockByHash', [hash, full])
    }
    await recorder.rpc('eth_getBlockTransactionCountByNumber', [number])
    await recorder.rpc('eth_getBlockTransactionCountByHash', [hash])
    await recorder.rpc('eth_getBlockReceipts', [number])
    await recorder.rpc('eth_getLogs', [{ fromBlock: number, toBlock: number }])
    await recorder.rpc('eth_getLogs', [{ blockHash: hash }])
    for (const index of transactions.keys())
      await recorder.rpc('eth_getTransactionByBlockNumberAndIndex', [number, hex(index)])
  })
  await eachOf(walked.transactions, async (id) => {
    await recorder.rpc('eth_getTransactionByHash', [`0x${id}`])
    await recorder.rpc('eth_getTransactionReceipt', [`0x${id}`])
  })
  await recordLogSearches(recorder)

  const contracts = Object.values(labels.contracts)
  await eachOf([...walked.addresses], async (address) => {
    await recorder.rpc('eth_getBalance', [eth(address), 'latest'])
    await recorder.rpc('eth_getCode', [eth(address), 'latest'])
  })
  for (const { address } of [...contracts, { address: keys.alice.hex }])
    for (let slot = 0; slot < 12; slot++)
      await recorder.rpc('eth_getStorageAt', [eth(address), hex(slot), 'latest'])

  await eachOf(calls, async ({ owner, to, data, value }) => {
    const call = {
      from: eth(owner),
      ...(to === undefined ? {} : { to: eth(to) }),
      data: `0x${data}`,
      ...(value === undefined ? {} : { value: hex(value) }),
    }
    await recorder.rpc('eth_call', [call, 'latest'])
    await recorder.rpc('eth_estimateGas', [call])
  })
  for (const tag of ['latest', 'earliest', 'pending', 'finalized', 'safe', '0x1000', 'x', 5, null])
    await recorder.rpc('eth_getBlockByNumber', [tag, false])
  await recorder.rpc('eth_getBlockByHash', [`0x${'ab'.repeat(32)}`, false])
  await recorder.rpc('eth_getTransactionByHash', [`0x${'ab'.repeat(32)}`])
  await recorder.rpc('eth_getTransactionReceipt', [`0x${'ab'.repeat(32)}`])
}

async function recordLogSearches(recorder: Recorder): Promise<void> {
  const token = eth(labels.contracts.Token.address)
  const kitchen = eth(labels.contracts.Kitchen.address)
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const alice = `0x${keys.alice.hex.slice(2).padStart(64, '0')}`
  const all = { fromBlock: '0x0', toBlock: 'latest' }
  for (const filter of [
    { ...all, address: token },
    { ...all, address: [token, kitchen], toBlock: '0x50' },
    { ...all, topics: [transfer] },
    { ...all, topics: [transfer, alice] },
    { ...all, topics: [transfer, null, alice] },
    { ...all, topics: [[transfer, alice]] },
    { ...all, topics: [null, null, null, null], toBlock: '0x50' },
    { ...all, topics: [[], transfer] },
    { ...all, address: kitchen },
    all,
    {},
    { blockHash: `0x${'ab'.repeat(32)}` },
  ])
    await recorder.rpc('eth_getLogs', [filter])
}

function eth(address: string): string {
  return `0x${address.slice(2)}`
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
