import { type Hash, keccak256 } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'

import { startGateway } from '../support/gateway.ts'
import { type ReplayReply, startReplayNode } from '../support/node.ts'
import { CHAIN, keys } from '../support/recordedChain.ts'
import { signedTransfer } from '../support/signedTransfer.ts'
import { until } from '../support/until.ts'

const id = `0x${'5a'.repeat(32)}` as const

const WAITING = { txID: id.slice(2), raw_data: { expiration: 1_700_000_000_000 } }

/** Answers of one node by operation: an object, or HTTP 500 for `fails`. `{}` means that the node has nothing. */
type Answers = Record<string, object | 'fails'>

/** A gateway in front of nodes, named a, b and c, each with its own answers. */
async function open(...nodes: Answers[]) {
  const asked: string[] = []
  const upstreams = await Promise.all(
    nodes.map(async (answers, index) => {
      const name = 'abc'[index] as string
      const node = await startReplayNode({
        intercept({ path }): ReplayReply | undefined {
          const operation = path.split('/').at(-1) ?? ''
          const own = ['gettransactioninfobyid', 'gettransactionfrompending', 'gettransactionbyid']
          const answer = answers[operation] ?? (own.includes(operation) ? {} : undefined)
          if (answer === undefined) return undefined
          asked.push(`${name} ${operation}`)
          return answer === 'fails'
            ? { status: 500, text: 'broken' }
            : { text: JSON.stringify(answer) }
        },
      })
      onTestFinished(() => node.close())
      return { name, wallet: node.url, solidity: node.solidityUrl }
    }),
  )
  const gateway = await startGateway({
    config: {
      newRecord: true,
      upstreams: upstreams.map((node) => ({
        concurrency: 40,
        headers: {},
        tier: 0,
        timeout: 60_000,
        weight: 1,
        ...node,
      })),
    },
    keys: [keys.bob.pk],
  })
  await until(async () => {
    const health = (await (await fetch(`${gateway.url}/health`)).json()) as {
      upstreams: { state: string }[]
    }
    expect(health.upstreams.map(({ state }) => state)).toEqual(nodes.map(() => 'healthy'))
  })
  const rpc = (method: string, ...params: unknown[]) => gateway.rpc(method, ...params)
  const statusOf = (hash: Hash) => rpc('ethgate_transactionStatus', hash)
  return { asked, rpc, statusOf }
}

const PENDING = { gettransactionfrompending: WAITING }

test('default: names each node that has it in its pool', async () => {
  const { statusOf } = await open({}, PENDING, PENDING)
  expect(await statusOf(id)).toEqual({
    state: 'pending',
    transactionHash: id,
    ethereumHash: null,
    expiration: '0x6553f100',
    nodes: ['b', 'c'],
    evidence: 'b and c have it in their pools of pending transactions',
  })
})

test('behavior: one node has it, and another one fails', async () => {
  const { statusOf } = await open(PENDING, { gettransactionfrompending: 'fails' })
  expect(await statusOf(id)).toMatchObject({
    state: 'pending',
    nodes: ['a'],
    evidence:
      'a has it in its pool of pending transactions; b could not be asked (the upstream node answered HTTP 500)',
  })
})

test('behavior: unknown only when each node was asked, and all are asked once for many clients', async () => {
  const { asked, statusOf } = await open({}, {}, {})
  const all = await Promise.all(Array.from({ length: 10 }, () => statusOf(id)))
  expect(all).toEqual(
    all.map(() => ({
      state: 'unknown',
      transactionHash: id,
      ethereumHash: null,
      evidence: 'this gateway has no record of it; no asked node has it in a block or in its pool',
    })),
  )
  const pools = asked.filter((one) => one.endsWith('gettransactionfrompending'))
  expect(pools.toSorted()).toEqual(
    ['a', 'b', 'c'].map((name) => `${name} gettransactionfrompending`),
  )
})

test('behavior: uncertain when a node that may have it could not be asked', async () => {
  const { statusOf } = await open({}, { gettransactionfrompending: 'fails' })
  expect(await statusOf(id)).toEqual({
    state: 'uncertain',
    transactionHash: id,
    ethereumHash: null,
    evidence: expect.stringMatching(/no record of it; .*; b could not be asked \(/) as string,
  })
})

test('behavior: a block took it out of the pool between two looks', async () => {
  let looks = 0
  const { statusOf } = await open({
    get gettransactioninfobyid() {
      return looks++ === 0 ? {} : { id: id.slice(2), blockNumber: CHAIN.head }
    },
  })
  expect(await statusOf(id)).toMatchObject({ state: 'mined', block: { number: '0xdf' } })
  expect(looks).toBe(2)
})

test('error: a node has the receipt, but not its block', async () => {
  const { statusOf } = await open({
    gettransactioninfobyid: { id: id.slice(2), blockNumber: CHAIN.head + 1 },
  })
  await expect(statusOf(id)).rejects.toMatchObject({
    message: expect.stringContaining(`the node does not have block ${CHAIN.head + 1}`) as string,
  })
})

describe('refused by nodes', () => {
  /** An Ethereum transaction of a managed account, and the answer to it. */
  async function send(rpc: Awaited<ReturnType<typeof open>>['rpc']) {
    const raw = await signedTransfer()
    await expect(rpc('eth_sendRawTransaction', raw)).rejects.toMatchObject({ code: -32000 })
    return keccak256(raw)
  }
  const refused = (code: string, message: string) => ({
    broadcasthex: { result: false, code, message },
  })

  test('default: each node with its words', async () => {
    const { rpc, statusOf } = await open(
      refused('BANDWITH_ERROR', 'Account resource insufficient error.'),
      refused('CONTRACT_VALIDATE_ERROR', 'no OwnerAccount'),
    )
    const { nodes, words, ...status } = (await statusOf(await send(rpc))) as {
      nodes: string[]
      words: string[]
    }
    expect(status).toMatchObject({
      state: 'refused',
      reason: expect.stringMatching(/no OwnerAccount|resource insufficient/) as string,
      evidence: expect.stringMatching(/^(a and b|b and a) refused it/) as string,
    })
    expect(Object.fromEntries(nodes.map((node, index) => [node, words[index]]))).toEqual({
      a: 'BANDWITH_ERROR: Account resource insufficient error.',
      b: 'CONTRACT_VALIDATE_ERROR: no OwnerAccount',
    })
  })

  test('behavior: a node that did not answer the broadcast has not refused it, and may have it', async () => {
    const { rpc, statusOf } = await open(refused('CONTRACT_VALIDATE_ERROR', 'no OwnerAccount'), {
      broadcasthex: 'fails',
    })
    const raw = await signedTransfer()
    await expect(rpc('eth_sendRawTransaction', raw)).rejects.toMatchObject({ code: -32003 })
    expect(await statusOf(keccak256(raw))).toMatchObject({ state: 'submitted' })
  })
})
