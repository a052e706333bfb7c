import { encodeFunctionData, getContractAddress, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, onChain, startDevGateway } from '../support/devGateway.ts'
import {
  anvilTraces,
  digest,
  sendCases,
  traceeCall,
  TRACEE,
  tracesOf,
} from '../support/traceCases.ts'

let dev: DevGateway
let hashes: Map<string, `0x${string}`>
const anvil = anvilTraces()

beforeAll(async () => {
  // The unit is that of Ethereum, so amounts are the same as on anvil.
  dev = await startDevGateway({ rules: { decimals: 18 } })
  hashes = await sendCases((...call) => dev.rpc(...call))
})

afterAll(() => dev.close())

const hashOf = (name: string) => hashes.get(name) as `0x${string}`
const trace = (name: string, options?: object) =>
  dev.rpc('debug_traceTransaction', hashOf(name), ...(options ? [options] : []))

/** The paths at which two values differ. */
function differences(here: unknown, there: unknown, path = ''): string[] {
  if (JSON.stringify(here) === JSON.stringify(there)) return []
  if (typeof here !== 'object' || typeof there !== 'object' || !here || !there)
    return [`${path}: ${JSON.stringify(here)} instead of ${JSON.stringify(there)}`]
  const names = new Set([...Object.keys(here), ...Object.keys(there)])
  return [...names].flatMap((name) =>
    differences(
      (here as Record<string, unknown>)[name],
      (there as Record<string, unknown>)[name],
      `${path}.${name}`,
    ),
  )
}

describe('compared with anvil', () => {
  /** The differences from anvil: where geth differs from it too, and in the costs of operations. */
  const KNOWN: Record<string, { differs: RegExp; reason: string }> = {
    builtIns: {
      differs: /^\.(flat\.|selectors\.0x6964656e-4)/,
      reason: 'calls of built-in contracts are left out, as geth does',
    },
    catches: {
      differs: /^\.(calls\.calls\.4\.error|steps)/,
      reason: 'the endless loop ends elsewhere: storage has another price',
    },
    createFails: { differs: /^\.flat\.1\.result\.address/, reason: 'geth gives no address' },
    createReverts: { differs: /^\.flat\.0\.result\.address/, reason: 'geth gives no address' },
    destroy: {
      differs: /^\.diff\.pre\.0x0{38}aa/,
      reason: 'geth leaves out accounts that were empty',
    },
    revertsAfterLog: {
      differs: /^\.calls\.logs/,
      reason: 'geth leaves out the logs of a transaction that failed',
    },
    staticWrite: { differs: /\.error: /, reason: 'words of geth' },
    tooPoor: { differs: /\.flat\.1\.error: /, reason: 'words of geth' },
    tooPoorToCreate: { differs: /\.flat\.1\.error: /, reason: 'words of geth' },
    undefinedByte: { differs: /\.error: |\.steps/, reason: 'words of geth' },
    underflow: { differs: /\.error: /, reason: 'words of geth' },
  }

  test.each(Object.keys(anvil))('default: every trace of %s', async (name) => {
    const { steps, ...traces } = await tracesOf((...call) => dev.rpc(...call), hashOf(name))
    const here = JSON.parse(JSON.stringify({ ...traces, steps: digest(steps) })) as unknown
    const known = KNOWN[name]
    const found = differences(sorted(here), sorted(anvil[name]))
    expect(found.filter((difference) => !known?.differs.test(difference))).toEqual([])
    expect(found.length > 0).toBe(known !== undefined)
  })

  function sorted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(sorted)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
  }
})

type Entry = {
  op: string
  gas: number
  gasCost: number
  depth: number
  stack?: string[]
  memory?: string[]
  storage?: object
  returnData?: string
}
type StructTrace = { gas: number; failed: boolean; returnValue: string; structLogs: Entry[] }
type CallTrace = { gasUsed: string; calls: CallTrace[]; input: string; value?: string }

