import fc from 'fast-check'
import { type Abi, encodeFunctionData, type Hex, keccak256, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, onChain, startDevGateway } from '../support/devGateway.ts'
import { artifacts } from '../support/recordedChain.ts'

/** Hardhat’s words for `require(false, 'the reason')`. */
const REASON = "VM Exception while processing transaction: reverted with reason string 'the reason'"

const abi: Abi = parseAbi([
  'function n() view returns (uint256)',
  'function set(uint256 v)',
  'function events(uint256 k)',
  'function log0()',
  'function pay() payable',
  'function sendTo(address t, uint256 v)',
  'function make(uint256 v) payable returns (address)',
  'function make2(uint256 v, bytes32 salt) returns (address)',
  'function tryFail(address k) returns (bool)',
  'function env() view returns (uint256,uint256,uint256,address,uint256,uint256,address)',
  'function bal(address a) view returns (uint256)',
  'function rString() pure',
  'function burn()',
])

let dev: DevGateway
let kitchen: Hex

beforeAll(async () => {
  dev = await startDevGateway()
  const data = `0x${artifacts.Kitchen.bytecode.replace('0x', '')}`
  const hash = await dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), data })
  const receipt = (await dev.rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
  kitchen = receipt.contractAddress
  await dev.rpc('anvil_setBalance', kitchen, '0xffffff')
})

afterAll(() => dev.close())

const calldata = (functionName: string, args: readonly unknown[] = []) =>
  encodeFunctionData({ abi, functionName, args })
const call = (functionName: string, args: readonly unknown[] = [], ...rest: unknown[]) =>
  dev.rpc('eth_call', { to: kitchen, data: calldata(functionName, args) }, ...rest) as Promise<Hex>
