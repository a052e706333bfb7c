import { readFileSync } from 'node:fs'

import { concat, getContractAddress, type Hex, pad } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { type DevGateway, type Energy, onChain, startDevGateway } from '../support/devGateway.ts'
import { sendCases } from '../support/traceCases.ts'

/** The gas used by each transaction of `traceCases.ts` on anvil 1.7.1, by hardfork. */
const ANVIL = JSON.parse(
  readFileSync(new URL('../fixtures/trace/gas.json', import.meta.url), 'utf8'),
) as Record<string, Record<string, number>>

const HERE: Hex = `0x${'aa'.repeat(20)}`
const THERE: Hex = `0x${'bb'.repeat(20)}`
const NEW: Hex = `0x${'cc'.repeat(20)}`
const GWEI = 10n ** 9n
/** Writes the first word of the data to slot 0. */
const STORE: Hex = '0x60003560005500'
/** Reads slots 0 and 1. */
const LOAD_TWICE: Hex = '0x60005450600154505f5ff3'
/** Sends one wei to the account in the data with no gas but the stipend, and returns whether that worked. */
const PAY: Hex = '0x5f5f5f5f60015f355ff15f5260205ff3'
/** Destroys itself in favour of THERE. */
const DESTROY: Hex = `0x73${THERE.slice(2)}ff`

const word = (value: bigint | number): Hex => `0x${value.toString(16).padStart(64, '0')}`

let dev: DevGateway

beforeAll(async () => {
  dev = await startDevGateway({ rules: { decimals: 18 } })
})
beforeEach(() => dev.rpc('hardhat_reset'))
afterAll(() => dev.close())

const setCode = (address: Hex, code: Hex) => dev.rpc('hardhat_setCode', address, code)
const call = (request: object) =>
  dev.rpc('eth_call', { from: dev.accountOf(0), ...request }, 'latest')

async function gasOf(node: DevGateway, hash: unknown): Promise<number> {
  const receipt = (await node.rpc('eth_getTransactionReceipt', hash)) as { gasUsed: Hex }
  return Number(receipt.gasUsed)
}

async function send(request: object, node: DevGateway = dev): Promise<number> {
  const from = node.accountOf(0)
  return gasOf(node, await node.rpc('eth_sendTransaction', { from, gas: '0x30d40', ...request }))
}

/** What a client sees of the price that a transaction has paid with this base fee, and what its block's producer got. */
async function paid(node: DevGateway, fees: object) {
  await node.rpc('hardhat_setNextBlockBaseFeePerGas', gwei(1n))
  const balance = async (address: Hex) =>
    BigInt((await node.rpc('eth_getBalance', address, 'latest')) as Hex)
  const from = node.accountOf(0)
  const before = [await balance(from), await balance(HERE)] as const
  const hash = await node.rpc('eth_sendTransaction', { from, to: THERE, value: '0x0', ...fees })
  const { effectiveGasPrice, gasUsed } = (await node.rpc('eth_getTransactionReceipt', hash)) as {
    effectiveGasPrice: Hex
    gasUsed: Hex
  }
  const { gasPrice } = (await node.rpc('eth_getTransactionByHash', hash)) as { gasPrice: Hex }
  expect(gasPrice).toBe(effectiveGasPrice)
  const used = BigInt(gasUsed)
  expect((before[0] - (await balance(from))) / used).toBe(BigInt(effectiveGasPrice))
  return {
    price: BigInt(effectiveGasPrice) / GWEI,
    tip: ((await balance(HERE)) - before[1]) / used / GWEI,
  }
}

const gwei = (amount: bigint): Hex => `0x${(amount * GWEI).toString(16)}`

test('behavior: the outermost frame of Parity’s traces has the gas without the intrinsic gas, as on anvil', async () => {
  await setCode(HERE, STORE)
  const request = { from: dev.accountOf(0), to: HERE, gas: '0x30d40', data: word(1) }
  const hash = await dev.rpc('eth_sendTransaction', request)
  const [frame] = (await dev.rpc('trace_transaction', hash)) as [object]
  // A call with 31 zero bytes and one other byte costs 21,140, and the first write to a slot 22,100.
  const action = { gas: `0x${(200_000 - 21_140).toString(16)}` }
  expect(frame).toMatchObject({ action, result: { gasUsed: `0x${(22_109).toString(16)}` } })
  const { trace } = (await dev.rpc('trace_replayTransaction', hash, ['trace'])) as { trace: object }
  expect(trace).toMatchObject([{ action }])
})

