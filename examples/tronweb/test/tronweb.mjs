import assert from 'node:assert/strict'
import { test } from 'node:test'

import { TronWeb } from 'tronweb'

import { compile } from '../compile.mjs'

// tronweb with its defaults. One address serves the node's interface, that of solidified blocks and the events.
const { Shop } = compile()
const keys = [
  'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
]
const [own, other] = keys.map(
  (privateKey) => new TronWeb({ fullHost: process.env.DEV_URL, privateKey }),
)
const address = own.defaultAddress.base58
const feeLimit = 1_000_000_000

/** Waits until a transaction is in a block, as an application does. */
async function infoOf(id) {
  for (;;) {
    const info = await own.trx.getUnconfirmedTransactionInfo(id)
    if (info.id) return info
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

let shop

test('coins are sent', async () => {
  const to = other.defaultAddress.base58
  const before = await own.trx.getUnconfirmedBalance(to)
  const { result, txid } = await own.trx.sendTransaction(to, 1_234_567)
  assert.equal(result, true)
  await infoOf(txid)
  assert.equal(await own.trx.getUnconfirmedBalance(to), before + 1_234_567)
})

test('a contract is deployed, sent to and read', async () => {
  const { abi, bytecode } = Shop
  const options = { abi, bytecode: bytecode.slice(2), feeLimit, callValue: 5, parameters: [100] }
  shop = await own.contract().new(options)
  assert.equal(await shop.price().call(), 100n)
  const id = await shop.buy(7, 'first').send({ callValue: 100, feeLimit })
  const { receipt } = await infoOf(id)
  assert.equal(receipt.result, 'SUCCESS')
  assert.equal(await shop.ownerOf(7).call(), own.defaultAddress.hex)
  const again = await own.contract().at(shop.address)
  assert.equal(await again.owner().call(), own.defaultAddress.hex)
  const reader = other.contract(abi, shop.address)
  assert.equal(await reader.read.price(), 100n)
})

test('a failure is told', async () => {
  const id = await shop.buy(8, 'too little').send({ callValue: 1, feeLimit })
  const info = await infoOf(id)
  assert.equal(info.result, 'FAILED')
  assert.equal(info.receipt.result, 'REVERT')
  assert.match(Buffer.from(info.contractResult[0], 'hex').toString(), /too little/)
})

test('the events of a contract are listed, in pages, by name, block and transaction', async () => {
  const theirs = other.contract(Shop.abi, shop.address)
  const ids = []
  for (const item of [9, 10]) {
    ids.push(await theirs.buy(item, `item ${item}`).send({ callValue: 100, feeLimit }))
    await infoOf(ids.at(-1))
  }
  const listed = async () => (await own.event.getEventsByContractAddress(shop.address)).data
  let data = await listed()
  // A gateway sees a block up to a second after its node.
  for (let tries = 0; data.length < 3 && tries < 50; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    data = await listed()
  }
  assert.deepEqual(
    data.map(({ result }) => result.item),
    ['10', '9', '7'],
  )
  const [newest] = data
  const buyer = `0x${other.defaultAddress.hex.slice(2)}`
  assert.equal(newest.event_name, 'Bought')
  assert.equal(newest.event, 'Bought(address indexed buyer, uint256 item, string note)')
  assert.deepEqual(newest.result, {
    0: buyer,
    1: '10',
    2: 'item 10',
    buyer,
    item: '10',
    note: 'item 10',
  })
  assert.equal(newest.contract_address, own.address.fromHex(shop.address))
  assert.equal(newest.transaction_id, ids[1])

  const options = { limit: 2, eventName: 'Bought', orderBy: 'block_timestamp,asc' }
  const first = await own.event.getEventsByContractAddress(shop.address, options)
  const { fingerprint } = first.meta
  const second = await own.event.getEventsByContractAddress(shop.address, {
    ...options,
    fingerprint,
  })
  const items = [...first.data, ...second.data].map(({ result }) => result.item)
  assert.deepEqual(items, ['7', '9', '10'])
  assert.equal(second.meta.fingerprint, undefined)

  const none = await own.event.getEventsByContractAddress(shop.address, { eventName: 'Sold' })
  assert.deepEqual(none.data, [])
  const byTransaction = await own.event.getEventsByTransactionID(ids[0])
  assert.deepEqual(byTransaction.data[0].result.item, '9')
  const byBlock = await own.event.getEventsByBlockNumber(newest.block_number)
  assert.deepEqual(byBlock.data[0].transaction_id, ids[1])
  assert.equal((await own.event.getEventsOfLatestBlock()).success, true)
})

test('messages are signed and verified', async () => {
  const signature = await own.trx.signMessageV2('hello')
  assert.equal(await own.trx.verifyMessageV2('hello', signature), address)
})
