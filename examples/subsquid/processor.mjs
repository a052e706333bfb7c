// Writes the transfers of a token to CSV files in `data`. A file has the blocks that are finalized; the next start continues there.
import { EvmBatchProcessor } from '@subsquid/evm-processor'
import { Database, LocalDest } from '@subsquid/file-store'
import { Column, Table, Types } from '@subsquid/file-store-csv'

const { DATA = 'data', FROM = '0', RPC_URL = 'http://127.0.0.1:8545', TOKEN } = process.env
if (!TOKEN) throw new Error('TOKEN is missing')
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const processor = new EvmBatchProcessor()
  .setRpcEndpoint({ url: RPC_URL, maxBatchCallSize: 100 })
  .setRpcDataIngestionSettings({ headPollInterval: 500 })
  .setFinalityConfirmation(Number(process.env.CONFIRMATIONS ?? 20))
  .setBlockRange({ from: Number(FROM) })
  .addLog({ address: [TOKEN.toLowerCase()], topic0: [TRANSFER] })
  .setFields({ log: { transactionHash: true } })

const text = Types.String()
const transfers = new Table('transfers.csv', {
  block: Column(Types.Numeric()),
  hash: Column(text),
  from: Column(text),
  to: Column(text),
  amount: Column(text),
})
const database = new Database({ tables: { transfers }, dest: new LocalDest(DATA) })

/** Rows since the last file. */
let pending = 0
processor.run(database, async ({ blocks, isHead, store }) => {
  const rows = blocks.flatMap(({ header, logs }) =>
    logs.map(({ data, topics: [, from, to], transactionHash }) => ({
      block: header.height,
      hash: transactionHash,
      from: `0x${from.slice(26)}`,
      to: `0x${to.slice(26)}`,
      amount: `${BigInt(data)}`,
    })),
  )
  store.transfers.writeMany(rows)
  // Before the head a file has 20 MB. At the head each batch with transfers becomes a file.
  pending += rows.length
  store.setForceFlush(isHead && pending > 0)
  if (isHead) pending = 0
})
