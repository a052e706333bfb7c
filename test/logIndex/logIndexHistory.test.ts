import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, expect, test, vi } from 'vitest'

import { type Kind, KINDS } from '../../src/codec/accounts.ts'
import { lastIndexable } from '../../src/logIndex/fill/segments.ts'
import { openIndexWriter } from '../../src/logIndex/fill/writer.ts'
import { createAccountSearcher } from '../../src/logIndex/search/accounts.ts'
import { createCapabilities } from '../../src/native/capabilities.ts'
import { createNodeClient } from '../../src/native/client.ts'
import { createHttpTransport } from '../../src/native/transport/transport.ts'
import { post } from '../support/client.ts'
import { startGateway } from '../support/gateway.ts'
import { readHistory, scanHistories } from '../support/histories.ts'
import { startReplayNode } from '../support/node.ts'
import { postgresMissing, somePostgresIndex } from '../support/postgres.ts'
import { keys, labels } from '../support/recordedChain.ts'
import { explainSkip } from '../support/redis.ts'

/** A node whose chain stands still; its solidified state is on the next port. */
const LONG = process.env['NATIVE_LONG_URL']
const missing = LONG === undefined ? 'no NATIVE_LONG_URL names a node with a long chain' : undefined
explainSkip(missing)
explainSkip(postgresMissing)

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

function somePlace(engine: string): string {
  if (engine === 'postgres') {
    const index = somePostgresIndex()
    closing.push(() => index.drop())
    return index.url
  }
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-history-'))
  closing.push(() => rmSync(directory, { recursive: true }))
  return directory
}

/** Compares the history of every account with a plain scan of all blocks of the node. Gives how many accounts there are. */
async function compare(
  upstream: { upstream: string; upstreamSolidity: string },
  engine: string,
): Promise<number> {
  const config = { ...upstream, index: somePlace(engine), indexFrom: 0, indexRate: 10_000 }
  const { close, gateway, url } = await startGateway({ compiled: true, config })
  closing.push(close)
  const quantity = async (block: string) =>
    Number(
      ((await post(url, 'eth_getBlockByNumber', [block, false])).result as { number: string })
        .number,
    )
  const [head, solid] = [await quantity('latest'), await quantity('finalized')]
  await vi.waitFor(
    () =>
      expect(gateway.health().index).toMatchObject({
        covered: [{ from: 0, to: lastIndexable(solid) }],
        accounts: [{ from: 0, to: lastIndexable(solid) }],
      }),
    { timeout: 300_000, interval: 100 },
  )
  const { created, histories } = await scanHistories(upstream.upstream, { from: 0, to: head })
  const nobody = `0x${'9f'.repeat(20)}`
  for (const [number, account] of [...histories.keys(), nobody].entries()) {
    const expected = [...(histories.get(account) ?? [])].map(([hash, kinds]) => ({
      hash,
      kinds: [...kinds].toSorted(),
    }))
    const order = number % 2 === 0 ? 'newest' : 'oldest'
    const found = await readHistory(url, account, {
      limit: expected.length > 100 ? 1_000 : 7,
      order,
    })
    expect({
      account,
      history: found.map(({ hash, kinds }) => ({ hash, kinds: kinds.toSorted() })),
    }).toEqual({ account, history: expected })
    const { result } = await post(url, 'ots_getContractCreator', [account])
    expect({ account, result }).toEqual({ account, result: created.get(account) ?? null })
  }
  return histories.size
}

test.each(['lmdb', 'postgres'].filter((engine) => engine === 'lmdb' || !postgresMissing))(
  'default: the history of every account of the recorded chain equals a plain scan: %s',
  async (engine) => {
    const node = await startReplayNode()
    closing.push(() => node.close())
    const upstream = { upstream: node.url, upstreamSolidity: node.solidityUrl }
    expect(await compare(upstream, engine)).toBeGreaterThan(10)
  },
  120_000,
)

/** The requests of Otterscan 2.10.0 on its pages of blocks, transactions, accounts and contracts, each kind once. */
const OTTERSCAN: readonly (readonly [method: string, ...params: unknown[]])[] = [
  ['erigon_getHeaderByNumber', 1],
  ['eth_blockNumber'],
  ['eth_call', { to: '$contract', data: '0x06fdde03' }, 'latest'],
  ['eth_chainId'],
  ['eth_getBalance', '$account', 'latest'],
  ['eth_getCode', '$contract', 'latest'],
  ['eth_getTransactionByHash', '$transaction'],
  ['eth_getTransactionCount', '$account', 'latest'],
  ['eth_getTransactionReceipt', '$transaction'],
  ['ots_getApiLevel'],
  ['ots_getBlockDetails', 133],
  ['ots_getBlockTransactions', 133, 0, 25],
  ['ots_getContractCreator', '$contract'],
  ['ots_getInternalOperations', '$transaction'],
  ['ots_getTransactionError', '$transaction'],
  ['ots_hasCode', '$contract', 133],
  ['ots_searchTransactionsAfter', '$account', 0, 25],
  ['ots_searchTransactionsBefore', '$account', 0, 25],
  ['ots_traceTransaction', '$transaction'],
]

