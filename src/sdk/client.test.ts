import { text } from 'node:stream/consumers'

import { expect, test } from 'vitest'

import { serveInTest } from '../../test/support/serve.ts'
import {
  createNativeClient,
  signTransaction,
  toBase58Address,
  toEthereumAddress,
  toHexAddress,
} from './client.ts'

const key = '15b6c40dce4ca2053f2a6b4297e63cdc1a57e0415d5a8baf976b060c8701d2e3'
const signed = signTransaction({ raw_data: { expiration: 1 } }, key)

/** A client of a node that gives these answers, one after the other; undefined closes the connection. */
async function createClient(...answers: (object | undefined)[]) {
  const bodies: string[] = []
  const url = await serveInTest(async (request, response) => {
    bodies.push(`${request.url} ${await text(request)}`)
    const answer = answers.length > 0 ? answers.shift() : {}
    if (answer) response.end(JSON.stringify(answer))
    else response.destroy()
  })
  return { bodies, client: createNativeClient(url, { sleep: async () => {} }) }
}

test('default: sends the signed bytes, answers the id', async () => {
  const { bodies, client } = await createClient({ result: true })
  expect(await client.send(signed)).toBe(signed.txID)
  expect(bodies[0]).toContain(`/wallet/broadcasthex {"transaction":"0a`)
})

test('behavior: a transaction that the node already has counts as sent', async () => {
  const { client } = await createClient({ code: 'DUP_TRANSACTION_ERROR' }, {}, signed)
  expect(await client.send(signed)).toBe(signed.txID)
})

test.each([
  ['closes the connection', undefined],
  ['is busy', { code: 'SERVER_BUSY' }],
  ['knows the id of a transaction that it refused', { code: 'DUP_TRANSACTION_ERROR' }],
])('behavior: the node %s: the same bytes are sent again', async (_, first) => {
  const { bodies, client } = await createClient(first, {}, {}, { result: true })
  expect(await client.send(signed)).toBe(signed.txID)
  const sent = bodies.filter((body) => body.startsWith('/wallet/broadcasthex'))
  expect(sent).toHaveLength(2)
  expect(sent[0]).toBe(sent[1])
})

test('behavior: an accepted transaction whose answer is lost, and which is refused afterwards', async () => {
  const refused = { code: 'CONTRACT_VALIDATE_ERROR' }
  const { client } = await createClient(undefined, {}, {}, refused, {}, signed)
  expect(await client.send(signed)).toBe(signed.txID)
})

test('error: a refusal after a lost answer is not believed', async () => {
  const refused = [{ code: 'CONTRACT_VALIDATE_ERROR' }, {}, {}]
  const { client } = await createClient(undefined, {}, {}, ...refused, ...refused, ...refused)
  await expect(client.send(signed)).rejects.toMatchObject({
    name: 'UnconfirmedError',
    transactionHash: signed.txID,
    expiration: 1,
    message: expect.stringContaining('unconfirmed: transaction'),
  })
})

test('error: bytes that expire at no date can be unconfirmed too', async () => {
  const late = signTransaction({ raw_data: { expiration: 9e15 } }, key)
  const { client } = await createClient(...Array.from({ length: 12 }, () => undefined))
  await expect(client.send(late)).rejects.toMatchObject({ name: 'UnconfirmedError' })
})

test('error: a rejection has the code of the node', async () => {
  const { client } = await createClient({ result: false, code: 'SIGERROR', message: 'no' })
  await expect(client.send(signed)).rejects.toMatchObject({
    code: 'SIGERROR',
    message: 'SIGERROR: no',
  })
})

test('behavior: waits until the transaction is in a block', async () => {
  const { bodies, client } = await createClient({}, {}, { id: 'ab', blockNumber: 1 })
  expect(await client.waitForTransaction('0xab', { solid: true })).toMatchObject({ id: 'ab' })
  expect(bodies).toEqual(Array(3).fill('/walletsolidity/gettransactioninfobyid {"value":"ab"}'))
})

test('behavior: waits for a node that does not answer', async () => {
  const { bodies, client } = await createClient(
    undefined,
    undefined,
    { Error: 'x.y.ZError' },
    {
      id: 'ab',
    },
  )
  expect(await client.waitForTransaction('ab')).toMatchObject({ id: 'ab' })
  expect(bodies).toHaveLength(4)
})

test('error: a node that refuses the poll, or does not answer until the time is over', async () => {
  const refusal = { Error: 'class java.lang.IllegalArgumentException : no id' }
  const { bodies, client } = await createClient(refusal, undefined, undefined)
  const waiting = { name: 'NodeRefusedError' }
  await expect(client.waitForTransaction('ab')).rejects.toMatchObject(waiting)
  expect(bodies).toHaveLength(1)
  const late = { name: 'NodeUnreachableError' }
  await expect(client.waitForTransaction('ab', { timeout: -1 })).rejects.toMatchObject(late)
})

test('error: a transaction that is in no block in time', async () => {
  const { client } = await createClient()
  await expect(client.waitForTransaction('ab', { timeout: -1 })).rejects.toThrow('not in a block')
})

test('default: an address in any spelling', () => {
  const spellings = [
    'TRcdM4KTpBzgJHbwU7yRhbPratNVK829am',
    '41ab9d99702700d5cb9e1309374606fe24a4fdf8ba',
    '0xab9d99702700d5cb9e1309374606fe24a4fdf8ba',
  ] as const
  for (const spelling of spellings)
    expect([
      toBase58Address(spelling),
      toHexAddress(spelling),
      toEthereumAddress(spelling),
    ]).toEqual(spellings)
  expect(() => toHexAddress('TRcdM4KTpBzgJHbwU7yRhbPratNVK829an')).toThrow('not an address')
})