describe('fees of a hardfork', () => {
  test('default: the base fee and the tip, at most what is offered; the producer gets the tip', async () => {
    await onChain('cancun', async (node) => {
      await node.rpc('hardhat_setCoinbase', HERE)
      const tip = { maxFeePerGas: gwei(10n), maxPriorityFeePerGas: gwei(2n) }
      expect(await paid(node, {})).toEqual({ price: 2n, tip: 1n })
      expect(await paid(node, { type: '0x0' })).toEqual({ price: 2n, tip: 1n })
      expect(await paid(node, tip)).toEqual({ price: 3n, tip: 2n })
      expect(await paid(node, { ...tip, maxFeePerGas: gwei(2n) })).toEqual({ price: 2n, tip: 1n })
      expect(await paid(node, { gasPrice: gwei(8n) })).toEqual({ price: 8n, tip: 7n })
    })
  })

  test('behavior: contracts see the price that is paid, and the base fee', async () => {
    await onChain('cancun', async (node) => {
      // GASPRICE to slot 0, BASEFEE to slot 1.
      await node.rpc('hardhat_setCode', THERE, '0x3a5f554860015500')
      const from = node.accountOf(0)
      await node.rpc('hardhat_setNextBlockBaseFeePerGas', gwei(1n))
      await node.rpc('eth_sendTransaction', { from, to: THERE, gasPrice: gwei(8n) })
      const slot = (index: Hex) => node.rpc('eth_getStorageAt', THERE, index, 'latest')
      expect([await slot('0x0'), await slot('0x1')]).toEqual([word(8n * GWEI), word(GWEI)])
    })
  })

  test('behavior: the chain’s own energy schedule has one price and no tips', async () => {
    await onChain('native', async (node) => {
      await node.rpc('hardhat_setCode', THERE, STORE)
      await node.rpc('hardhat_setCoinbase', HERE)
      expect(await paid(node, { gasPrice: gwei(8n) })).toEqual({ price: 1n, tip: 0n })
    })
  })
})

