import { createEVM } from '@ethereumjs/evm'
import { expect, test } from 'vitest'

import { newAccount, newContract } from '../state/model.ts'
import { setParameters } from '../state/parameters.ts'
import { createHistory, createOverlay } from '../state/state.ts'
import { runVm } from './run.ts'

const HERE = `41${'22'.repeat(20)}`

/** Runs code, on the EVM's own loop when `observe` listens to its steps. */
async function run(code: string, observe?: runVm.Observe) {
  const state = createOverlay(createHistory())
  setParameters(state)
  state.set('account', HERE, newAccount(HERE, 'Contract', 0))
  state.set('code', HERE, Uint8Array.from(Buffer.from(code, 'hex')))
  state.set('contract', HERE, newContract(HERE, HERE))
  return runVm(state, {
    kind: 'call',
    caller: HERE,
    to: HERE,
    data: new Uint8Array(0),
    value: 0n,
    energyLimit: 100_000n,
    transactionId: 'ab'.repeat(32),
    now: 1_000,
    constant: false,
    block: { number: 7, timestamp: 9_000, producer: HERE, chainId: 5, hashOf: () => undefined },
    ...(observe && { observe }),
  })
}

test('default: an EVM of other code of the process runs as before', async () => {
  await run('602a60005260206000f3')
  const evm = await createEVM()
  const { runState } = await evm.runCode({ code: Uint8Array.of(0x5f, 0x56), gasLimit: 100n })
  // The loop of this folder returns less of its state.
  expect(runState).toMatchObject({ opCode: 0x56, programCounter: 2 })
})

test.each([
  ['a loop', '600a5b600190038060025700'],
  ['a word in memory', '602a60005260206000f3'],
  ['storage', '602a600055600054600101600155'],
  ['a call of itself', '5f5f5f5f5f305af1'],
  ['a revert', '60ff60005260206000fd'],
  ['a revert with more data than memory can have', '640fffffffff640ffffffffffd'],
  ['an invalid jump', '600356'],
  ['a jump into a value', '600456605b'],
  [
    'values of each length',
    `60ff61eeff62ddeeff638000000064${'9a'.repeat(5)}7f${'fe'.repeat(32)}01010101015f5260205ff3`,
  ],
  ['a value that the end of the code cuts off', '5f5b62ffff'],
  ['an invalid operation', 'fe'],
  ['too little energy', '5b600056'],
  ['a stack underflow', '01'],
])('behavior: %s has the same result as on the loop of the EVM', async (_, code) => {
  expect(await run(code)).toEqual(await run(code, (events) => events.on('step', () => {})))
})