const send = async (functionName: string, args: readonly unknown[] = [], more: object = {}) => {
  const data = calldata(functionName, args)
  const hash = await dev.rpc('eth_sendTransaction', {
    from: dev.accountOf(0),
    to: kitchen,
    data,
    ...more,
  })
  return (await dev.rpc('eth_getTransactionReceipt', hash)) as { status: Hex; gasUsed: Hex }
}
const wordsOf = (data: Hex) =>
  (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
const number = async () => Number(await dev.rpc('eth_blockNumber'))

test('behavior: contracts see the price that a transaction would pay, not the maximum of the call', async () => {
  // GASPRICE.
  const data = '0x3a60005260206000f3'
  const price = async (fees: object) =>
    BigInt((await dev.rpc('eth_call', { data, ...fees })) as Hex)
  expect(await price({ maxFeePerGas: '0x200', maxPriorityFeePerGas: '0x0' })).toBe(100n)
  expect(await price({ gasPrice: '0x200' })).toBe(512n)
})

test('behavior: the account that receives burned coins, which starts below zero on the real chain, has nothing', async () => {
  const burnt: Hex = `0x${'b0'.repeat(20)}`
  const payment = { from: dev.accountOf(0), to: burnt, value: '0x3' }
  const traced = (type: object, request: object = payment) =>
    dev.rpc('debug_traceCall', request, 'latest', type)
  await dev.chain.changeAccount(`41${burnt.slice(2)}`, { balance: -(2n ** 63n) })
  expect(await dev.rpc('eth_getBalance', burnt, 'latest')).toBe('0x0')
  expect(wordsOf(await call('bal', [burnt]))).toEqual([2n ** 63n])
  expect(await dev.rpc('eth_call', { from: burnt, to: kitchen, data: calldata('n') })).toHaveLength(
    66,
  )
  const before = await traced({ tracer: 'prestateTracer', tracerConfig: { includeEmpty: true } })
  expect(before).toMatchObject({ [burnt]: { balance: '0x0' } })
  const result = `function(ctx, db) { return db.getBalance(toAddress('${burnt}')).toString() }`
  const tracer = `{ fault: function() {}, step: function() {}, result: ${result} }`
  expect(await traced({ tracer })).toBe('0')
  await expect(traced({}, { from: burnt, to: kitchen, value: '0x1' })).rejects.toMatchObject({
    message: expect.stringContaining('have 0 want 1'),
  })
  await dev.rpc('eth_sendTransaction', payment)
  expect(wordsOf(await call('bal', [burnt]))).toEqual([2n ** 63n + 3n])
})

describe('eth_estimateGas', () => {
  test('behavior: without a sender, a call may have any value, as from the zero address of Ethereum', async () => {
    const value = '0xde0b6b3a7640000'
    const to = dev.accountOf(1)
    expect(await dev.rpc('eth_estimateGas', { to, value })).toBe('0x5208')
    expect(await dev.rpc('eth_estimateGas', { from: null, to, value })).toBe('0x5208')
    expect(await dev.rpc('eth_call', { to, value }, 'latest')).toBe('0x')
    const ownBalance = '0x333160005260206000f3'
    expect(await dev.rpc('eth_call', { data: ownBalance, value }, 'latest')).toBe(
      `0x${'0'.repeat(64)}`,
    )
    const named = { from: `0x${'00'.repeat(20)}`, to, value }
    await expect(dev.rpc('eth_estimateGas', named)).rejects.toThrow('insufficient funds')
  })

  test('behavior: a contract as the sender may have any value, because another call brings it', async () => {
    const request = { from: `0x${'c0'.repeat(20)}`, to: dev.accountOf(1), value: '0x1' }
    await expect(dev.rpc('eth_estimateGas', request)).rejects.toThrow('insufficient funds')
    await dev.rpc('hardhat_setCode', request.from, '0x00')
    expect(await dev.rpc('eth_estimateGas', request)).toBe('0x5208')
  })

  const requests = fc.oneof(
    fc.record({ name: fc.constant('set'), args: fc.tuple(fc.bigInt(0n, 2n ** 256n - 1n)) }),
    fc.record({ name: fc.constant('events'), args: fc.tuple(fc.bigInt(0n, 5n)) }),
    fc.record({ name: fc.constant('log0'), args: fc.constant([]) }),
    fc.record({ name: fc.constant('pay'), args: fc.constant([]), value: fc.constant('0x7') }),
    fc.record({
      name: fc.constant('sendTo'),
      args: fc.tuple(
        fc.nat(9).map((index) => `0x${'be'.repeat(19)}0${index}`),
        fc.bigInt(0n, 9n),
      ),
    }),
    fc.record({ name: fc.constant('make'), args: fc.tuple(fc.bigInt(0n, 9n)) }),
    fc.record({
      name: fc.constant('make2'),
      args: fc.tuple(
        fc.bigInt(0n, 9n),
        fc.uuid().map((text) => keccak256(`0x${text.replaceAll('-', '')}`)),
      ),
    }),
    fc.record({ name: fc.constant('tryFail'), args: fc.constant([] as unknown[]) }),
  )

  test('behavior: an estimate always suffices when it is sent at once', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const args = request.name === 'tryFail' ? [kitchen] : request.args
        const more = 'value' in request ? { value: request.value } : {}
        const gas = await dev.rpc('eth_estimateGas', {
          from: dev.accountOf(0),
          to: kitchen,
          data: calldata(request.name, args),
          ...more,
        })
        expect(await send(request.name, args, { gas, ...more })).toMatchObject({ status: '0x1' })
      }),
      { numRuns: 40 },
    )
  })

  test('behavior: a transfer and a creation are never below what Ethereum charges for them', async () => {
    const transfer = await dev.rpc('eth_estimateGas', { to: dev.accountOf(1), value: '0x0' })
    expect(transfer).toBe('0x5208')
    const creation = await dev.rpc('eth_estimateGas', {
      from: dev.accountOf(0),
      data: '0x60016000f3',
    })
    expect(Number(creation)).toBeGreaterThan(53_000)
  })

  test('error: a call that fails with any limit', async () => {
    const request = { from: dev.accountOf(0), to: kitchen, data: calldata('rString') }
    await expect(dev.rpc('eth_estimateGas', request)).rejects.toMatchObject({
      code: 3,
      message: REASON,
    })
  })

  test('error: a call that needs more than its gas', async () => {
    const data = calldata('set', [5n])
    const request = { from: dev.accountOf(0), to: kitchen, data, gas: '0x64' }
    await expect(dev.rpc('eth_estimateGas', request)).rejects.toMatchObject({
      code: -32000,
      message: 'gas required exceeds allowance (100)',
    })
  })
})

