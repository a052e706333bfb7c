import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createSimulator } from '../../src/devchain/simulator/simulator.ts'
import { createNativeClient, signTransaction, type Transaction } from '../../src/sdk/client.ts'
import { realNode, startGateway, type TestGateway } from '../support/gateway.ts'
import { hasNodeScript, nodeScript } from '../support/nodeScript.ts'
import { keys, labels } from '../support/recordedChain.ts'
import { until } from '../support/until.ts'

// A node of its own, because other tests compare costs that must not change meanwhile. Nodes of other tests have other offsets.
const OFFSET = 480

/** Parameters of the chain by id: dynamic energy on, from 100 units a cycle on, half more each cycle, twice at most. */
const PARAMETERS = [
  { key: 72, value: 1 },
  { key: 73, value: 100 },
  { key: 74, value: 5_000 },
  { key: 75, value: 10_000 },
]

const { alice, sr1, sr2, sr3, sr4, sr5 } = keys
const token = labels.contracts.Token.address
const data = encodeFunctionData({
  abi: parseAbi(['function transfer(address to, uint256 value)']),
  functionName: 'transfer',
  args: [alice.eth, 1n],
})
const transfer = { from: alice.eth, to: `0x${token.slice(2)}`, data }
const native = {
  owner_address: alice.hex,
  contract_address: token,
  function_selector: 'transfer(address,uint256)',
  parameter: data.slice(10),
}

describe.skipIf(!hasNodeScript)('a contract with a raised energy factor', () => {
  const url = `http://127.0.0.1:${8090 + OFFSET}`
  const run = (verb: string, ...options: string[]) =>
    nodeScript(verb, '--offset', String(OFFSET), ...options)
  const node = createNativeClient(url)
  let gateway: TestGateway

  beforeAll(async () => {
    await run('start', '--produce', '--unlimited')
    // The node has its first block when it has gone through all slots since the recorded chain. Until then transactions expire at once.
    await until(async () => {
      const block = await node.wallet.getNowBlock()
      const age = Date.now() - Number(block.block_header.raw_data.timestamp)
      if (age > 30_000) throw new Error(`the head is ${age} ms old`)
    })
    gateway = await startGateway({
      config: {
        simulate: 'on',
        ...realNode(url),
        upstreamRpc: `http://127.0.0.1:${8545 + OFFSET}/jsonrpc`,
      },
      host: { createSimulator },
    })
  }, 300_000)
  afterAll(async () => {
    await gateway.close()
    await node.close()
    await run('stop')
  }, 60_000)

  async function send(transaction: Transaction | undefined, { pk }: { pk: string }) {
    if (!transaction) throw new Error('the node built no transaction')
    const id = await node.send(signTransaction(transaction, pk))
    return node.waitForTransaction(`0x${id.replace(/^0x/, '')}`, { interval: 300 })
  }
  const sendTransfer = async () => {
    const built = await node.wallet.triggerSmartContract({ ...native, fee_limit: 100_000_000 })
    return send(built.transaction, alice)
  }
  const factor = async () => {
    const { contract_state: state } = (await node.wallet.getContractInfo({ value: token })) ?? {}
    return Number(state?.energy_factor ?? 0)
  }

  /** The producers switch it on; a contract that is used enough then gets dearer with each cycle of a minute. */
  async function raiseFactor() {
    const { chainParameter = [] } = await node.wallet.getChainParameters()
    if (!chainParameter.some(({ key, value }) => key === 'getAllowDynamicEnergy' && value)) {
      // A node that was stopped for long has a proposal expire at once until it has made a few blocks.
      for (let blocks = 0; blocks < 3; blocks++) await sendTransfer()
      const parameters = PARAMETERS
      await send(await node.wallet.proposalCreate({ owner_address: sr1.hex, parameters }), sr1)
      const { proposals = [] } = await node.wallet.listProposals()
      const proposal_id = Math.max(...proposals.map((one) => one.proposal_id))
      const approval = { proposal_id, is_add_approval: true }
      await Promise.all(
        [sr1, sr2, sr3, sr4, sr5].map(async (producer) => {
          const owner_address = producer.hex
          const built = await node.wallet.proposalApprove({ owner_address, ...approval })
          return send(built, producer)
        }),
      )
    }
    // Each transfer takes a block. A proposal takes effect after two minutes at most, the factor one minute later.
    for (let sent = 0; (await factor()) === 0 && sent < 120; sent++) await sendTransfer()
  }

  /** What each of them says of one transfer; undefined when the factor changed meanwhile, as it does once a minute. */
  async function compare() {
    const before = await factor()
    const tracer = { tracer: 'callTracer' }
    const traced = await gateway.rpc<{ gasUsed: Hex }>(
      'debug_traceCall',
      transfer,
      'latest',
      tracer,
    )
    const quote = await gateway.rpc<{ energy: { total: Hex }; fee: { total: Hex } }>(
      'ethgate_feeQuote',
      transfer,
    )
    const { energy_penalty: penalty, energy_used: used } =
      await node.wallet.triggerConstantContract(native)
    const { fee, receipt } = await sendTransfer()
    if ((await factor()) !== before) return undefined
    return { before, fee, penalty, quote, receipt, traced, used }
  }

  test(
    'default: simulations, the quote, the node and what a transaction burns are the same',
    { timeout: 600_000 },
    async () => {
      await raiseFactor()
      const found = (await compare()) ?? (await compare()) ?? (await compare())
      expect(found?.before).toBeGreaterThan(0)
      expect(found?.penalty).toBeGreaterThan(0)
      expect({
        burnt: found?.receipt?.energy_usage_total,
        fee: found?.fee,
        quoted: Number(found?.quote.energy.total),
        traced: Number(found?.traced.gasUsed),
      }).toEqual({
        burnt: found?.used,
        fee: Number(found?.quote.fee.total),
        quoted: found?.used,
        traced: found?.used,
      })
    },
  )
})
