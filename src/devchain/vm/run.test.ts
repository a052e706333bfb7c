import { describe, expect, test, vi } from 'vitest'

import { newAccount, newContract } from '../state/model.ts'
import { setParameters } from '../state/parameters.ts'
import { createHistory, createOverlay, type State } from '../state/state.ts'
import { createdByTransaction } from './createdAddress.ts'
import { runVm } from './run.ts'

const CALLER = `41${'11'.repeat(20)}`
const HERE = `41${'22'.repeat(20)}`
const THERE = `41${'33'.repeat(20)}`
const PRECOMPILE = `41${'04'.padStart(40, '0')}`
const ID = 'ab'.repeat(32)
const TOKEN = 1_000_001n
const RETURN_WORD = '60005260206000f3'

function stateWith(contracts: Record<string, string>): State {
  const state = createOverlay(createHistory())
  setParameters(state)
  state.set('account', CALLER, { ...newAccount(CALLER, 'Normal', 1), balance: 1_000n })
  for (const [address, code] of Object.entries(contracts)) {
    state.set('account', address, {
      ...newAccount(address, 'Contract', 0),
      balance: 100n,
      assets: { [TOKEN.toString()]: 50n },
    })
    state.set('code', address, new Uint8Array(Buffer.from(code, 'hex')))
    state.set('contract', address, newContract(address, CALLER))
  }
  return state
}

const run = (state: State, options: Partial<runVm.Options> = {}) =>
  runVm(state, {
    kind: 'call',
    caller: CALLER,
    to: HERE,
    data: new Uint8Array(0),
    value: 0n,
    energyLimit: 100_000n,
    transactionId: ID,
    now: 1_000,
    constant: false,
    block: { number: 7, timestamp: 9_000, producer: CALLER, chainId: 5, hashOf: () => undefined },
    ...options,
  })

const push = (hex: string) => `${(0x5f + hex.length / 2).toString(16)}${hex}`
const word = (output: Uint8Array) => BigInt(`0x${Buffer.from(output).toString('hex')}`)

