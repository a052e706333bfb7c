import { JsonRpcProvider, Wallet } from 'ethers'
import {
  concat,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  toRlp,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, onChain, startDevGateway } from '../support/devGateway.ts'
import { isLong } from '../support/long.ts'
import { artifacts } from '../support/recordedChain.ts'

/** Hardhat’s words for `require(false, 'the reason')`. */
const REASON = "VM Exception while processing transaction: reverted with reason string 'the reason'"

const kitchenAbi = parseAbi([
  'function make(uint256 v) payable returns (address)',
  'function make2(uint256 v, bytes32 salt) returns (address)',
  'function env() view returns (uint256,uint256,uint256,address,uint256,uint256,address)',
  'function set(uint256 v)',
  'function rString() pure',
])
const hex = (code: string): Hex => `0x${code.replace('0x', '')}`
const KITCHEN = hex(artifacts.Kitchen.bytecode)
const CHILD = hex(artifacts.Child.bytecode)
const PRICE = 100n

let dev: DevGateway

beforeAll(async () => {
  dev = await startDevGateway()
})

afterAll(() => dev.close())

type Answer = Record<string, Hex> & { logs: unknown[] }
const ask = async (method: string, ...params: unknown[]) =>
  (await dev.rpc(method, ...params)) as Answer
const text = async (method: string, ...params: unknown[]) =>
  (await dev.rpc(method, ...params)) as Hex
const balance = async (who: Hex, block = 'latest') =>
  BigInt(await text('eth_getBalance', who, block))
const nonce = async (who: Hex, block = 'latest') =>
  Number(await text('eth_getTransactionCount', who, block))
const receiptOf = (hash: Hex) => ask('eth_getTransactionReceipt', hash)

/** Sends unlocked, and answers the receipt. */
async function send(request: object): Promise<Answer> {
  return receiptOf(await text('eth_sendTransaction', { from: dev.accountOf(0), ...request }))
}

/** An EIP-1559 transaction with any fields, also with those that libraries refuse to sign. */
async function signedFields(key: Hex, fields: readonly (Hex | readonly Hex[])[]): Promise<Hex> {
  const hash = keccak256(concat(['0x02', toRlp(fields)]))
  const { r, s, yParity } = await sign({ hash, privateKey: key })
  return concat(['0x02', toRlp([...fields, yParity ? '0x1' : '0x', r, s])])
}

async function deployKitchen(): Promise<Hex> {
  const { contractAddress } = await send({ data: KITCHEN })
  return contractAddress as Hex
}

async function signed(key: Hex, request: object): Promise<Hex> {
  const account = privateKeyToAccount(key)
  return account.signTransaction({
    chainId: dev.chain.chainId,
    gas: 1_000_000n,
    gasPrice: PRICE,
    nonce: await nonce(account.address, 'pending'),
    type: 'legacy',
    ...request,
  } as never)
}

describe('addresses of contracts', () => {
  test('default: from sender and nonce, as Ethereum tools predict them', async () => {
    const from = dev.accountOf(1)
    const predicted = getContractAddress({ from, nonce: BigInt(await nonce(from)) })
    const receipt = await send({ from, data: KITCHEN })
    expect(receipt).toMatchObject({ status: '0x1', contractAddress: predicted.toLowerCase() })
    const transaction = await ask('eth_getTransactionByHash', receipt['transactionHash'])
    expect(transaction).toMatchObject({ from, to: null, input: KITCHEN })
    expect(getContractAddress({ from, nonce: BigInt(transaction['nonce'] ?? -1) })).toBe(predicted)
  })

  test('behavior: CREATE inside a transaction counts the nonce of the contract, CREATE2 takes the salt', async () => {
    const from = await deployKitchen()
    const child = encodeDeployData({
      abi: parseAbi(['constructor(uint256 x)']),
      args: [7n],
      bytecode: CHILD,
    })
    for (const count of [1n, 2n]) {
      const data = encodeFunctionData({ abi: kitchenAbi, functionName: 'make', args: [7n] })
      await send({ to: from, data })
      const address = getContractAddress({ from, nonce: count })
      expect(await text('eth_getCode', address, 'latest')).not.toBe('0x')
    }
    expect(await nonce(from)).toBe(3)
    const salt = keccak256('0x01')
    await send({
      to: from,
      data: encodeFunctionData({ abi: kitchenAbi, functionName: 'make2', args: [7n, salt] }),
    })
    const address = getContractAddress({ opcode: 'CREATE2', from, salt, bytecode: child })
    expect(await text('eth_getCode', address, 'latest')).not.toBe('0x')
  })

  test('args: native addresses, as on the real chain', async () => {
    const native = await startDevGateway({ rules: { ethereum: { addresses: 'native' } } })
    const from = native.accountOf(0)
    const hash = await native.rpc('eth_sendTransaction', { from, data: KITCHEN })
    const receipt = (await native.rpc('eth_getTransactionReceipt', hash)) as Answer
    expect(receipt['contractAddress']).toBe(
      `0x${keccak256(`${hash as Hex}41${from.slice(2)}`).slice(-40)}`,
    )
    await native.close()
  })
})

