import {
  type Address,
  createWalletClient,
  type Hex,
  http,
  keccak256,
  type SignedAuthorization,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'

import { startDevGateway, startFileDevGateway } from '../support/devGateway.ts'

const dev = await startFileDevGateway()

/** Stores 7 in slot 0 and returns its address. Reverts when there is call data. */
const CODE = '0x6018600c60003960186000f33660125760076000553060005260206000f35b60006000fd'

const somebody = () => privateKeyToAccount(generatePrivateKey())
const padded = (hex: string) => `0x${hex.replace('0x', '').toLowerCase().padStart(64, '0')}`
const codeOf = (who: Address) => dev.rpc('eth_getCode', who, 'latest')
const slotOf = (who: Address) => dev.rpc('eth_getStorageAt', who, '0x0', 'latest')
const nonceOf = (who: Address) => dev.rpc('eth_getTransactionCount', who, 'latest')
const receiptOf = (hash: unknown) => dev.rpc('eth_getTransactionReceipt', hash)

async function deploy(): Promise<Address> {
  const hash = await dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), data: CODE })
  return ((await receiptOf(hash)) as { contractAddress: Address }).contractAddress
}

type PrestateDiff = Record<'post' | 'pre', Record<string, object>>

/** A request as JSON-RPC takes it. */
const toRpc = ({ address, chainId, nonce, r, s, yParity }: SignedAuthorization) => ({
  address,
  chainId: `0x${chainId.toString(16)}`,
  nonce: `0x${nonce.toString(16)}`,
  r,
  s,
  yParity: `0x${yParity?.toString(16)}`,
})