describe('eth_call', () => {
  test('behavior: pending runs in the next block, at its time', async () => {
    const head = await number()
    const newest = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: Hex }
    const time = BigInt(newest.timestamp) + 5_000n
    await dev.rpc('evm_setNextBlockTimestamp', Number(time))
    const [, blockNumber, timestamp] = wordsOf(await call('env', [], 'pending'))
    expect([blockNumber, timestamp]).toEqual([BigInt(head + 1), time])
    expect(wordsOf(await call('env', [], 'latest'))[1]).toBe(BigInt(head))
    await dev.rpc('evm_mine')
    expect(await dev.rpc('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      timestamp: `0x${time.toString(16)}`,
    })
  })

  test('behavior: state at any past block', async () => {
    await send('set', [1n])
    const first = await number()
    await send('set', [2n])
    await dev.rpc('anvil_mine', '0x64')
    const at = `0x${first.toString(16)}`
    expect(wordsOf(await call('n', [], at))).toEqual([1n])
    expect(wordsOf(await call('n', [], 'latest'))).toEqual([2n])
    const { hash } = (await dev.rpc('eth_getBlockByNumber', at, false)) as { hash: Hex }
    expect(wordsOf(await call('n', [], { blockHash: hash }))).toEqual([1n])
    expect(await dev.rpc('eth_getCode', kitchen, 'earliest')).toBe('0x')
    await expect(call('n', [], '0xffffff')).rejects.toThrow('header not found')
  })

  test('args: state and block overrides, which leave no trace', async () => {
    const nobody = `0x${'77'.repeat(20)}`
    const stateDiff = { [`0x${'0'.repeat(64)}`]: `0x${'0'.repeat(62)}2a` }
    expect(wordsOf(await call('n', [], 'latest', { [kitchen]: { stateDiff } }))).toEqual([42n])
    expect(wordsOf(await call('n', [], 'latest', { [kitchen]: { state: {} } }))).toEqual([0n])
    expect(
      wordsOf(await call('bal', [nobody], 'latest', { [nobody]: { balance: '0x9' } })),
    ).toEqual([9n])
    const code = await dev.rpc('eth_getCode', kitchen, 'latest')
    const elsewhere = await dev.rpc('eth_call', { to: nobody, data: calldata('n') }, 'latest', {
      [nobody]: { code },
    })
    expect(wordsOf(elsewhere as Hex)).toEqual([0n])
    const block = { number: '0x100000', time: '0x7fffffff', baseFeePerGas: '0x5', coinbase: nobody }
    const [, blockNumber, timestamp, coinbase, baseFee] = wordsOf(
      await call('env', [], 'latest', {}, block),
    )
    expect([blockNumber, timestamp, coinbase, baseFee]).toEqual([
      0x100000n,
      0x7fffffffn,
      BigInt(nobody),
      5n,
    ])
    expect(wordsOf(await call('n'))).not.toEqual([42n])
    const names = { blockNumber: '0x100000', timestamp: '0x7fffffff', baseFee: '0x5' }
    const byOtherNames = await call('env', [], 'latest', {}, { ...names, feeRecipient: nobody })
    expect(byOtherNames).toBe(await call('env', [], 'latest', {}, block))
    await expect(call('n', [], 'latest', { [kitchen]: { bogus: 1 } })).rejects.toMatchObject({
      code: -32602,
    })
    const target = { to: kitchen, data: calldata('n') }
    for (const [name, blockOverrides] of Object.entries({
      blockHash: { blockHash: {} },
      numbre: { numbre: '0x1' },
    }))
      for (const [method, ...params] of [
        ['eth_call', target, 'latest', {}, blockOverrides],
        ['debug_traceCall', target, 'latest', { blockOverrides }],
        ['eth_simulateV1', { blockStateCalls: [{ blockOverrides, calls: [target] }] }],
      ] as [string, ...unknown[]][])
        await expect(dev.rpc(method, ...params)).rejects.toMatchObject({
          code: -32602,
          message: expect.stringContaining(`unknown member "${name}"`) as string,
        })
  })

  test('error: an endless call ends with its gas', async () => {
    await expect(call('burn')).rejects.toMatchObject({ code: -32000 })
  })

  test('error: the reason for a copy beyond the return data, and for bad input of a precompiled contract', async () => {
    const outcome = (call: object) => dev.rpc('eth_call', call).catch((error: unknown) => error)
    const message = expect.stringMatching(/: Illegal RETURNDATACOPY arguments: /) as string
    expect(await outcome({ data: '0x600160ff60003e' })).toMatchObject({ code: -32000, message })
    for (const number of ['06', '07', '08']) {
      const to = `0x${number.padStart(40, '0')}`
      expect(await outcome({ to, data: `0x${'ff'.repeat(96)}` })).toMatchObject({
        code: -32000,
        message:
          'VM Exception while processing transaction: precompiled contract failed: invalid input',
      })
    }
  })

  test('behavior: other calls are answered while a long one runs', async () => {
    const loop = { [kitchen]: { code: '0x5b600056' } }
    let isOver = false
    const ended = dev
      .rpc('eth_call', { to: kitchen, gas: '0x7a120' }, 'latest', loop)
      .catch((error: unknown) => error)
      .finally(() => (isOver = true))
    const response = await fetch(dev.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' }),
    })
    expect(await response.json()).toMatchObject({ result: expect.any(String) })
    expect(isOver).toBe(false)
    expect(await ended).toMatchObject({ code: -32000 })
  })

  test('behavior: as in geth, a call without receiver and data creates an empty contract, and is not sent', async () => {
    const from = dev.accountOf(0)
    expect(await dev.rpc('eth_call', { from, value: '0x1' })).toBe('0x')
    expect(Number(await dev.rpc('eth_estimateGas', { from, value: '0x1' }))).toBeGreaterThan(0)
    const error = { code: -32000, message: 'contract creation without any data provided' }
    for (const gas of [{}, { gas: '0x186a0' }])
      await expect(
        dev.rpc('eth_sendTransaction', { from, value: '0x1', ...gas }),
      ).rejects.toMatchObject(error)
  })

  test('error: a call for another chain', async () => {
    const [from, to] = [dev.accountOf(0), dev.accountOf(1)]
    const chainId = await dev.rpc('eth_chainId')
    const want = Number(chainId)
    for (const method of [
      'eth_call',
      'eth_estimateGas',
      'eth_createAccessList',
      'debug_traceCall',
    ]) {
      await expect(dev.rpc(method, { from, to, chainId })).resolves.toBeDefined()
      await expect(dev.rpc(method, { from, to, chainId: '0x1' })).rejects.toMatchObject({
        code: -32000,
        message: `chainId does not match node's (have=1, want=${want})`,
      })
    }
  })

  test('behavior: an estimate checks that the sender has the value, not that it can pay the gas', async () => {
    const from = `0x${'77'.repeat(20)}`
    const creation = { from, data: '0x6001600055600160005260016000f3' }
    const gas = await dev.rpc('eth_estimateGas', creation)
    expect(await dev.rpc('eth_estimateGas', { ...creation, gasPrice: '0x77359400' })).toBe(gas)
    await dev.rpc('anvil_impersonateAccount', from)
    await expect(dev.rpc('eth_sendTransaction', { ...creation, gas })).rejects.toThrow(
      'insufficient funds',
    )
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList'])
      await expect(
        dev.rpc(method, { from, to: dev.accountOf(0), value: '0x1' }),
      ).rejects.toMatchObject({
        message: `insufficient funds for gas * price + value: address ${from} have 0 want 1`,
      })
  })
})