describe('runVm', () => {
  test('default: returns a word, and moves the value', async () => {
    const state = stateWith({ [HERE]: `602a${RETURN_WORD}` })
    const { output, energyUsed, failure } = await run(state, { value: 10n })
    expect([word(output), energyUsed, failure]).toEqual([42n, 16n, undefined])
    expect(state.get('account', HERE)?.balance).toBe(110n)
    expect(state.get('account', CALLER)?.balance).toBe(990n)
  })

  test('behavior: contracts see the 64 bits of a negative balance, as in the node, and a transfer raises it', async () => {
    // The code answers the balance of THERE, before and after a transfer of 3 to it.
    const code = `73${THERE.slice(2)}315f525f5f5f5f600373${THERE.slice(2)}5af15073${THERE.slice(2)}3160205260405ff3`
    const state = stateWith({ [HERE]: code })
    const burned = { ...newAccount(THERE, 'Normal', 0), balance: -(2n ** 63n) }
    state.set('account', THERE, burned)
    const { failure, output } = await run(state)
    expect([failure, word(output.slice(0, 32)), word(output.slice(32))]).toEqual([
      undefined,
      2n ** 63n,
      2n ** 63n + 3n,
    ])
    expect(state.get('account', THERE)).toEqual({ ...burned, balance: 3n - 2n ** 63n })
  })

  test('behavior: the price of a write depends on whether the slot exists', async () => {
    // PUSH1 0, CALLDATALOAD, PUSH1 0, SSTORE
    const state = stateWith({ [HERE]: '60003560005500' })
    const write = async (value: bigint) => {
      const data = new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'))
      return (await run(state, { data })).energyUsed
    }
    expect([
      await write(5n),
      await write(6n),
      await write(0n),
      await write(0n),
      await write(7n),
    ]).toEqual([20_009n, 5_009n, 5_009n, 5_009n, 20_009n])
  })

  test('error: each failure has the node’s text and changes nothing', async () => {
    const codes = {
      OUT_OF_ENERGY: '6001600055',
      ILLEGAL_OPERATION: '0c',
      BAD_JUMP_DESTINATION: '600756',
      STACK_TOO_SMALL: '01',
      REVERT: '60006000fd',
    }
    const messages: Record<string, string | undefined> = {}
    for (const [name, code] of Object.entries(codes)) {
      const state = stateWith({ [HERE]: code })
      const { failure } = await run(state, { value: 1n, energyLimit: 100n })
      expect(failure?.result).toBe(name)
      messages[name] = failure?.message
      expect(state.get('account', HERE)?.balance).toBe(100n)
    }
    expect(messages).toEqual({
      OUT_OF_ENERGY:
        "Not enough energy for 'SSTORE' operation executing: curInvokeEnergyLimit[100], curOpEnergy[20000], usedEnergy[6]",
      ILLEGAL_OPERATION: 'Invalid operation code: opCode[0c];',
      BAD_JUMP_DESTINATION: "Operation with pc isn't 'JUMPDEST': PC[7];",
      STACK_TOO_SMALL: 'Expected stack size 2 but actual 0;',
      REVERT: 'REVERT opcode executed',
    })
  })

  test('error: a copy beyond the return data', async () => {
    // PUSH1 1, PUSH1 255, PUSH1 0, RETURNDATACOPY
    const { failure } = await run(stateWith({ [HERE]: '600160ff60003e' }))
    expect(failure).toEqual({
      result: 'UNKNOWN',
      exception: 'org.tron.core.vm.program.Program$ReturnDataCopyIllegalBoundsException',
      message: `Illegal RETURNDATACOPY arguments: offset (${'ff'.padStart(64, '0')}) + size (${'1'.padStart(64, '0')}) > RETURNDATASIZE (0)`,
    })
  })

  test('behavior: a copy of return data costs its memory and its words', async () => {
    // Calls the identity with 64 bytes, then PUSH1 64, PUSH0, PUSH0, RETURNDATACOPY
    const call = '5f5f60405f60045afa50'
    const before = await run(stateWith({ [HERE]: call }))
    const after = await run(stateWith({ [HERE]: `${call}60405f5f3e` }))
    expect(after.failure).toBeUndefined()
    expect(after.energyUsed - before.energyUsed).toBe(3n + 2n + 2n + 2n * 3n)
  })

  test('error: a precompiled contract that refuses its input', async () => {
    const state = stateWith({})
    for (const number of ['06', '07', '08']) {
      const data = new Uint8Array(96).fill(0xff)
      const result = await run(state, { to: `41${number.padStart(40, '0')}`, data })
      expect(result).toMatchObject({
        energyUsed: 100_000n,
        failure: { result: 'PRECOMPILED_CONTRACT', message: 'invalid input' },
      })
    }
  })

  test('error: a return of more memory than the energy pays for, and code that is too expensive to store', async () => {
    // PUSH3 0x100000, PUSH1 0, RETURN
    const call = await run(stateWith({ [HERE]: '621000006000f3' }))
    expect(call.failure).toMatchObject({
      result: 'OUT_OF_ENERGY',
      message:
        "Not enough energy for 'RETURN' operation executing: curInvokeEnergyLimit[100000], curOpEnergy[2195456], usedEnergy[6]",
    })
    // PUSH2 0x1000, PUSH1 0, RETURN
    const data = Uint8Array.from(Buffer.from('6110006000f3', 'hex'))
    const creation = await run(stateWith({}), { kind: 'create', data })
    expect(creation.failure).toMatchObject({
      result: 'OUT_OF_ENERGY',
      message: "Not enough energy for 'save just created contract code' executing",
    })
  })

  test('behavior: contracts with the same code share it, so it is analysed once and stored once', async () => {
    const state = stateWith({})
    // Copies the 5 bytes behind itself and returns them: PUSH0 CALLDATALOAD PUSH0 SSTORE STOP.
    const data = Uint8Array.from(Buffer.from('6005600c60003960056000f35f355f5500', 'hex'))
    const codes = []
    for (const to of [`41${'e1'.repeat(20)}`, `41${'e2'.repeat(20)}`]) {
      const { failure } = await run(state, { kind: 'create', to, data: Uint8Array.from(data) })
      expect(failure).toBeUndefined()
      codes.push(state.get('code', to))
    }
    expect(Buffer.from(codes[0] ?? []).toString('hex')).toBe('5f355f5500')
    expect(codes[1]).toBe(codes[0])
  })

  test('behavior: 0x03 returns the SHA-256 of 20 bytes of a SHA-256, as a node does', async () => {
    // Hashes the byte 0x78. MSTORE8, STATICCALL of 0x03, RETURN of a word.
    const state = stateWith({ [HERE]: '6078600053602060006001600060035afa60206000f3' })
    const { output } = await run(state)
    expect(Buffer.from(output).toString('hex')).toBe(
      '5567990156ebb79c1652303b32c45b8d0dd82b9a71342977f6b1db7d24c0cb4d',
    )
  })

  test('error: the place is not named when the search for it ends by time', async () => {
    let hasRun = false
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (hasRun ? (now += 100) : 0))
    const { failure } = await run(stateWith({ [HERE]: '5b600056' }), {
      timeout: 50,
      observe: (events) => events.on('afterMessage', () => void (hasRun = true)),
    })
    clock.mockRestore()
    expect(failure).toMatchObject({ result: 'OUT_OF_ENERGY', message: 'Not enough energy' })
  })

  test('behavior: MODEXP returns nothing for a modulus of zero, as a node does', async () => {
    // Asks 0x05 for 3 to the power of 1, modulo the first byte of call data, and returns the size of the answer.
    const code =
      '6001600052600160205260016040526003606053600160615360003560625260006000606360006005' +
      '5afa503d60005260206000f3'
    const sizeFor = async (modulus: number) =>
      word((await run(stateWith({ [HERE]: code }), { data: Uint8Array.of(modulus) })).output)
    expect([await sizeFor(5), await sizeFor(3), await sizeFor(0)]).toEqual([1n, 1n, 0n])
  })

  test('behavior: an endless call ends at the time limit', async () => {
    const state = stateWith({ [HERE]: '5b600056' })
    const { failure } = await run(state, { energyLimit: 10n ** 12n, timeout: 50, constant: true })
    expect(failure).toMatchObject({ result: 'OUT_OF_TIME' })
  })

  test('behavior: a call transfers tokens, and returns them when it fails', async () => {
    const send = (amount: string) =>
      `6000600060006000620f424160${amount}73${THERE.slice(2)}61ffffd000`
    // Stores CALLTOKENVALUE and CALLTOKENID, the values that the receiver reads.
    const state = stateWith({ [HERE]: send('05'), [THERE]: 'd2600055d3600155' })
    const { internal, failure } = await run(state)
    expect(failure).toBeUndefined()
    expect(state.get('storage', `${THERE}.0/${'00'.repeat(32)}`)).toBe('05')
    expect(state.get('storage', `${THERE}.0/${'00'.repeat(31)}01`)).toBe('0f4241')
    expect(state.get('account', HERE)?.assets).toEqual({ [TOKEN.toString()]: 45n })
    expect(state.get('account', THERE)?.assets).toEqual({ [TOKEN.toString()]: 55n })
    expect(internal).toMatchObject([
      { to: THERE, value: 0n, tokens: [{ id: '1000001', amount: 5n }] },
    ])

    const failing = stateWith({ [HERE]: send('05'), [THERE]: '60006000fd' })
    await run(failing)
    expect(failing.get('account', THERE)?.assets).toEqual({ [TOKEN.toString()]: 50n })
  })

  test.each([
    [
      'an id that no token has',
      '0f4240',
      '00',
      THERE,
      'validateForSmartContract failure:not valid token id',
    ],
    [
      'an id beyond int64',
      '8000000000000000',
      '00',
      THERE,
      'validateForSmartContract failure:not valid token id',
    ],
    ['an amount beyond int64', '0f4241', '8000000000000000', THERE, 'endowment out of long range'],
    ['itself', '0f4241', '05', HERE, 'transfer trc10 failed: Cannot transfer asset to yourself.'],
  ])('error: tokens of a call: %s', async (_, id, amount, to, message) => {
    const call = `6000600060006000${push(id)}${push(amount)}73${to.slice(2)}61ffffd000`
    const state = stateWith({ [HERE]: call, [THERE]: '00' })
    const { energyUsed, failure } = await run(state)
    expect(failure).toMatchObject({ result: 'TRANSFER_FAILED', message })
    expect(state.get('account', HERE)?.assets).toEqual({ [TOKEN.toString()]: 50n })
    // Eight operands and the call. The energy that the call would have had comes back, with its stipend.
    expect(energyUsed).toBe(24n + (amount === '00' ? 40n : 9_040n - 2_300n))
  })

  test.each([
    ['2^64', 'endowment out of long range', THERE, '010000000000000000'],
    ['itself', 'transfer trx failed: Cannot transfer TRX to yourself.', HERE, '05'],
  ])('error: coins of a call: %s', async (_, message, to, value) => {
    const call = `6000600060006000${push(value)}73${to.slice(2)}61fffff1`
    const { energyUsed, failure } = await run(stateWith({ [THERE]: '00', [HERE]: call }))
    expect(failure).toMatchObject({ result: 'TRANSFER_FAILED', message })
    expect(energyUsed).toBe(21n + 9_040n - 2_300n)
    // An inner frame uses all that it was given.
    const outer = `6000600060006000600073${THERE.slice(2)}614e20f100`
    const inner = stateWith({ [HERE]: outer, [THERE]: call.replace(HERE.slice(2), THERE.slice(2)) })
    expect((await run(inner)).energyUsed).toBe(21n + 40n + 20_000n)
  })

  test.each([
    ['coins', 'f1', 'transfer failure'],
    [
      'tokens',
      'd0',
      'validateForSmartContract failure:Validate InternalTransfer error, no ToAccount. And not allowed to create account in smart contract.',
    ],
  ])('error: %s for a precompiled contract that no account is at', async (_, call, message) => {
    const id = call === 'd0' ? '620f4241' : ''
    const send = `6000600060006000${id}6005600461ffff${call}`
    const state = stateWith({ [HERE]: send })
    const { energyUsed, failure } = await run(state)
    expect([failure?.result, failure?.message, energyUsed]).toEqual(['UNKNOWN', message, 100_000n])
    state.set('account', PRECOMPILE, newAccount(PRECOMPILE, 'Normal', 0))
    expect((await run(state)).failure).toBeUndefined()
  })

  test('behavior: a call with more tokens than there are gets its energy back, with its stipend', async () => {
    const call = `6000600060006000620f4241603373${THERE.slice(2)}61ffffd0`
    const state = stateWith({ [HERE]: `${call}${RETURN_WORD}`, [THERE]: '00' })
    const { energyUsed, output } = await run(state)
    expect([word(output), energyUsed]).toEqual([0n, 24n + 9_040n - 2_300n + 13n])
  })

  test('error: TOKENBALANCE of an id that no token has', async () => {
    const read = (id: string) => run(stateWith({ [HERE]: `30${push(id)}d1${RETURN_WORD}` }))
    expect(word((await read('0f4241')).output)).toBe(50n)
    const message = 'validateForSmartContract failure:not valid token id'
    for (const id of ['0f4240', 'ff'.repeat(32)])
      expect(await read(id)).toMatchObject({
        energyUsed: 100_000n,
        failure: { result: 'UNKNOWN', message },
      })
    expect(await read('8000000000000000')).toMatchObject({
      energyUsed: 25n,
      failure: { result: 'TRANSFER_FAILED', message },
    })
  })

  test('behavior: a contract that is created after a call with tokens gets none', async () => {
    const call = `6000600060006000620f4241600573${THERE.slice(2)}61ffffd050`
    // CREATE with code that makes CALLTOKENVALUE the code of the contract. Returns the address.
    const create = `66d25f5260205ff35f52600760195ff0`
    const state = stateWith({ [HERE]: `${call}${create}${RETURN_WORD}`, [THERE]: '00' })
    const { output } = await run(state)
    const address = `41${Buffer.from(output).toString('hex').slice(24)}`
    expect(state.get('account', THERE)?.assets).toEqual({ [TOKEN.toString()]: 55n })
    expect(state.get('code', address)).toEqual(new Uint8Array(32))
  })

  test('behavior: the addresses of inner contracts depend on transaction and count', async () => {
    // CREATE with empty code. Returns the address.
    const state = stateWith({ [HERE]: `600060006000f0${RETURN_WORD}` })
    const { output, internal } = await run(state)
    const address = `41${Buffer.from(output).toString('hex').slice(24)}`
    expect(internal).toMatchObject([{ note: 'create', caller: HERE, to: address, rejected: false }])
    expect(state.get('account', address)?.type).toBe('Contract')
    expect(state.get('contract', address)?.origin).toBe(HERE)
  })

  test('behavior: SELFDESTRUCT removes a contract and its storage', async () => {
    const state = stateWith({ [HERE]: `73${CALLER.slice(2)}ff` })
    state.set('storage', `${HERE}.0/${'00'.repeat(32)}`, '05')
    await run(state)
    expect(state.get('account', HERE)).toBeUndefined()
    expect(state.get('account', CALLER)?.balance).toBe(1_100n)
    expect(state.get('property', `generation:${HERE}`)).toBe(1n)
  })

  test('behavior: SELFDESTRUCT gives the tokens of a contract to its heir', async () => {
    const state = stateWith({ [HERE]: `73${THERE.slice(2)}ff` })
    const { internal } = await run(state)
    expect(internal).toMatchObject([{ note: 'suicide', tokens: [{ id: '1000001', amount: 50n }] }])
    expect(state.get('account', HERE)).toBeUndefined()
    expect(state.get('account', THERE)).toMatchObject({
      balance: 100n,
      assets: { [TOKEN.toString()]: 50n },
    })
    const own = stateWith({ [HERE]: `73${HERE.slice(2)}ff` })
    await run(own)
    expect(own.get('account', HERE)).toBeUndefined()
  })
})

test('createdAddress: from the transaction’s id and its owner', () => {
  expect(
    createdByTransaction(
      '7fe721c3f85b6c1c9491df43778c98903b565bc4210592f449f41342041729b3',
      '41dd791d6b49e190062d650e6a23c575510d35f2f9',
    ),
  ).toBe('41584587b353166787b37d1b05a4a91e59c5370bcf')
})