describe('EIP-7702 transactions', () => {
  const { chainId } = dev.chain
  const client = createWalletClient({
    account: privateKeyToAccount(dev.keyOf(0)),
    transport: http(dev.url),
  })
  const delegated = (to: Address) => `0xef0100${to.slice(2).toLowerCase()}`

  test('default: viem gives an account the code of a contract, and calls it', async () => {
    const [contract, authority] = [await deploy(), somebody()]
    const authorization = await authority.signAuthorization({
      address: contract,
      chainId,
      nonce: 0,
    })
    const hash = await client.sendTransaction({
      authorizationList: [authorization],
      chain: null,
      to: authority.address,
    })
    expect(await receiptOf(hash)).toMatchObject({ status: '0x1', type: '0x4' })
    expect(await codeOf(authority.address)).toBe(delegated(contract))
    expect(await slotOf(authority.address)).toBe(padded('7'))
    expect(await slotOf(contract)).toBe(padded('0'))
    expect(await nonceOf(authority.address)).toBe('0x1')
    expect(await dev.rpc('eth_call', { to: authority.address }, 'latest')).toBe(
      padded(authority.address),
    )
    expect(await dev.rpc('eth_getTransactionByHash', hash)).toMatchObject({
      type: '0x4',
      authorizationList: [{ address: contract.toLowerCase(), nonce: '0x0' }],
    })
    expect(keccak256((await dev.rpc('eth_getRawTransactionByHash', hash)) as Hex)).toBe(hash)
    const traced = await dev.rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })
    expect(traced).toMatchObject({
      to: authority.address.toLowerCase(),
      output: padded(authority.address),
    })
  })

  test('behavior: traces of changes show the account that authorized', async () => {
    const [contract, authority] = [await deploy(), somebody()]
    const who = authority.address.toLowerCase()
    const signed = await authority.signAuthorization({ address: contract, chainId, nonce: 0 })
    // The account has existed before, so it is its code and nonce that change.
    await dev.rpc('hardhat_setBalance', who, '0x5')
    const hash = await dev.rpc('eth_sendTransaction', {
      from: dev.accountOf(0),
      to: `0x${'d1'.repeat(20)}`,
      authorizationList: [toRpc(signed)],
    })
    const tracer = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
    const { post, pre } = (await dev.rpc('debug_traceTransaction', hash, tracer)) as PrestateDiff
    expect(pre[who]).toEqual({ balance: '0x5' })
    expect(post[who]).toEqual({ code: delegated(contract), nonce: 1 })
    expect(await dev.rpc('trace_replayTransaction', hash, ['stateDiff'])).toMatchObject({
      stateDiff: { [who]: { code: { '*': { from: '0x', to: delegated(contract) } } } },
    })
  })

  test('behavior: the code stays when the call reverts, and the zero address removes it', async () => {
    const [contract, authority] = [await deploy(), somebody()]
    const send = async (address: Address, nonce: number, data: Hex) => {
      const signed = await authority.signAuthorization({ address, chainId, nonce })
      const request = { authorizationList: [toRpc(signed)], to: authority.address, data }
      return dev.rpc('eth_sendTransaction', { from: dev.accountOf(1), gas: '0x30d40', ...request })
    }
    await expect(send(contract, 0, '0x01')).rejects.toMatchObject({ code: 3 })
    expect(await codeOf(authority.address)).toBe(delegated(contract))
    await send(zeroAddress, 1, '0x01')
    expect(await codeOf(authority.address)).toBe('0x')
    expect(await nonceOf(authority.address)).toBe('0x2')
  })

  test('behavior: a sender authorizes with the nonce after that of its transaction', async () => {
    const contract = await deploy()
    const account = privateKeyToAccount(dev.keyOf(2))
    const signed = await account.signAuthorization({ address: contract, chainId, nonce: 1 })
    await dev.rpc('eth_sendTransaction', {
      authorizationList: [toRpc(signed)],
      from: account.address,
      to: account.address,
    })
    expect(await codeOf(account.address)).toBe(delegated(contract))
    expect(await nonceOf(account.address)).toBe('0x2')
    // So its next call in a simulation has the nonce after both.
    const { address } = privateKeyToAccount(dev.keyOf(3))
    const own = await privateKeyToAccount(dev.keyOf(3)).signAuthorization({
      address: contract,
      chainId,
      nonce: 1,
    })
    const call = { from: address, to: address }
    const calls = [{ ...call, authorizationList: [toRpc(own)] }, call]
    expect(
      await dev.rpc('eth_simulateV1', {
        blockStateCalls: [{ calls }],
        returnFullTransactions: true,
      }),
    ).toMatchObject([
      {
        transactions: [
          {
            nonce: '0x0',
            type: '0x4',
            authorizationList: [{ address: contract.toLowerCase(), nonce: '0x1' }],
          },
          { nonce: '0x2', type: '0x0' },
        ],
      },
    ])
    // It can still send transactions.
    const request = { from: account.address, to: zeroAddress, value: '0x1' }
    expect(await receiptOf(await dev.rpc('eth_sendTransaction', request))).toMatchObject({
      status: '0x1',
    })
  })

  test('behavior: an authorization that does not apply changes nothing', async () => {
    const [contract, authority, other] = [await deploy(), somebody(), somebody()]
    const address = contract
    const signed = await Promise.all([
      authority.signAuthorization({ address, chainId: chainId + 1, nonce: 0 }),
      authority.signAuthorization({ address, chainId, nonce: 1 }),
      other.signAuthorization({ address, chainId: 0, nonce: 0 }),
    ])
    const forged = { ...toRpc(signed[1]), s: padded('f'.repeat(64)) }
    const request = { from: dev.accountOf(0), to: zeroAddress }
    const authorizationList = [...signed.map((one) => toRpc(one)), forged]
    const hash = await dev.rpc('eth_sendTransaction', { ...request, authorizationList })
    expect(await receiptOf(hash)).toMatchObject({ status: '0x1' })
    expect([await codeOf(authority.address), await nonceOf(authority.address)]).toEqual([
      '0x',
      '0x0',
    ])
    // Chain id 0 is valid on every chain.
    expect(await codeOf(other.address)).toBe(delegated(contract))
  })

  test('behavior: trace_rawTransaction applies the authorizations of the transaction', async () => {
    const [contract, authority] = [await deploy(), somebody()]
    const signed = await authority.signAuthorization({ address: contract, chainId, nonce: 0 })
    const raw = await client.account.signTransaction({
      type: 'eip7702',
      authorizationList: [signed],
      chainId,
      gas: 200_000n,
      maxFeePerGas: 1_000n,
      nonce: Number(await nonceOf(client.account.address)),
      to: authority.address,
    })
    expect(await dev.rpc('trace_rawTransaction', raw, ['trace'])).toMatchObject({
      output: padded(authority.address),
    })
  })

  test('args: authorizations of calls and estimates apply to these only', async () => {
    const [contract, authority] = [await deploy(), somebody()]
    const signed = await authority.signAuthorization({ address: contract, chainId, nonce: 0 })
    const call = {
      authorizationList: [toRpc(signed)],
      from: dev.accountOf(0),
      to: authority.address,
    }
    expect(await dev.rpc('eth_call', call, 'latest')).toBe(padded(authority.address))
    const { authorizationList: _, ...plain } = call
    const [with7702, without] = (await Promise.all([
      dev.rpc('eth_estimateGas', call),
      dev.rpc('eth_estimateGas', plain),
    ])) as [Hex, Hex]
    expect(Number(with7702)).toBeGreaterThanOrEqual(Number(without) + 25_000)
    expect(await codeOf(authority.address)).toBe('0x')
  })

  test('error: no authorization, no receiver, a gas price', async () => {
    const signed = await somebody().signAuthorization({ address: zeroAddress, chainId, nonce: 0 })
    const request = { from: dev.accountOf(0), to: zeroAddress, authorizationList: [toRpc(signed)] }
    for (const wrong of [
      { ...request, authorizationList: [] },
      { ...request, to: null, data: CODE },
      { ...request, gasPrice: '0x64' },
    ])
      await expect(dev.rpc('eth_sendTransaction', wrong)).rejects.toMatchObject({ code: -32602 })
  })

  test('error: the rules of the real chain have no authorizations', async () => {
    const native = await startDevGateway({ rules: { profile: 'native' } })
    try {
      const account = privateKeyToAccount(native.keyOf(0))
      const signed = await account.signAuthorization({
        address: zeroAddress,
        chainId: native.chain.chainId,
        nonce: 1,
      })
      const refused = { code: -32000, message: expect.stringContaining('not supported') }
      const request = { to: zeroAddress, authorizationList: [toRpc(signed)] }
      const from = account.address
      await expect(native.rpc('eth_call', { from, ...request })).rejects.toMatchObject(refused)
      const raw = await account.signTransaction({
        authorizationList: [signed],
        chainId: native.chain.chainId,
        gas: 100_000n,
        maxFeePerGas: 1_000n,
        nonce: 0,
        to: zeroAddress,
        type: 'eip7702',
      })
      await expect(native.rpc('eth_sendRawTransaction', raw)).rejects.toMatchObject(refused)
    } finally {
      await native.close()
    }
  })
})