describe('eth_simulateV1', () => {
  test('default: blocks on top of each other, with overrides, without a trace', async () => {
    const before = wordsOf(await call('n'))
    const answer = (await dev.rpc('eth_simulateV1', {
      blockStateCalls: [
        { calls: [{ from: dev.accountOf(0), to: kitchen, data: calldata('set', [5n]) }] },
        {
          blockOverrides: { time: '0x7fffffff' },
          stateOverrides: { [dev.accountOf(3)]: { balance: '0x1' } },
          calls: [
            { to: kitchen, data: calldata('n') },
            { to: kitchen, data: calldata('bal', [dev.accountOf(3)]) },
            { to: kitchen, data: calldata('rString') },
          ],
        },
      ],
    })) as {
      number: Hex
      timestamp: Hex
      calls: { returnData: Hex; logs: unknown[]; status: Hex }[]
    }[]
    expect(answer.map((block) => Number(block.number))).toEqual([
      (await number()) + 1,
      (await number()) + 2,
    ])
    expect(answer[0]?.calls[0]).toMatchObject({ status: '0x1', logs: [{ address: kitchen }] })
    expect(answer[1]?.timestamp).toBe('0x7fffffff')
    expect(answer[1]?.calls.slice(0, 2).map(({ returnData }) => BigInt(returnData))).toEqual([
      5n,
      1n,
    ])
    expect(answer[1]?.calls[2]).toMatchObject({
      status: '0x0',
      error: { code: 3, message: REASON },
    })
    expect(wordsOf(await call('n'))).toEqual(before)
  })

  test('default: every block is whole, and the logs name it', async () => {
    const set = { from: dev.accountOf(0), to: kitchen, data: calldata('set', [5n]) }
    const latest = (await dev.rpc('eth_getBlockByNumber', 'latest', false)) as { hash: Hex }
    const [first, second] = (await dev.rpc('eth_simulateV1', {
      blockStateCalls: [{ calls: [set, set] }, { calls: [] }],
      returnFullTransactions: true,
    })) as { hash: Hex; transactions: { hash: Hex }[] }[]
    const { hash, transactions } = first as NonNullable<typeof first>
    const place = { blockHash: hash, transactionHash: transactions[1]?.hash }
    expect(first).toMatchObject({
      parentHash: latest.hash,
      transactions: [{ from: dev.accountOf(0), to: kitchen, input: set.data }, { blockHash: hash }],
      calls: [{ status: '0x1' }, { logs: [{ ...place, transactionIndex: '0x1', removed: false }] }],
    })
    expect(transactions[0]?.hash).not.toBe(transactions[1]?.hash)
    expect(second).toMatchObject({ parentHash: hash, transactions: [], gasUsed: '0x0', calls: [] })
    expect(Object.keys(second ?? {}).toSorted()).toEqual(
      [...Object.keys(latest), 'calls'].toSorted(),
    )
  })

  test('behavior: traceTransfers adds a log for each move of coins, in the order of execution', async () => {
    const who = `0x${'ab'.repeat(20)}` as const
    const from = dev.accountOf(0)
    const calls = [
      { from, to: who, value: '0x3' },
      { from, to: kitchen, data: calldata('pay'), value: '0x5' },
      { from, to: kitchen, data: calldata('sendTo', [who, 2n]) },
      { from, to: kitchen, data: calldata('rString') },
    ]
    const logsOf = async (options: object) => {
      const [block] = (await dev.rpc('eth_simulateV1', {
        blockStateCalls: [{ calls }],
        ...options,
      })) as { calls: { logs: { address: Hex; topics: Hex[]; data: Hex; logIndex: Hex }[] }[] }[]
      return block?.calls.map(({ logs }) => logs) ?? []
    }
    const topic = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`
    const move = (sender: Hex, to: Hex, value: number) => ({
      address: `0x${'ee'.repeat(20)}`,
      topics: [
        '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
        topic(sender),
        topic(to),
      ],
      data: `0x${value.toString(16).padStart(64, '0')}`,
    })
    expect(await logsOf({ traceTransfers: true })).toMatchObject([
      [move(from, who, 3)],
      [move(from, kitchen, 5), { address: kitchen, logIndex: '0x2' }],
      [move(kitchen, who, 2)],
      [],
    ])
    expect(await logsOf({})).toMatchObject([[], [{ address: kitchen, logIndex: '0x0' }], [], []])
  })

  test('args: validation, calls are checked like transactions', async () => {
    const from = dev.accountOf(0)
    const next = Number(await dev.rpc('eth_getTransactionCount', from, 'latest'))
    const price = await dev.rpc('eth_gasPrice')
    const call = {
      from,
      to: kitchen,
      data: calldata('set', [1n]),
      gas: '0x30d40',
      maxFeePerGas: price,
    }
    const hex = (number: number): Hex => `0x${number.toString(16)}`
    const simulate = (calls: object[], validation = true) =>
      dev.rpc('eth_simulateV1', { blockStateCalls: [{ calls }], validation })
    const second = { ...call, nonce: hex(next + 1) }
    expect(await simulate([call, second])).toMatchObject([
      { calls: [{ status: '0x1' }, { status: '0x1' }] },
    ])
    expect(await simulate([{ ...call, maxFeePerGas: '0x1', nonce: '0x0' }], false)).toMatchObject([
      { calls: [{ status: '0x1' }] },
    ])
    const cases: [object, number, string][] = [
      [{ nonce: hex(next - 1) }, -38010, 'nonce too low'],
      [{ nonce: hex(next + 1) }, -38011, 'nonce too high'],
      [{ maxFeePerGas: '0x1' }, -38012, 'max fee per gas less than block base fee'],
      [{ maxFeePerGas: undefined }, -38012, 'max fee per gas less than block base fee'],
      [{ value: hex(2 ** 60) }, -38014, 'insufficient funds'],
      [{ gas: '0xffffffffff' }, -38015, 'exceeds block gas limit'],
    ]
    for (const [change, code, message] of cases) {
      await expect(simulate([{ ...call, ...change }])).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
      })
    }
  })

  test('behavior: where the base fee changes, it is 0, and with validation that of the next block', () =>
    onChain('cancun', async ({ accountOf, rpc }) => {
      const from = accountOf(0)
      // BASEFEE, as the answer.
      const to = `0x${'ba'.repeat(20)}`
      await rpc('hardhat_setCode', to, '0x485f5260205ff3')
      const feesOf = async (options: object) => {
        const block = { calls: [{ from, to, maxFeePerGas: '0x77359400', gas: '0x186a0' }] }
        const simulated = (await rpc('eth_simulateV1', {
          blockStateCalls: [block, block],
          ...options,
        })) as { baseFeePerGas: Hex; calls: { returnData: Hex }[] }[]
        return simulated.flatMap(({ baseFeePerGas, calls }) => [
          Number(baseFeePerGas),
          Number(calls[0]?.returnData),
        ])
      }
      expect(await feesOf({})).toEqual([0, 0, 0, 0])
      const [first, seen, second] = await feesOf({ validation: true })
      expect(seen).toBe(first)
      expect(second).toBeLessThan(first as number)
      const { baseFeePerGas } = (await rpc('eth_getBlockByNumber', 'pending', false)) as {
        baseFeePerGas: Hex
      }
      expect(first).toBe(Number(baseFeePerGas))
    }))

  test('behavior: contracts see the hashes of the simulated blocks, and what one block overrides is not in the next', () =>
    onChain('cancun', async ({ rpc }) => {
      await rpc('hardhat_mine', '0x5')
      const blockHash = { data: '0x600143034060005260206000f3' }
      const blocks = [
        { calls: [blockHash] },
        {
          blockOverrides: { gasLimit: '0x30d40', prevRandao: `0x${'11'.repeat(32)}` },
          calls: [blockHash, { data: '0x5a60005260206000f3' }],
        },
        { calls: [] },
      ]
      // The chain has other blocks at these heights.
      const [first, second, third] = (await rpc(
        'eth_simulateV1',
        { blockStateCalls: blocks },
        '0x2',
      )) as { hash: Hex; mixHash: Hex; parentHash: Hex; calls: { returnData: Hex }[] }[]
      expect(first?.calls[0]?.returnData).toBe(first?.parentHash)
      expect(second?.calls[0]?.returnData).toBe(first?.hash)
      expect(Number(second?.calls[1]?.returnData)).toBeLessThan(200_000)
      expect(third?.mixHash).not.toBe(second?.mixHash)
    }))

  test('behavior: heights that a number skips have empty blocks', async () => {
    const base = await number()
    const at = (height: number) => ({ number: `0x${(base + height).toString(16)}` })
    const hashOfParent = { data: '0x600143034060005260206000f3' }
    const blocks = (await dev.rpc('eth_simulateV1', {
      blockStateCalls: [
        { blockOverrides: at(3), calls: [hashOfParent] },
        {},
        { blockOverrides: at(6) },
      ],
    })) as { hash: Hex; number: Hex; timestamp: Hex; calls: { returnData: Hex }[] }[]
    expect(blocks.map((block) => Number(block.number) - base)).toEqual([1, 2, 3, 4, 5, 6])
    expect(blocks.map(({ calls }) => calls.length)).toEqual([0, 0, 1, 0, 0, 0])
    expect(blocks[2]?.calls[0]?.returnData).toBe(blocks[1]?.hash)
    const times = blocks.map(({ timestamp }) => Number(timestamp))
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
    const most = { blockStateCalls: [{ blockOverrides: at(256) }] }
    expect(await dev.rpc('eth_simulateV1', most)).toHaveLength(256)
  })

  test('behavior: full transactions have the fees and the access list of their calls', () =>
    onChain('cancun', async ({ accountOf, rpc }) => {
      const fees = { maxFeePerGas: '0x64', maxPriorityFeePerGas: '0x2' }
      const accessList = [{ address: accountOf(2), storageKeys: [] }]
      const call = { from: accountOf(0), to: accountOf(1) }
      const calls = [
        { ...call, ...fees, accessList },
        { ...call, maxPriorityFeePerGas: '0x2' },
        call,
      ]
      const [block] = (await rpc('eth_simulateV1', {
        blockStateCalls: [{ blockOverrides: { baseFeePerGas: '0x5' }, calls }],
        returnFullTransactions: true,
      })) as { transactions: object[] }[]
      expect(block?.transactions).toMatchObject([
        { type: '0x2', ...fees, gasPrice: '0x7', accessList },
        { type: '0x2', maxFeePerGas: '0x7', maxPriorityFeePerGas: '0x2', gasPrice: '0x7' },
        { type: '0x0', gasPrice: '0x0' },
      ])
    }))

  test('error: the codes of geth', async () => {
    const block = { calls: [] }
    const at = (blockOverrides: object) => ({ ...block, blockOverrides })
    const poor = { from: `0x${'77'.repeat(20)}`, to: kitchen, value: '0x1' }
    const cases: [object[], number, string][] = [
      [[], -32602, 'empty input'],
      [Array.from({ length: 257 }, () => block), -38026, 'too many blocks'],
      [[at({ number: '0xffffff' })], -38026, 'too many blocks'],
      [[at({ number: '0x1' })], -38020, 'block numbers must be in order: 1 <='],
      [[at({ time: '0x1' })], -38021, 'block timestamps must be in order: 1 <='],
      [[{ calls: [poor] }], -38014, 'insufficient funds'],
    ]
    for (const [blockStateCalls, code, text] of cases)
      await expect(dev.rpc('eth_simulateV1', { blockStateCalls })).rejects.toMatchObject({
        code,
        message: expect.stringContaining(text) as string,
      })
  })
})

describe('18 decimals', () => {
  test('default: balances, values and amounts in contracts are in units of 10^-18', async () => {
    const wei = await startDevGateway({ rules: { decimals: 18 } })
    const [from, to] = wei.chain.accounts.map(({ address }) => `0x${address.slice(2)}`)
    const balance = async (who: unknown) =>
      BigInt((await wei.rpc('eth_getBalance', who, 'latest')) as Hex)
    expect(await balance(from)).toBe(10_000n * 10n ** 18n)
    const value = 9_999n * 10n ** 18n
    await wei.rpc('eth_sendTransaction', { from, to, value: `0x${value.toString(16)}` })
    expect(await balance(to)).toBe(19_999n * 10n ** 18n)
    const data = `0x${artifacts.Kitchen.bytecode.replace('0x', '')}`
    const hash = await wei.rpc('eth_sendTransaction', { from: to, data })
    const { contractAddress } = (await wei.rpc('eth_getTransactionReceipt', hash)) as {
      contractAddress: Hex
    }
    const seen = await wei.rpc(
      'eth_call',
      { to: contractAddress, data: calldata('bal', [to]) },
      'latest',
    )
    expect(BigInt(seen as Hex)).toBe(await balance(to))
    // A contract can send more than 63 bits too.
    const many = 100n * 10n ** 18n
    await wei.rpc('anvil_setBalance', contractAddress, `0x${many.toString(16)}`)
    const sent = await wei.rpc('eth_sendTransaction', {
      from,
      to: contractAddress,
      data: calldata('sendTo', [`0x${'aa'.repeat(20)}`, many]),
    })
    expect(await wei.rpc('eth_getTransactionReceipt', sent)).toMatchObject({ status: '0x1' })
    expect(await balance(`0x${'aa'.repeat(20)}`)).toBe(many)
    const { baseFeePerGas } = (await wei.rpc('eth_getBlockByNumber', 'pending')) as {
      baseFeePerGas: Hex
    }
    expect(BigInt((await wei.rpc('eth_gasPrice')) as Hex)).toBe(BigInt(baseFeePerGas) + 10n ** 9n)
    const mined = (await wei.rpc('eth_getBlockByNumber', '0x1', true)) as {
      transactions: { value: Hex }[]
    }
    expect(BigInt(mined.transactions[0]?.value ?? 0)).toBe(value)
    await wei.close()
  })
})

test.each([
  ['more coins than an int64 holds', 2n ** 63n, 'endowment out of long range'],
  ['coins to itself', 1n, 'transfer trx failed: Cannot transfer TRX to yourself.'],
])('error: as on a node, a contract that sends %s stops', async (_, value, reason) => {
  const answer = (await dev.native('/wallet/triggerconstantcontract', {
    owner_address: `41${dev.accountOf(0).slice(2)}`,
    contract_address: `41${kitchen.slice(2)}`,
    data: calldata('sendTo', [kitchen, value]).slice(2),
  })) as { result: { code: string; message: string } }
  expect(answer.result.code).toBe('OTHER_ERROR')
  expect(Buffer.from(answer.result.message, 'hex').toString()).toBe(
    `class org.tron.core.vm.program.Program$TransferException : ${reason}`,
  )
})
