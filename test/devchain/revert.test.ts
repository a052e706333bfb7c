import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'

let dev: DevGateway

beforeAll(async () => {
  dev = await startDevGateway()
})

afterAll(() => dev.close())

const account = (index: number) => `0x${'ab'.repeat(19)}0${index}`
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

/** The visible state of the chain: its height, and the balance and two slots of two accounts. */
type Seen = { height: number; balances: number[]; slots: number[][] }

type Receipt = { blockHash: string; logs: { data: string }[] }

const writes = fc.oneof(
  fc.record({ kind: fc.constant('balance' as const), who: fc.nat(1), value: fc.nat(9) }),
  fc.record({
    kind: fc.constant('slot' as const),
    who: fc.nat(1),
    slot: fc.nat(1),
    value: fc.nat(9),
  }),
  fc.record({ kind: fc.constant('mine' as const) }),
  fc.record({
    kind: fc.constant('send' as const),
    who: fc.nat(1),
    value: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ kind: fc.constant('snapshot' as const) }),
  fc.record({ kind: fc.constant('revert' as const), back: fc.nat(3) }),
)

async function seen(): Promise<Seen> {
  return {
    height: Number(await dev.rpc('eth_blockNumber')),
    balances: await Promise.all(
      [0, 1].map(async (who) => Number(await dev.rpc('eth_getBalance', account(who), 'latest'))),
    ),
    slots: await Promise.all(
      [0, 1].map((who) =>
        Promise.all(
          [0, 1].map(async (slot) =>
            Number(await dev.rpc('eth_getStorageAt', account(who), `0x${slot}`, 'latest')),
          ),
        ),
      ),
    ),
  }
}

describe('evm_snapshot and evm_revert', () => {
  test('behavior: a slot written twice after a snapshot is undone', async () => {
    const id = await dev.rpc('evm_snapshot')
    await dev.rpc('hardhat_setStorageAt', account(5), '0x7', word(1))
    await dev.rpc('evm_mine')
    await dev.rpc('hardhat_setStorageAt', account(5), '0x7', word(2))
    await dev.rpc('evm_mine')
    expect(await dev.rpc('evm_revert', id)).toBe(true)
    expect(await dev.rpc('eth_getStorageAt', account(5), '0x7', 'latest')).toBe(word(0))
    await dev.rpc('evm_mine')
  })

  test('behavior: the same transaction at the same time, on a changed state, has its own block and receipt', async () => {
    const contract = account(6)
    // SLOAD(0), MSTORE, LOG0
    await dev.rpc('hardhat_setCode', contract, '0x5f545f5260205fa000')
    // The chain is ahead of real time, so the next blocks have the same time after each revert.
    await dev.rpc('hardhat_mine', '0x64')
    let id = await dev.rpc('evm_snapshot')
    const hashes = new Set<unknown>()
    const seen: unknown[] = []
    for (const value of [1, 2, 3]) {
      await dev.rpc('hardhat_setStorageAt', contract, '0x0', word(value))
      const request = { from: dev.accountOf(0), to: contract, gas: '0x186a0', gasPrice: '0x64' }
      const hash = await dev.rpc('eth_sendTransaction', request)
      hashes.add(hash)
      const receipt = (await dev.rpc('eth_getTransactionReceipt', hash)) as Receipt
      const [log] = (await dev.rpc('eth_getLogs', { address: contract })) as Receipt['logs']
      hashes.add(receipt.blockHash)
      seen.push([receipt.logs[0]?.data, log?.data])
      await dev.rpc('evm_revert', id)
      id = await dev.rpc('evm_snapshot')
    }
    expect(seen).toEqual([1, 2, 3].map((value) => [word(value), word(value)]))
    // One transaction in three blocks.
    expect(hashes.size).toBe(4)
  })

  test('behavior: what was chosen for later blocks is that of the snapshot', async () => {
    async function nextBlock() {
      await dev.rpc('evm_mine')
      const { baseFeePerGas, gasLimit, miner, mixHash } = (await dev.rpc(
        'eth_getBlockByNumber',
        'latest',
        false,
      )) as Record<string, string>
      return { baseFeePerGas, gasLimit, miner, mixHash }
    }
    async function choose(value: number) {
      await dev.rpc('hardhat_setNextBlockBaseFeePerGas', `0x${value.toString(16)}`)
      await dev.rpc('hardhat_setPrevRandao', word(value))
      await dev.rpc('hardhat_setCoinbase', account(value))
      await dev.rpc('evm_setBlockGasLimit', `0x${(value * 1_000_000).toString(16)}`)
    }
    const first = await dev.rpc('evm_snapshot')
    const { baseFeePerGas } = await nextBlock()
    await choose(7)
    const second = await dev.rpc('evm_snapshot')
    const chosen = {
      baseFeePerGas: '0x7',
      gasLimit: '0x6acfc0',
      miner: account(7),
      mixHash: word(7),
    }
    expect(await nextBlock()).toEqual(chosen)
    await choose(8)
    await dev.rpc('evm_revert', second)
    expect(await nextBlock()).toEqual(chosen)
    const third = await dev.rpc('evm_snapshot')
    await choose(9)
    await dev.rpc('evm_revert', third)
    expect(await nextBlock()).toMatchObject({ baseFeePerGas, miner: account(7) })
    await dev.rpc('evm_revert', first)
  })

  test('behavior: after any writes, snapshots and reverts the chain is what a model says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { maxLength: 25 }), async (steps) => {
        const first = await dev.rpc('evm_snapshot')
        const model = await seen()
        const kept: { id: unknown; state: Seen }[] = []
        for (const step of steps) {
          if (step.kind === 'balance') {
            await dev.rpc('anvil_setBalance', account(step.who), `0x${step.value.toString(16)}`)
            model.balances[step.who] = step.value
          } else if (step.kind === 'slot') {
            const slot = `0x${step.slot}`
            await dev.rpc('hardhat_setStorageAt', account(step.who), slot, word(step.value))
            ;(model.slots[step.who] as number[])[step.slot] = step.value
          } else if (step.kind === 'mine') {
            await dev.rpc('evm_mine')
            model.height++
          } else if (step.kind === 'send') {
            const from = dev.accountOf(0)
            const value = `0x${step.value.toString(16)}`
            await dev.rpc('eth_sendTransaction', { from, to: account(step.who), value })
            model.height++
            model.balances[step.who] = (model.balances[step.who] ?? 0) + step.value
          } else if (step.kind === 'snapshot')
            kept.push({ id: await dev.rpc('evm_snapshot'), state: structuredClone(model) })
          else {
            const [snapshot] = kept.splice(Math.max(0, kept.length - 1 - step.back))
            if (!snapshot) continue
            await dev.rpc('evm_revert', snapshot.id)
            Object.assign(model, structuredClone(snapshot.state))
          }
          expect(await seen()).toEqual(model)
        }
        await dev.rpc('evm_revert', first)
      }),
      { numRuns: 15 },
    )
  })
})
