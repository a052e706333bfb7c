import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { type ReplayNode, startReplayNode } from '../../test/support/node.ts'
import { createNodeClient, type NativeClient } from './client.ts'
import { diagnose, type Finding } from './diagnose.ts'
import { createNodeRpc } from './transport/nodeRpc.ts'
import { createHttpTransport } from './transport/transport.ts'

const DISABLED = '{"Error":"this API is unavailable due to config"}'
const BUSY = '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}'
/** Five seconds after the recorded head. */
const now = () => 1_795_262_120_000
const refusal = (text: string) =>
  `{"result":{"code":"CONTRACT_VALIDATE_ERROR","message":"${Buffer.from(text).toString('hex')}"}}`

let node: ReplayNode
let native: NativeClient
let replaced: Record<string, string | undefined> = {}

beforeEach(async () => {
  replaced = {}
  node = await startReplayNode({
    intercept({ path }) {
      const text = replaced[path] ?? replaced[path.split('/').at(-1) ?? '']
      return text === undefined ? undefined : { text, status: text === DISABLED ? 404 : 200 }
    },
  })
  native = createNodeClient({
    transport: createHttpTransport({ upstream: node.url }),
    sleep: async () => {},
  })
})

afterEach(async () => {
  await native.close()
  await node.close()
})

/** Findings that are not good, by check. */
const troubles = (findings: Finding[]) =>
  Object.fromEntries(
    findings
      .filter(({ level }) => level === 'warn' || level === 'fail')
      .map(({ advice, check, found, level }) => [check, `${level}: ${found}: ${advice}`]),
  )

describe('diagnose', () => {
  test('default', async () => {
    const rpc = createNodeRpc({ url: node.rpcUrl })
    const findings = await diagnose(native, { now, rpc })
    await rpc.close()
    expect(findings.map(({ check, level, found }) => `${level} ${check}: ${found}`))
      .toMatchInlineSnapshot(`
        [
          "ok reachable: answers in 0 ms (fastest 0 ms)",
          "ok version: java-tron 4.8.0",
          "ok chain: id 2991466444 (0xb24e27cc), genesis …a95aeef7b24e27cc",
          "ok head: block 223, 5 s old",
          "ok solidified: block 223, 0 behind the head",
          "ok contract calls: on",
          "ok energy estimates: on",
          "ok block history: kept",
          "ok receipts and logs: kept",
          "ok balance history: kept",
          "ok limits: 200 reads in 0.00 s",
          "ok JSON-RPC: same chain",
        ]
      `)
  })

  test('behavior: a node of the default configuration', async () => {
    replaced = {
      triggerconstantcontract: refusal('this node does not support constant'),
      estimateenergy: refusal('this node does not support estimate energy'),
      getblockbalance: '{"Error":"class a.b.ItemNotFoundException : This block does not exist"}',
    }
    expect(troubles(await diagnose(native, { now }))).toMatchInlineSnapshot(`
      {
        "balance history": "warn: not complete from the first block: eth_getBalance fails for past blocks: set storage.balance.history.lookup = true and sync again",
        "contract calls": "fail: off: eth_call and all contract reads fail: set vm.supportConstant = true in the node",
        "energy estimates": "warn: off: estimates come from a simulation and can be slightly too low: set vm.estimateEnergy = true",
      }
    `)
  })

  test('behavior: a lite node with operations switched off', async () => {
    const lite = 'this API is closed because this node is a lite fullnode'
    for (const name of ['getblockbynum', 'getblockbylatestnum', 'gettransactioninfobyid'])
      replaced[name] = lite
    replaced['getcontractinfo'] = DISABLED
    replaced['getchainparameters'] = DISABLED
    replaced['/walletsolidity/getnowblock'] = DISABLED
    expect(troubles(await diagnose(native, { now }))).toMatchInlineSnapshot(`
      {
        "block history": "fail: closed: a lite node: old blocks, receipts and logs are not served; use a full node or set node.openHistoryQueryWhenLiteFN = true",
        "getchainparameters": "warn: disabled: without it: no sending",
        "getcontractinfo": "fail: disabled: without it: no eth_getCode",
        "receipts and logs": "fail: not kept: no receipts, no logs: set storage.transHistory.switch = "on" and sync again",
        "solidified": "fail: no /walletsolidity: "finalized", "safe" and caching need it: give its address with --upstream-solidity (port 8091 of a node)",
      }
    `)
  })

  test('behavior: a provider that limits the rate', async () => {
    replaced['/wallet/getblock'] = BUSY
    expect(troubles(await diagnose(native, { now }))).toMatchObject({
      limits: expect.stringContaining('200 of 200 reads refused'),
    })
  })

  test('behavior: a head that stands still', async () => {
    expect(troubles(await diagnose(native, { now: () => now() + 3_600_000 }))).toEqual({
      head: 'warn: block 223, 3605 s old: the head does not move: the node is syncing, or its chain stopped',
    })
  })

  test('behavior: the JSON-RPC of another chain', async () => {
    const other = await startReplayNode({
      intercept: () => ({ text: '{"jsonrpc":"2.0","id":1,"result":"0x1"}' }),
    })
    const rpc = createNodeRpc({ url: other.rpcUrl })
    expect(troubles(await diagnose(native, { now, rpc }))).toMatchObject({
      'JSON-RPC': expect.stringContaining('fail: another chain: 0x1'),
    })
    await rpc.close()
    await other.close()
  })

  test('error: no node at the address, or another server', async () => {
    await node.close()
    expect(await diagnose(native, { now })).toMatchInlineSnapshot(`
      [
        {
          "advice": "check that the node is running and that this is the address of its HTTP API (port 8090, not its JSON-RPC)",
          "check": "reachable",
          "found": "the upstream node is unreachable",
          "level": "fail",
        },
      ]
    `)
    node = await startReplayNode({ intercept: () => ({ text: '<html>', status: 404 }) })
    const other = createNodeClient({ transport: createHttpTransport({ upstream: node.url }) })
    expect(await diagnose(other, { now })).toMatchObject([{ check: 'reachable', level: 'fail' }])
    await other.close()
  })
})