test('default: every request of Otterscan is answered, and which account had code in an old block', async () => {
  const node = await startReplayNode()
  closing.push(() => node.close())
  const config = {
    upstream: node.url,
    upstreamSolidity: node.solidityUrl,
    index: somePlace('lmdb'),
    indexFrom: 0,
    indexRate: 10_000,
  }
  const { close, gateway, url } = await startGateway({ compiled: true, config })
  closing.push(close)
  await vi.waitFor(() => expect(gateway.health().index?.accounts).toHaveLength(1), 60_000)
  const { Token } = labels.contracts
  const values: Record<string, string> = {
    $account: keys.bob.eth,
    $contract: `0x${Token.address.slice(2)}`,
    $transaction: `0x${Token.tx}`,
  }
  const filled = (params: unknown[]) =>
    JSON.parse(
      JSON.stringify(params).replaceAll(/\$\w+/g, (name) => values[name] ?? name),
    ) as unknown[]
  for (const [method, ...params] of OTTERSCAN) {
    const { error, result } = await post(url, method, filled(params))
    expect({ method, error }).toEqual({ method, error: undefined })
    expect(result).toBeDefined()
  }
  const receipt = (await post(url, 'eth_getTransactionReceipt', [`0x${Token.tx}`])).result as {
    blockNumber: string
  }
  const created = Number(receipt.blockNumber)
  const had = async (who: string | undefined, number: number) =>
    (await post(url, 'ots_hasCode', [who, number])).result
  expect(await had(values['$contract'], created)).toBe(true)
  expect(await had(values['$contract'], created - 1)).toBe(false)
  expect(await had(values['$account'], created)).toBe(false)
})

/** As `compare`, of the index alone, because a gateway gives every transaction with its receipt. */
async function compareIndex(node: string, engine: string): Promise<number> {
  const solidity = new URL(node)
  solidity.port = String(Number(solidity.port) + 1)
  const transport = createHttpTransport({ upstream: node, upstreamSolidity: solidity.origin })
  const native = createNodeClient({ transport })
  closing.push(() => native.close())
  const { genesis } = await createCapabilities({ native }).identity()
  const writer = await openIndexWriter({
    address: somePlace(engine),
    concurrency: 8,
    genesis,
    native,
    rate: 100_000,
  })
  closing.push(() => writer.close())
  const solid = (await native.solidity.getNowBlock()).block_header.raw_data.number ?? 0
  const blocks = { from: 0, to: lastIndexable(solid) }
  await writer.filler.complete(blocks, 'newest')
  const searcher = createAccountSearcher({ deadline: 600_000, ...writer })
  const search = async (account: string, list: 'concerns' | 'created') => {
    const request = { ...blocks, account: account.slice(2), list, kinds: 0, limit: 1e9 }
    const { covered, places } = await searcher.search({ ...request, order: 'oldest' })
    expect(covered).toEqual([blocks])
    return places.map(({ block, index, kinds }) => [`${block} ${index}`, kinds])
  }
  const { created, histories, places } = await scanHistories(node, blocks)
  for (const [account, own] of histories) {
    const sumOf = (kinds: Set<string>) =>
      [...kinds].reduce((sum, kind) => sum + KINDS[kind as Kind], 0)
    const expected = [...own].map(([hash, kinds]) => [places.get(hash), sumOf(kinds)])
    expect({ account, found: await search(account, 'concerns') }).toEqual({
      account,
      found: expected,
    })
    const creation = created.get(account)
    expect((await search(account, 'created')).map(([place]) => place)).toEqual(
      creation ? [places.get(creation.hash)] : [],
    )
  }
  return histories.size
}

test
  .skipIf(missing)
  .each(['lmdb', 'postgres'].filter((engine) => engine === 'lmdb' || !postgresMissing))(
  'default: the history of every account of the long chain in the index equals a plain scan: %s',
  async (engine) => {
    expect(await compareIndex(LONG ?? '', engine)).toBeGreaterThan(300)
  },
  900_000,
)