describe('base fee', () => {
  const baseFee = async (node: DevGateway, tag: string) => {
    const block = (await node.rpc('eth_getBlockByNumber', tag, false)) as { baseFeePerGas: Hex }
    return BigInt(block.baseFeePerGas)
  }

  test('default: it falls by an eighth after an empty block, as EIP-1559 says, and a chosen one has effect on later blocks', async () => {
    await onChain('cancun', async (node) => {
      // As in block 1 of anvil and Hardhat.
      const first = (GWEI * 7n) / 8n
      expect(await baseFee(node, '0x0')).toBe(GWEI)
      expect(await baseFee(node, 'pending')).toBe(first)
      await node.rpc('hardhat_mine', '0x1')
      expect(await baseFee(node, 'latest')).toBe(first)
      // It falls until an eighth of it is less than one.
      await node.rpc('hardhat_mine', '0x100')
      expect(await baseFee(node, 'latest')).toBe(7n)
      await node.rpc('hardhat_setNextBlockBaseFeePerGas', '0x0')
      await node.rpc('hardhat_mine', '0x2')
      const from = node.accountOf(0)
      expect(await paidNothing(node, from)).toBe('0x0')
    })
  })

  const paidNothing = async (node: DevGateway, from: Hex) => {
    const hash = await node.rpc('eth_sendTransaction', { from, to: THERE, gasPrice: '0x0' })
    const receipt = (await node.rpc('eth_getTransactionReceipt', hash)) as {
      effectiveGasPrice: Hex
    }
    return receipt.effectiveGasPrice
  }

  test('default: it rises after a block that used more than half of its gas limit', async () => {
    await onChain('cancun', async (node) => {
      await node.rpc('evm_setBlockGasLimit', '0x7a120') // 500,000
      await node.rpc('evm_setAutomine', false)
      const from = node.accountOf(0)
      for (let index = 0; index < 20; index++)
        await node.rpc('eth_sendTransaction', { from, to: THERE, gas: '0x5208' })
      const before = await baseFee(node, 'pending')
      await node.rpc('evm_mine')
      // 420,000 of 250,000 gas: 0.68 of the highest change.
      expect(await baseFee(node, 'pending')).toBe(before + (before * 170_000n) / 250_000n / 8n)
    })
  })

  test('default: a transaction that offers less than the base fee waits for a lower one', async () => {
    await onChain('cancun', async (node) => {
      await node.rpc('evm_setAutomine', false)
      const from = node.accountOf(0)
      const low = { from, to: THERE, gasPrice: gwei(1n) }
      const hash = await node.rpc('eth_sendTransaction', low)
      const later = await node.rpc('eth_sendTransaction', { from, to: THERE })
      await node.rpc('hardhat_setNextBlockBaseFeePerGas', gwei(1n) + '0')
      await node.rpc('evm_mine')
      expect(await node.rpc('eth_getTransactionReceipt', hash)).toBeNull()
      expect(await node.rpc('eth_getTransactionReceipt', later)).toBeNull()
      await node.rpc('hardhat_setNextBlockBaseFeePerGas', gwei(1n))
      await node.rpc('evm_mine')
      expect(await node.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
      expect(await node.rpc('eth_getTransactionReceipt', later)).toMatchObject({ status: '0x1' })
    })
  })

  test('default: receipts, fee history and gas price agree with the blocks', async () => {
    await onChain('cancun', async (node) => {
      const from = node.accountOf(0)
      const fees = { maxFeePerGas: gwei(9n), maxPriorityFeePerGas: gwei(2n) }
      const hash = await node.rpc('eth_sendTransaction', { from, to: THERE, ...fees })
      const paid = await baseFee(node, 'latest')
      await node.rpc('hardhat_mine', '0x1')
      expect(await node.rpc('eth_getTransactionReceipt', hash)).toMatchObject({
        effectiveGasPrice: `0x${(paid + 2n * GWEI).toString(16)}`,
      })
      const history = (await node.rpc('eth_feeHistory', '0x2', 'latest', [0, 100])) as {
        baseFeePerGas: Hex[]
        reward: Hex[][]
      }
      const next = await baseFee(node, 'pending')
      expect(history.baseFeePerGas.map(BigInt)).toEqual([paid, await baseFee(node, 'latest'), next])
      expect(history.reward).toEqual([
        [gwei(2n), gwei(2n)],
        ['0x0', '0x0'],
      ])
      expect(await node.rpc('eth_maxPriorityFeePerGas')).toBe(gwei(1n))
      expect(await node.rpc('eth_gasPrice')).toBe(`0x${(next + GWEI).toString(16)}`)
    })
  })
})

test('behavior: a fee history that is read while a block is made ends with the base fee of that block', async () => {
  await onChain('cancun', async (node) => {
    const [from, wrong] = [node.accountOf(0), [] as Hex[][]]
    for (let index = 0; index < 40; index++) {
      const request = { from, to: THERE, gas: '0x5208' }
      const sent = node.rpc('eth_sendTransaction', request)
      const histories = Array.from({ length: 4 }, () =>
        node.rpc('eth_feeHistory', '0x1', 'latest', []),
      )
      for (const history of (await Promise.all(histories)) as { baseFeePerGas: [Hex, Hex] }[]) {
        const [fee, next] = history.baseFeePerGas
        // These blocks are nearly empty, so it falls.
        if (BigInt(next) >= BigInt(fee)) wrong.push(history.baseFeePerGas)
      }
      await sent
    }
    expect(wrong).toEqual([])
  })
})

describe('gas of a hardfork', () => {
  test.each(Object.keys(ANVIL) as Energy[])('default: equals anvil’s on %s', async (hardfork) => {
    await onChain(hardfork, async (node) => {
      const used: Record<string, number> = {}
      for (const [name, hash] of await sendCases((...params) => node.rpc(...params)))
        used[name] = await gasOf(node, hash)
      expect(used).toEqual(ANVIL[hardfork])
    })
  })

  test('behavior: contracts see the gas limit and the randomness of the block; both are 0 with --energy native', async () => {
    // GASLIMIT and PREVRANDAO.
    const seen = async (node: DevGateway, tag: string) => {
      const block = (await node.rpc('eth_getBlockByNumber', tag, false)) as Record<string, Hex>
      const data = '0x456000524460205260406000f3'
      return { block, inContract: await node.rpc('eth_call', { data }, tag) }
    }
    const shown = ({ gasLimit, mixHash }: Record<string, Hex>) =>
      concat([pad(gasLimit as Hex), mixHash as Hex])
    const latest = await seen(dev, 'latest')
    const pending = await seen(dev, 'pending')
    for (const { block, inContract } of [latest, pending]) expect(inContract).toBe(shown(block))
    expect(pending.block['mixHash']).not.toBe(latest.block['mixHash'])
    await dev.rpc('evm_mine')
    expect((await seen(dev, 'latest')).block['mixHash']).toBe(pending.block['mixHash'])
    for (const energy of ['native', 'london'] as const)
      await onChain(energy, async (node) => {
        const { block, inContract } = await seen(node, 'pending')
        expect(block['mixHash']).toBe(word(0))
        expect(inContract).toBe(
          shown({ ...block, ...(energy === 'native' && { gasLimit: '0x0' }) }),
        )
      })
  })

  test('behavior: a call sees the price that a transaction with its fees pays, and 0 without fees', async () => {
    await dev.rpc('hardhat_setNextBlockBaseFeePerGas', '0x7')
    await dev.rpc('evm_mine')
    const data = '0x3a60005260206000f3'
    const seen = async (fees: object) => BigInt((await call({ data, ...fees })) as Hex)
    expect(await seen({})).toBe(0n)
    expect(await seen({ gasPrice: '0x9' })).toBe(9n)
    expect(await seen({ maxFeePerGas: '0x64', maxPriorityFeePerGas: '0x5' })).toBe(12n)
    expect(await seen({ maxFeePerGas: '0xa', maxPriorityFeePerGas: '0x5' })).toBe(10n)
    await onChain('native', async (node) => {
      const price = await node.rpc('eth_gasPrice')
      expect(await node.rpc('eth_call', { data }, 'latest')).toBe(word(BigInt(price as Hex)))
    })
  })

  test('behavior: contracts see the balance of the sender without the price of the gas limit', async () => {
    const seen = async (node: DevGateway) => {
      const from = node.accountOf(0)
      // Stores BALANCE of CALLER.
      await node.rpc('hardhat_setCode', HERE, '0x333160005500')
      const before = BigInt((await node.rpc('eth_getBalance', from, 'latest')) as Hex)
      const fees = { gas: '0x186a0', gasPrice: gwei(5n) }
      const hash = await node.rpc('eth_sendTransaction', { from, to: HERE, ...fees })
      const left = before - BigInt((await node.rpc('eth_getStorageAt', HERE, '0x0')) as Hex)
      const paid = before - BigInt((await node.rpc('eth_getBalance', from, 'latest')) as Hex)
      return { left, paid: paid / BigInt(await gasOf(node, hash)) }
    }
    expect(await seen(dev)).toEqual({ left: 100_000n * 5n * GWEI, paid: 5n * GWEI })
    await onChain('native', async (node) => expect(await seen(node)).toMatchObject({ left: 0n }))
  })

  test('behavior: a contract at a taken address is not created, and uses all gas', async () => {
    const from = dev.accountOf(0)
    const create = async (take: (address: Hex) => Promise<unknown>) => {
      const nonce = BigInt((await dev.rpc('eth_getTransactionCount', from, 'latest')) as Hex)
      const address = getContractAddress({ from, nonce })
      await take(address)
      await dev.rpc('evm_setAutomine', false)
      const hash = await dev.rpc('eth_sendTransaction', { from, data: '0x00', gas: '0x186a0' })
      await dev.rpc('evm_mine')
      await dev.rpc('evm_setAutomine', true)
      expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({
        status: '0x0',
        gasUsed: '0x186a0',
      })
      return dev.rpc('eth_getCode', address, 'latest')
    }
    expect(await create((address) => setCode(address, STORE))).toBe(STORE)
    expect(await create((address) => dev.rpc('anvil_setNonce', address, '0x1'))).toBe('0x')
    // The same by CREATE2 in a contract.
    const factory = '0x5f5f5f5ff55f5260205ff3'
    await setCode(HERE, factory)
    const created = getContractAddress({
      from: HERE,
      opcode: 'CREATE2',
      salt: word(0),
      bytecode: '0x',
    })
    expect(await call({ to: HERE })).toBe(pad(created).toLowerCase())
    await dev.rpc('anvil_setNonce', created, '0x1')
    expect(await call({ to: HERE })).toBe(word(0))
  })

  test('behavior: anvil_nodeInfo names the hardfork', async () => {
    await onChain('prague', async (node) => {
      expect(await node.rpc('anvil_nodeInfo')).toMatchObject({ hardFork: 'prague' })
    })
  })

  test('behavior: the first access of a slot or account costs more than later ones', async () => {
    await setCode(HERE, LOAD_TWICE)
    const cold = await send({ to: HERE })
    const accessList = [{ address: HERE, storageKeys: [word(0), word(1)] }]
    // Each listed slot costs 1,900 and saves 2,000; the receiver is warm already, but listing it costs 2,400.
    expect(cold - (await send({ to: HERE, accessList }))).toBe(2 * 100 - 2_400)
    expect(await send({ to: THERE, accessList: [{ address: HERE, storageKeys: [word(0)] }] })).toBe(
      21_000 + 2_400 + 1_900,
    )
  })

  test('behavior: cleared storage gives back a fifth of the gas at most, before London a half', async () => {
    await setCode(HERE, STORE)
    await send({ to: HERE, data: word(1) })
    const clearing = 21_000 + 32 * 4 + 3 * 3 + 5_000
    expect(await send({ to: HERE, data: word(0) })).toBe(clearing - 4_800)
    await onChain('berlin', async (node) => {
      await node.rpc('hardhat_setCode', HERE, STORE)
      await send({ to: HERE, data: word(1) }, node)
      expect(await send({ to: HERE, data: word(0) }, node)).toBe(Math.ceil(clearing / 2))
    })
  })

  test('behavior: call data has a least price since Prague', async () => {
    const data: Hex = `0x${'11'.repeat(100)}`
    expect(await send({ to: NEW, data })).toBe(21_000 + 100 * 16)
    await onChain('prague', async (node) => {
      expect(await send({ to: NEW, data }, node)).toBe(21_000 + 100 * 40)
    })
  })

  test('behavior: a transfer by a contract has a stipend of 2,300', async () => {
    await setCode(HERE, PAY)
    await dev.rpc('hardhat_setBalance', HERE, '0x10')
    await setCode(THERE, LOAD_TWICE)
    const pay = (to: Hex) => call({ to: HERE, data: word(BigInt(to)) })
    expect(await pay(NEW)).toBe(word(1))
    // Two cold slots cost 4,200.
    expect(await pay(THERE)).toBe(word(0))
  })

  test('behavior: SELFDESTRUCT keeps older contracts since Cancun', async () => {
    await setCode(HERE, DESTROY)
    await send({ to: HERE })
    expect(await dev.rpc('eth_getCode', HERE, 'latest')).toBe(DESTROY)
    await onChain('shanghai', async (node) => {
      await node.rpc('hardhat_setCode', HERE, DESTROY)
      await send({ to: HERE }, node)
      expect(await node.rpc('eth_getCode', HERE, 'latest')).toBe('0x')
    })
  })

  test('behavior: authorizations cost 25,000, and half of it for accounts that exist', async () => {
    const chainId = Number(await dev.rpc('eth_chainId'))
    const sender = privateKeyToAccount(dev.keyOf(0))
    const used = async (key: Hex) => {
      const account = privateKeyToAccount(key)
      const authorization = await account.signAuthorization({ address: HERE, chainId, nonce: 0 })
      const nonce = Number(await dev.rpc('eth_getTransactionCount', sender.address))
      const raw = await sender.signTransaction({
        type: 'eip7702',
        chainId,
        nonce,
        to: THERE,
        gas: 100_000n,
        maxFeePerGas: 2n * GWEI,
        maxPriorityFeePerGas: 0n,
        authorizationList: [authorization],
      })
      return gasOf(dev, await dev.rpc('eth_sendRawTransaction', raw))
    }
    expect(await used(`0x${'77'.repeat(32)}`)).toBe(46_000)
    // Refunds are at most a fifth: 9,200 of 12,500.
    expect(await used(dev.keyOf(1))).toBe(46_000 - 9_200)
  })

  test('behavior: the precompiled contracts of Ethereum exist', async () => {
    // RIPEMD-160 of nothing.
    expect(await call({ to: `0x${'3'.padStart(40, '0')}` })).toBe(
      `0x${'0'.repeat(24)}9c1185a5c5e9fc54612808977ee8f548b2258d31`,
    )
  })

  test('behavior: 0x0a refuses proofs from Cancun on; before it is an ordinary address', async () => {
    const proofs = `0x${'a'.padStart(40, '0')}` as const
    await expect(call({ to: proofs })).rejects.toThrow('invalid input')
    await onChain('shanghai', async (node) => {
      await node.rpc('hardhat_setCode', proofs, '0x602a5f5260205ff3')
      expect(await node.rpc('eth_call', { to: proofs }, 'latest')).toBe(word(42))
    })
  })

  test('behavior: the operations of Osaka exist with its rules', async () => {
    await onChain('osaka', async (node) => {
      // CLZ of 1.
      await node.rpc('hardhat_setCode', HERE, '0x60011e5f5260205ff3')
      expect(await node.rpc('eth_call', { to: HERE }, 'latest')).toBe(word(255))
    })
  })

  test('behavior: an estimate is enough, also where gas comes back', async () => {
    await setCode(HERE, STORE)
    await send({ to: HERE, data: word(1) })
    const request = { from: dev.accountOf(0), to: HERE, data: word(0) }
    const gas = (await dev.rpc('eth_estimateGas', request)) as Hex
    expect(await send({ ...request, gas })).toBeLessThan(Number(gas))
  })

  test('behavior: the outermost frame of a trace has the gas of the transaction', async () => {
    await setCode(HERE, LOAD_TWICE)
    const request = { from: dev.accountOf(0), to: HERE, gas: '0x30d40' }
    const hash = await dev.rpc('eth_sendTransaction', request)
    const gasUsed = `0x${(await gasOf(dev, hash)).toString(16)}`
    const tracer = { tracer: 'callTracer' }
    expect(await dev.rpc('debug_traceTransaction', hash, tracer)).toMatchObject({
      gas: '0x30d40',
      gasUsed,
    })
    expect(await dev.rpc('debug_traceCall', request, 'latest', tracer)).toMatchObject({
      gas: '0x30d40',
      gasUsed,
    })
  })

  test('behavior: --energy native has the energy of the chain', async () => {
    await onChain('native', async (node) => {
      expect(await send({ to: THERE }, node)).toBe(0)
    })
  })

  test('error: less gas than the intrinsic gas', async () => {
    const from = dev.accountOf(0)
    const message = 'intrinsic gas too low: gas 20999, minimum needed 21000'
    for (const method of ['eth_sendTransaction', 'eth_call', 'eth_estimateGas'])
      await expect(dev.rpc(method, { from, to: THERE, gas: '0x5207' })).rejects.toThrow(message)
  })

  test('error: gas times the highest fee is more than the balance', async () => {
    const from = dev.accountOf(0)
    await dev.rpc('hardhat_setBalance', from, `0x${(21_000n * 2n * GWEI).toString(16)}`)
    const request = { from, to: THERE, gas: '0x5208', maxPriorityFeePerGas: '0x0' }
    await expect(
      dev.rpc('eth_sendTransaction', { ...request, maxFeePerGas: `0x${(3n * GWEI).toString(16)}` }),
    ).rejects.toThrow('insufficient funds for gas * price + value')
    expect(await send({ ...request, maxFeePerGas: `0x${(2n * GWEI).toString(16)}` })).toBe(21_000)
  })
})
