import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { sendCases, TRACEE } from '../support/traceCases.ts'

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const HEIR = '0x00000000000000000000000000000000000000aa'
const CALLEE = '0xa16e02e87b7454126e5e10d957a927a7f5b5d2be'

let dev: DevGateway
let hashes: Map<string, `0x${string}`>

beforeAll(async () => {
  dev = await startDevGateway({ rules: { decimals: 18 } })
  hashes = await sendCases((...call) => dev.rpc(...call))
})

afterAll(() => dev.close())

const hashOf = (name: string) => hashes.get(name) as `0x${string}`
type Page = { txs: { hash: string }[]; receipts: object[]; firstPage: boolean; lastPage: boolean }
const search = async (direction: string, ...params: unknown[]) =>
  (await dev.rpc(`ots_searchTransactions${direction}`, ...params)) as Page
const names = ({ txs }: Page) =>
  txs.map(({ hash }) => [...hashes].find(([, own]) => own === hash)?.[0])

test('default: version, code, creators, nonces', async () => {
  expect(await dev.rpc('ots_getApiLevel')).toBe(8)
  expect(await dev.rpc('ots_hasCode', TRACEE, 'latest')).toBe(true)
  expect(await dev.rpc('ots_hasCode', TRACEE, '0x0')).toBe(false)
  const hash = hashOf('deploy')
  expect(await dev.rpc('ots_getContractCreator', TRACEE)).toEqual({ hash, creator: FROM })
  expect(await dev.rpc('ots_getContractCreator', CALLEE)).toEqual({ hash, creator: TRACEE })
  expect(await dev.rpc('ots_getContractCreator', HEIR)).toBeNull()
  expect(await dev.rpc('ots_getTransactionBySenderAndNonce', FROM, 1)).toBe(hashOf('call'))
  expect(await dev.rpc('ots_getTransactionBySenderAndNonce', FROM, '0xffff')).toBeNull()
})

test('default: what happens inside a transaction, and why it failed', async () => {
  const child = '0x603e1bd79259ebcbaaed0c83eec09ca0b89a5bcc'
  // As anvil lists them, without the transaction itself.
  expect(await dev.rpc('ots_getInternalOperations', hashOf('destroy'))).toEqual([
    { type: 2, from: TRACEE, to: child, value: '0x4d' },
    { type: 1, from: child, to: HEIR, value: '0x4d' },
  ])
  expect(await dev.rpc('ots_getInternalOperations', hashOf('createFails'))).toEqual([])
  expect(await dev.rpc('ots_traceTransaction', hashOf('destroy'))).toMatchObject([
    { type: 'CALL', depth: 0, from: FROM, to: TRACEE, value: '0x4d' },
    { type: 'CREATE', depth: 1, from: TRACEE, to: child },
    { type: 'CALL', depth: 1, from: TRACEE, to: child, value: '0x0', output: '0x' },
    { type: 'SELFDESTRUCT', depth: 2, from: child, to: HEIR, value: '0x4d' },
  ])
  const failed = (await dev.rpc('ots_traceTransaction', hashOf('createFails'))) as { to: string }[]
  for (const { to } of failed) expect(to).toMatch(/^0x[0-9a-f]{40}$/)
  expect(await dev.rpc('ots_getTransactionError', hashOf('createReverts'))).toMatch(/^0x08c379a0/)
  expect(await dev.rpc('ots_getTransactionError', hashOf('call'))).toBe('0x')
})

test('default: a block and its transactions', async () => {
  const { blockHash, blockNumber } = (await dev.rpc(
    'eth_getTransactionByHash',
    hashOf('call'),
  )) as Record<string, string>
  const details = await dev.rpc('ots_getBlockDetails', blockNumber)
  const receipt = (await dev.rpc('eth_getTransactionReceipt', hashOf('call'))) as Record<
    string,
    string
  >
  const fee = BigInt(receipt['gasUsed'] ?? 0) * BigInt(receipt['effectiveGasPrice'] ?? 0)
  expect(details).toMatchObject({
    block: { hash: blockHash, number: blockNumber, transactionCount: 1 },
    issuance: { issuance: '0x0' },
    totalFees: `0x${fee.toString(16)}`,
  })
  expect(details).not.toHaveProperty('block.transactions')
  expect(await dev.rpc('ots_getBlockDetailsByHash', blockHash)).toEqual(details)
  expect(await dev.rpc('ots_getBlockTransactions', blockNumber, 0, 10)).toMatchObject({
    fullblock: { transactions: [{ hash: hashOf('call'), input: '0x2b096926' }] },
    receipts: [{ transactionHash: hashOf('call'), logs: null }],
  })
  expect(await dev.rpc('ots_getBlockTransactions', blockNumber, 1, 10)).toMatchObject({
    fullblock: { transactions: [] },
  })
  expect(await dev.rpc('ots_getBlockDetails', '0xffff')).toBeNull()
})

test('default: the transactions of an account, newest first, page by page', async () => {
  const first = await search('Before', HEIR, 0, 2)
  expect(names(first)).toEqual(['transfer', 'pay'])
  expect(first).toMatchObject({ firstPage: true, lastPage: false })
  expect(first.receipts[0]).toMatchObject({
    transactionHash: hashOf('transfer'),
    timestamp: expect.any(Number),
  })
  const { blockNumber } = (await dev.rpc('eth_getTransactionByHash', hashOf('pay'))) as {
    blockNumber: string
  }
  const rest = await search('Before', HEIR, Number(blockNumber), 2)
  expect(names(rest)).toEqual(['destroy'])
  expect(rest).toMatchObject({ firstPage: false, lastPage: true })
  const oldest = await search('After', HEIR, 0, 2)
  expect(names(oldest)).toEqual(['pay', 'destroy'])
  expect(oldest).toMatchObject({ firstPage: false, lastPage: true })
  const newest = await search('After', HEIR, Number(blockNumber), 2)
  expect(names(newest)).toEqual(['transfer'])
  expect(newest).toMatchObject({ firstPage: true, lastPage: false })
})