describe('debug_traceTransaction', () => {
  test('default: gas adds up, operation by operation, and to the receipt', async () => {
    for (const [name, hash] of hashes) {
      const { failed, gas, structLogs } = (await trace(name)) as StructTrace
      const receipt = (await dev.rpc('eth_getTransactionReceipt', hash)) as Record<string, string>
      expect({ name, gas, failed }).toEqual({
        name,
        gas: Number(receipt['gasUsed']),
        failed: receipt['status'] === '0x0',
      })
      const wrong = structLogs.filter(({ depth, gas, gasCost, op }, index) => {
        const next = structLogs[index + 1]
        // The unused gas of a call is returned.
        const isCall = op.includes('CALL') || op.startsWith('CREATE')
        return next?.depth === depth && !isCall && next.gas !== gas - gasCost
      })
      expect(wrong).toEqual([])
    }
  })

  test('behavior: a slot that the same run has emptied reads as zero', async () => {
    // SSTORE 1, SSTORE 0, SLOAD, STOP: all of slot 0.
    const data = '0x60015f555f5f555f5400'
    const traced = await dev.rpc('debug_traceCall', { from: dev.accountOf(0), data }, 'latest', {})
    const { failed, structLogs } = traced as StructTrace
    expect(failed).toBe(false)
    expect(structLogs.at(-1)).toMatchObject({
      op: 'STOP',
      stack: ['00'.repeat(32)],
      storage: { ['00'.repeat(32)]: '00'.repeat(32) },
    })
  })

  test('behavior: a creation at an address that is taken fails without running code', () =>
    onChain('cancun', async ({ accountOf, rpc }) => {
      const from = accountOf(0)
      await rpc('hardhat_setCode', getContractAddress({ from, nonce: 0n }), '0x00')
      const request = { from, data: '0x00', gas: '0x186a0' }
      const frame = {
        from,
        gas: request.gas,
        error: 'contract address collision',
        gasUsed: request.gas,
        input: request.data,
        type: 'CREATE',
      }
      const options = { tracer: 'callTracer' }
      expect(await rpc('debug_traceCall', request, 'latest', options)).toMatchObject(frame)
      const hash = await rpc('eth_sendTransaction', request).catch(
        ({ data }: { data: { txHash: string } }) => data.txHash,
      )
      expect(await rpc('debug_traceTransaction', hash, options)).toMatchObject(frame)
      expect(await rpc('trace_transaction', hash)).toMatchObject([
        { type: 'create', error: frame.error },
      ])
    }))

  test('behavior: a call without the coins for it fails for that at any depth', () =>
    onChain('cancun', async ({ rpc }) => {
      const to = `0x${'77'.repeat(20)}`
      // Calls itself as often as the first word says, then sends a coin that it does not have.
      const code = '0x5f35806012575f5f5f5f60015f61fffff1005b600190035f525f5f60205f5f305af100'
      await rpc('hardhat_setCode', to, code)
      const request = { to, data: `0x${(70).toString(16).padStart(64, '0')}` }
      const traced = await rpc('debug_traceCall', request, 'latest', { tracer: 'callTracer' })
      expect(JSON.stringify(traced)).toContain('insufficient balance for transfer')
    }))

  test('args: the struct logger shows the requested fields', async () => {
    const all = (await trace('call', { enableMemory: true, enableReturnData: true })) as StructTrace
    const last = all.structLogs.at(-1)
    expect(last).toMatchObject({ op: 'STOP', depth: 1, stack: expect.any(Array) })
    expect(last?.memory?.every((word) => /^[0-9a-f]{64}$/.test(word))).toBe(true)
    expect(last?.returnData).toBe(`0x${'6'.padStart(64, '0')}`)
    const store = all.structLogs.find(({ op }) => op === 'SSTORE')
    expect(store?.storage).toEqual({ ['00'.repeat(32)]: '5'.padStart(64, '0') })
    // As on Hardhat, the operations after it have the slots too. The tests of Safe and 1inch read words of 64 digits without 0x.
    const after = all.structLogs[all.structLogs.findIndex(({ op }) => op === 'SSTORE') + 1]
    expect(after?.storage).toEqual(store?.storage)
    expect(all.structLogs[0]?.storage).toEqual({})
    for (const { stack = [] } of all.structLogs)
      expect(stack.every((value) => /^[0-9a-f]{64}$/.test(value))).toBe(true)
    const plain = (await trace('call')) as StructTrace
    expect(plain.structLogs.some(({ memory, returnData }) => memory ?? returnData)).toBe(false)
    const bare = (await trace('call', { disableStack: true, disableStorage: true })) as StructTrace
    expect(bare.structLogs.some(({ stack, storage }) => stack ?? storage)).toBe(false)
    expect(bare.structLogs).toHaveLength(plain.structLogs.length)
    const limited = (await trace('call', { limit: 3 })) as StructTrace
    expect(limited).toEqual({ ...plain, structLogs: plain.structLogs.slice(0, 3) })
  })

  test('args: onlyTopCall, muxTracer, noopTracer, prestateTracer without code or storage', async () => {
    const whole = (await trace('call', { tracer: 'callTracer' })) as CallTrace
    expect(whole.calls).toHaveLength(1)
    const { calls: _, ...top } = whole
    const onlyTopCall = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }
    expect(await trace('call', onlyTopCall)).toEqual(top)
    expect(await trace('call', { tracer: 'noopTracer' })).toEqual({})
    const tracerConfig = { callTracer: { onlyTopCall: true }, '4byteTracer': {} }
    expect(await trace('call', { tracer: 'muxTracer', tracerConfig })).toEqual({
      callTracer: top,
      '4byteTracer': { '0x60fe47b1-32': 1, '0x2b096926-32': 1 },
    })
    const options = { disableCode: true, disableStorage: true, includeEmpty: true }
    const accounts = await trace('call', { tracer: 'prestateTracer', tracerConfig: options })
    expect(Object.keys(accounts as object)).toHaveLength(4)
    expect(JSON.stringify(accounts)).not.toMatch(/code|storage/)
  })

  test('behavior: at /wei amounts have 18 decimals', async () => {
    const sun = await startDevGateway()
    const [from, to] = sun.chain.accounts.map(({ address }) => `0x${address.slice(2)}`)
    const hash = await sun.rpc('eth_sendTransaction', { from, to, value: '0x2' })
    const ask = async (path: string, method: string, ...params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${sun.url}${path}`, { method: 'POST', headers, body })
      return ((await response.json()) as { result: never }).result
    }
    const options = { tracer: 'callTracer' }
    expect(await ask('/', 'debug_traceTransaction', hash, options)).toMatchObject({ value: '0x2' })
    const wei = { value: '0x1d1a94a2000' }
    expect(await ask('/wei', 'debug_traceTransaction', hash, options)).toMatchObject(wei)
    expect(await ask('/wei', 'trace_transaction', hash)).toMatchObject([{ action: wei }])
    await sun.close()
  })

  test('error: a tracer that is not known, an odd duration, an unknown transaction', async () => {
    await expect(trace('call', { tracer: 'stepTracer' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('tracer: expected one of callTracer'),
    })
    await expect(trace('call', { timeout: 'soon' })).rejects.toMatchObject({ code: -32602 })
    const unknown = `0x${'12'.repeat(32)}`
    await expect(dev.rpc('debug_traceTransaction', unknown)).rejects.toMatchObject({
      code: -32000,
      message: 'transaction not found',
    })
  })

  test('error: a trace that takes longer than its timeout', async () => {
    await expect(trace('memoryWork', { timeout: '0s' })).rejects.toMatchObject({
      code: -32000,
      message: 'execution timeout',
    })
    expect(await trace('memoryWork', { tracer: 'callTracer' })).toMatchObject({ type: 'CALL' })
  })
})

describe('debug_traceBlockBy*', () => {
  test('default: every transaction of the block, by number and by hash', async () => {
    const chain = await startDevGateway({ mining: { automine: false } })
    const [from, to] = chain.chain.accounts.map(({ address }) => `0x${address.slice(2)}`)
    const send = (value: string) => chain.rpc('eth_sendTransaction', { from, to, value })
    const sent = [await send('0x1'), await send('0x2'), await send('0x3')]
    await chain.rpc('evm_mine')
    const { hash, number } = (await chain.rpc('eth_getBlockByNumber', 'latest', false)) as Record<
      string,
      string
    >
    const options = { tracer: 'prestateTracer' }
    const byNumber = (await chain.rpc('debug_traceBlockByNumber', number, options)) as {
      txHash: string
      result: Record<string, { nonce?: number }>
    }[]
    expect(byNumber.map(({ txHash }) => txHash)).toEqual(sent)
    // Each sees what those before it did.
    expect(byNumber.map(({ result }) => result[from ?? '']?.nonce)).toEqual([undefined, 1, 2])
    expect(await chain.rpc('debug_traceBlockByHash', hash, options)).toEqual(byNumber)
    await expect(chain.rpc('debug_traceBlockByNumber', '0x0')).rejects.toMatchObject({
      message: 'genesis is not traceable',
    })
    await expect(chain.rpc('debug_traceBlockByNumber', '0xffff')).rejects.toMatchObject({
      message: 'block not found',
    })
    await chain.close()
  })
})

describe('debug_traceCall', () => {
  const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
  const traceCall = (data: string, block: string, options: object) =>
    dev.rpc('debug_traceCall', { from, to: TRACEE, data }, block, options)

  test('default: as the transaction that does the same', async () => {
    const data = traceeCall('createFails')
    const call = (await traceCall(data, 'latest', { tracer: 'callTracer' })) as CallTrace
    const sent = (await trace('createFails', { tracer: 'callTracer' })) as CallTrace
    expect(call).toMatchObject({ gasUsed: sent.gasUsed, input: data, calls: [{ type: 'CREATE' }] })
    const diffMode = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
    expect(await traceCall(data, 'latest', diffMode)).toMatchObject({
      post: { [from]: { nonce: hashes.size + 1 } },
      pre: { [from]: { nonce: hashes.size } },
    })
  })

  test('args: state and block overrides, and a place inside a block', async () => {
    const abi = parseAbi(['function looks(address) view returns (uint256, bytes32)'])
    const who = '0x00000000000000000000000000000000000000bb'
    const data = encodeFunctionData({ abi, functionName: 'looks', args: [who] })
    const traced = await traceCall(data, 'latest', {
      stateOverrides: { [who]: { balance: '0x7' } },
    })
    expect((traced as StructTrace).returnValue.slice(0, 66)).toBe(`0x${'7'.padStart(64, '0')}`)
    // NUMBER, as the result of creation code that returns it.
    const code = '0x4360005260206000f3'
    const atBlock = await dev.rpc('debug_traceCall', { from, data: code }, 'latest', {
      blockOverrides: { number: '0x1234' },
    })
    expect(Number((atBlock as StructTrace).returnValue)).toBe(0x1234)
    const place = { tracer: 'prestateTracer', txIndex: '0x0' }
    const block = (await dev.rpc('eth_getTransactionByHash', hashOf('pay'))) as {
      blockNumber: string
    }
    const before = await traceCall(traceeCall('storageWork'), block.blockNumber, place)
    const nonce = [...hashes.keys()].indexOf('pay')
    expect(before).toMatchObject({ [from]: { nonce } })
    await expect(traceCall(data, block.blockNumber, { txIndex: '0x9' })).rejects.toMatchObject({
      message: expect.stringContaining('out of range'),
    })
  })

  test('error: an endless call ends in time', async () => {
    const spin = { from, data: '0x5b600056' }
    const limits = { timeout: '100ms', disableStack: true, disableStorage: true }
    await expect(dev.rpc('debug_traceCall', spin, 'latest', limits)).rejects.toMatchObject({
      message: 'execution timeout',
    })
  })
})

describe('trace_*', () => {
  test('default: a transaction, a block, one trace of it; null where there is none', async () => {
    const hash = hashOf('call')
    const traces = (await dev.rpc('trace_transaction', hash)) as { blockNumber: number }[]
    expect(traces).toMatchObject([{ traceAddress: [] }, { traceAddress: [0], type: 'call' }])
    const number = `0x${traces[0]?.blockNumber.toString(16)}`
    expect(await dev.rpc('trace_block', number)).toEqual(traces)
    expect(await dev.rpc('trace_get', hash, ['0x0'])).toEqual(traces[1])
    expect(await dev.rpc('trace_get', hash, ['0x7'])).toBeNull()
    expect(await dev.rpc('trace_transaction', `0x${'12'.repeat(32)}`)).toBeNull()
    expect(await dev.rpc('trace_block', '0xffff')).toBeNull()
  })

  test('args: trace_filter by sender, receiver, both, and page', async () => {
    type Found = { action: { from?: string; to?: string; value?: string } }[]
    const filter = async (request: object) => (await dev.rpc('trace_filter', request)) as Found
    const heir = '0x00000000000000000000000000000000000000aa'
    const toHeir = await filter({ toAddress: [heir] })
    expect(toHeir.map(({ action }) => action)).toMatchObject([
      { balance: '0x4d', refundAddress: heir },
      { from: TRACEE, value: '0x4' },
      { to: heir, value: '0x7' },
    ])
    const byTracee = await filter({ fromAddress: [TRACEE] })
    expect(byTracee.length).toBeGreaterThan(10)
    const both = { fromAddress: [TRACEE], toAddress: [heir] }
    expect(await filter({ ...both, mode: 'intersection' })).toEqual([toHeir[1]])
    expect(await filter(both)).toHaveLength(byTracee.length + 2)
    expect(await filter({ ...both, after: 1, count: '0x3' })).toEqual(
      (await filter(both)).slice(1, 4),
    )
    expect(await filter({ fromBlock: 'latest', toBlock: 'latest' })).toHaveLength(1)
    await expect(filter({ mode: 'either' })).rejects.toMatchObject({ code: -32602 })
    await expect(filter({ fromBlock: '0x2', toBlock: '0x1' })).rejects.toMatchObject({
      code: -32602,
    })
    for (const range of [{ fromBlock: '0xffff' }, { fromBlock: '0x1', toBlock: '0xffff' }])
      await expect(filter(range)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(
          /^block range extends beyond current head block: requested 65535, head \d+$/,
        ) as string,
      })
  })
})

describe('exact', () => {
  test.each(['ethereum', 'native'] as const)(
    'behavior: what tools chose for a block, profile %s, is there again when its transactions are traced',
    async (profile) => {
      const chain = await startDevGateway({ rules: { profile } })
      const [from] = chain.chain.accounts.map(({ address }) => `0x${address.slice(2)}`)
      // Stores COINBASE, BASEFEE and PREVRANDAO.
      const data = '0x416000554860015544600255'
      const hashes: unknown[] = []
      for (const step of [1n, 2n, 3n]) {
        const seen = `0x${step.toString(16).padStart(64, '0')}`
        await chain.rpc('hardhat_setCoinbase', `0x${step.toString(16).padStart(40, '0')}`)
        await chain.rpc('hardhat_setPrevRandao', seen)
        if (profile === 'ethereum')
          await chain.rpc('hardhat_setNextBlockBaseFeePerGas', `0x${(step + 100n).toString(16)}`)
        const request = { from, data, gas: '0x30d40', gasPrice: '0x3e8' }
        hashes.push(await chain.rpc('eth_sendTransaction', request))
        await chain.rpc('hardhat_setBalance', from, '0x2540be400')
      }
      for (const [index, hash] of hashes.entries()) {
        const { structLogs } = (await chain.rpc('debug_traceTransaction', hash)) as StructTrace
        const stored = structLogs.findLast(({ op }) => op === 'SSTORE')?.storage ?? {}
        const [coinbase, baseFee, random] = Object.values(stored).map((word) => Number(`0x${word}`))
        expect({ coinbase, random }).toEqual({ coinbase: index + 1, random: index + 1 })
        expect(baseFee).toBe(profile === 'ethereum' ? 101 + index : 100)
      }
      await chain.close()
    },
  )
})