describe('anybody may send', () => {
  test('default: a key that is not managed', async () => {
    const key = generatePrivateKey()
    const { address } = privateKeyToAccount(key)
    await send({ to: address, value: '0x3b9aca00' })
    const raw = await signed(key, { to: dev.accountOf(2), value: 5n })
    expect(await text('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    expect(await receiptOf(keccak256(raw))).toMatchObject({
      status: '0x1',
      from: address.toLowerCase(),
    })
    expect(await nonce(address)).toBe(1)
  })

  test('behavior: EIP-1559 and EIP-2930 transactions, and old ones without a chain id', async () => {
    for (const request of [
      { type: 'eip1559', maxFeePerGas: 300n, maxPriorityFeePerGas: 1n, gasPrice: undefined },
      { type: 'eip2930', accessList: [] },
      { chainId: undefined },
    ]) {
      const raw = await signed(dev.keyOf(2), { to: dev.accountOf(3), value: 1n, ...request })
      expect(await ask('eth_sendRawTransactionSync', raw)).toMatchObject({
        status: '0x1',
        transactionHash: keccak256(raw),
      })
      // As in geth, each transaction has what was signed.
      const shown = (await ask('eth_getTransactionByHash', keccak256(raw))) as object
      const isLegacy = !('type' in request)
      expect('yParity' in shown).toBe(!isLegacy)
      expect('chainId' in shown).toBe(!isLegacy)
    }
  })

  test('behavior: the fee is exactly gas times price', async () => {
    const to = await deployKitchen()
    const before = await balance(dev.accountOf(4))
    const data = encodeFunctionData({ abi: kitchenAbi, functionName: 'set', args: [3n] })
    const receipt = await send({ from: dev.accountOf(4), to, data })
    const fee = BigInt(receipt['gasUsed'] ?? 0) * BigInt(receipt['effectiveGasPrice'] ?? 0)
    expect(fee).toBeGreaterThan(0n)
    expect(await balance(dev.accountOf(4))).toBe(before - fee)
  })

  test('args: fees as the chain charges them', async () => {
    const native = await startDevGateway({ rules: { ethereum: { fees: 'native' } } })
    const [from, to] = native.chain.accounts.map(({ address }) => `0x${address.slice(2)}`)
    const cost = async () => {
      const before = BigInt((await native.rpc('eth_getBalance', from, 'latest')) as Hex)
      await native.rpc('eth_sendTransaction', { from, to, value: '0x1' })
      return before - BigInt((await native.rpc('eth_getBalance', from, 'latest')) as Hex) - 1n
    }
    expect([await cost(), await cost()]).toEqual([0n, 0n])
    // The free points of the day are used up: coins for every byte.
    expect(await cost()).toBeGreaterThan(100_000n)
    await native.close()
  })

  test('error: nonces are strict', async () => {
    const used = await signed(dev.keyOf(5), { to: dev.accountOf(3), value: 1n })
    await text('eth_sendRawTransaction', used)
    const next = await nonce(dev.accountOf(5))
    await expect(dev.rpc('eth_sendRawTransaction', used)).rejects.toThrow('nonce too low')
    const low = await signed(dev.keyOf(5), { to: dev.accountOf(3), value: 2n, nonce: next - 1 })
    await expect(dev.rpc('eth_sendRawTransaction', low)).rejects.toThrow('nonce too low')
  })

  test('behavior: a transaction with a gap before it waits until the gap is filled', async () => {
    const from = dev.accountOf(6)
    const first = await nonce(from)
    const late = await signed(dev.keyOf(6), { to: dev.accountOf(3), value: 1n, nonce: first + 1 })
    await text('eth_sendRawTransaction', late)
    expect(await receiptOf(keccak256(late))).toBeNull()
    expect(await nonce(from, 'pending')).toBe(first)
    await send({ from, to: dev.accountOf(3), value: '0x1' })
    expect(await receiptOf(keccak256(late))).toMatchObject({ status: '0x1' })
    expect(await nonce(from)).toBe(first + 2)
  })

  test('behavior: where producers get tips, a replacement raises the tip as well', () =>
    onChain('cancun', async ({ accountOf, rpc }) => {
      await rpc('evm_setAutomine', false)
      const replace = (price: number, tip: number) =>
        rpc('eth_sendTransaction', {
          from: accountOf(0),
          to: accountOf(1),
          nonce: '0x0',
          maxFeePerGas: `0x${(price * 1e9).toString(16)}`,
          maxPriorityFeePerGas: `0x${(tip * 1e9).toString(16)}`,
        })
      await replace(20, 10)
      for (const [price, tip] of [
        [40, 10],
        [21, 20],
      ] as const)
        await expect(replace(price, tip)).rejects.toThrow('replacement transaction underpriced')
      await replace(22, 11)
    }))

  test('behavior: a pending transaction is replaced by one that pays more', async () => {
    await dev.rpc('evm_setAutomine', false)
    const first = await signed(dev.keyOf(7), { to: dev.accountOf(3), value: 1n })
    await text('eth_sendRawTransaction', first)
    expect(await ask('eth_getTransactionByHash', keccak256(first))).toMatchObject({
      blockNumber: null,
    })
    const same = await signed(dev.keyOf(7), {
      to: dev.accountOf(3),
      value: 2n,
      nonce: await nonce(dev.accountOf(7)),
    })
    await expect(dev.rpc('eth_sendRawTransaction', same)).rejects.toThrow(
      'replacement transaction underpriced',
    )
    const better = await signed(dev.keyOf(7), {
      to: dev.accountOf(3),
      value: 3n,
      gasPrice: 110n,
      nonce: await nonce(dev.accountOf(7)),
    })
    await text('eth_sendRawTransaction', better)
    await dev.rpc('evm_mine')
    await dev.rpc('evm_setAutomine', true)
    expect(await receiptOf(keccak256(first))).toBeNull()
    expect(await receiptOf(keccak256(better))).toMatchObject({ status: '0x1' })
  })

  test('error: too little balance, too low a price, another chain id', async () => {
    const poor = generatePrivateKey()
    await expect(
      dev.rpc('eth_sendRawTransaction', await signed(poor, { to: dev.accountOf(3), value: 1n })),
    ).rejects.toThrow('insufficient funds')
    const cheap = await signed(dev.keyOf(8), { to: dev.accountOf(3), gasPrice: PRICE - 1n })
    await expect(dev.rpc('eth_sendRawTransaction', cheap)).rejects.toThrow('max fee per gas')
    const other = await signed(dev.keyOf(8), { to: dev.accountOf(3), chainId: 1 })
    await expect(dev.rpc('eth_sendRawTransaction', other)).rejects.toThrow('invalid chain id')
    await expect(
      dev.rpc('eth_sendTransaction', { from: `0x${'12'.repeat(20)}`, to: dev.accountOf(3) }),
    ).rejects.toThrow('unknown account')
  })

  /** Sends a type 2 transaction with this tip and a fee of 0xc8, encoded as given. */
  async function sendWithTip(tip: Hex): Promise<unknown> {
    const fields = [
      numberToHex(dev.chain.chainId),
      numberToHex(await nonce(dev.accountOf(8))),
      tip,
      '0xc8',
      '0x5208',
      dev.accountOf(3),
      '0x',
      '0x',
      [],
    ] as const
    return dev.rpc('eth_sendRawTransaction', await signedFields(dev.keyOf(8), fields))
  }

  test('error: a tip above the fee, and a nonce that cannot be counted', async () => {
    const text = 'max priority fee per gas higher than max fee per gas'
    const request = { from: dev.accountOf(8), to: dev.accountOf(3) }
    const fees = { maxFeePerGas: '0xc8', maxPriorityFeePerGas: '0xc9' }
    for (const method of ['eth_sendTransaction', 'eth_fillTransaction', 'eth_call'])
      await expect(dev.rpc(method, { ...request, ...fees })).rejects.toThrow(text)
    await expect(sendWithTip('0xc9')).rejects.toThrow(text)
    const nonces = { ...request, nonce: '0x20000000000000' }
    await expect(dev.rpc('eth_sendTransaction', nonces)).rejects.toThrow('nonce: expected at most')
  })

  test('error: a signed number with a zero byte before it', async () => {
    const text = 'the signed Ethereum transaction cannot be decoded'
    await expect(sendWithTip('0x00')).rejects.toThrow(text)
  })

  test('behavior: a tip alone makes a transaction that can pay twice the base fee', async () => {
    const { transactionHash } = await send({ to: dev.accountOf(3), maxPriorityFeePerGas: '0x7' })
    expect(await ask('eth_getTransactionByHash', transactionHash)).toMatchObject({
      type: '0x2',
      maxFeePerGas: numberToHex(2n * PRICE + 7n),
      maxPriorityFeePerGas: '0x7',
    })
  })

  test('behavior: an impersonated account sends without a key', async () => {
    const from = `0x${'34'.repeat(20)}`
    await dev.rpc('hardhat_impersonateAccount', from)
    await dev.rpc('hardhat_setBalance', from, '0xffffffff')
    expect(await send({ from, to: dev.accountOf(3), value: '0x1' })).toMatchObject({
      status: '0x1',
      from,
    })
    await dev.rpc('hardhat_stopImpersonatingAccount', from)
    await expect(dev.rpc('eth_sendTransaction', { from, to: dev.accountOf(3) })).rejects.toThrow(
      'unknown',
    )
  })

  test('behavior: hundreds of sends of one ethers wallet, one after another', async () => {
    const sends = isLong ? 500 : 120
    const provider = new JsonRpcProvider(dev.url, dev.chain.chainId, {
      staticNetwork: true,
      batchStallTime: 0,
      cacheTimeout: -1,
    })
    const wallet = new Wallet(dev.keyOf(9), provider)
    const first = await nonce(dev.accountOf(9))
    for (let i = 0; i < sends; i++) {
      const sent = await wallet.sendTransaction({
        to: dev.accountOf(3),
        value: 1n,
        gasLimit: 21_000n,
        gasPrice: PRICE,
      })
      expect((await sent.wait())?.status).toBe(1)
    }
    expect(await nonce(dev.accountOf(9))).toBe(first + sends)
    provider.destroy()
  })

  test('behavior: a failing transaction is in a block, uses its nonce and pays its fee', async () => {
    const to = await deployKitchen()
    const data = encodeFunctionData({ abi: kitchenAbi, functionName: 'rString' })
    const before = await nonce(dev.accountOf(0))
    for (const gas of [undefined, '0x186a0']) {
      const failure = (await send({ to, data, gas }).catch((error: unknown) => error)) as {
        data: { txHash: Hex }
      }
      // Hardhat returns it at once; a signed transaction is answered with its hash, as by anvil.
      expect(failure).toMatchObject({ code: 3, message: REASON })
      expect(await receiptOf(failure.data.txHash)).toMatchObject({ status: '0x0', logs: [] })
    }
    const raw = await signed(dev.keyOf(0), { to, data })
    await text('eth_sendRawTransaction', raw)
    expect(await receiptOf(keccak256(raw))).toMatchObject({ status: '0x0' })
    expect(await nonce(dev.accountOf(0))).toBe(before + 3)
  })

  test('behavior: Hardhat gets an error for a signed transaction that fails, as from its own node', async () => {
    const to = await deployKitchen()
    const sendAs = async (agent: string) => {
      const data = encodeFunctionData({ abi: kitchenAbi, functionName: 'rString' })
      const raw = await signed(dev.keyOf(0), { to, data })
      const response = await fetch(dev.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': agent },
        body: JSON.stringify({
          id: 1,
          jsonrpc: '2.0',
          method: 'eth_sendRawTransaction',
          params: [raw],
        }),
      })
      return { answer: (await response.json()) as object, hash: keccak256(raw) }
    }
    const plain = await sendAs('viem')
    expect(plain.answer).toMatchObject({ result: plain.hash })
    for (const agent of ['hardhat 2.22.19', 'Hardhat']) {
      const { answer, hash } = await sendAs(agent)
      expect(answer).toMatchObject({
        error: {
          code: 3,
          message: REASON,
          data: { txHash: hash, data: expect.stringMatching(/^0x08c379a0/) },
        },
      })
      expect(await receiptOf(hash)).toMatchObject({ status: '0x0' })
    }
    await dev.rpc('evm_setAutomine', false)
    const waiting = await sendAs('hardhat 2.22.19')
    expect(waiting.answer).toMatchObject({ result: waiting.hash })
    await dev.rpc('evm_setAutomine', true)
  })
})
