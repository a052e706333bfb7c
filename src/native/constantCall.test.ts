import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type ReplayNode, startReplayNode } from '../../test/support/node.ts'
import { artifacts, keys, labels } from '../../test/support/recordedChain.ts'
import { createNodeClient, type NativeClient } from './client.ts'
import { readConstantCall, readFailure } from './constantCall.ts'
import { createHttpTransport } from './transport/transport.ts'

let node: ReplayNode
let native: NativeClient

beforeAll(async () => {
  node = await startReplayNode()
  native = createNodeClient({ transport: createHttpTransport({ upstream: node.url }) })
})

afterAll(async () => {
  await native.close()
  await node.close()
})

const request = (functionName: string) => ({
  owner_address: keys.bob.hex,
  contract_address: labels.contracts.Kitchen.address,
  data: encodeFunctionData({ abi: artifacts.Kitchen.abi, functionName }).slice(2),
})
const call = async (functionName: string) =>
  readConstantCall(await native.wallet.triggerConstantContract(request(functionName)))

describe('readConstantCall', () => {
  test('default', async () => {
    expect(await call('n')).toEqual({
      kind: 'success',
      data: '2'.padStart(64, '0'),
      energy: 271,
      penalty: 0,
    })
  })

  test('behavior: every kind of revert keeps its bytes', async () => {
    const reverts = {
      rString: /^08c379a0/,
      rCustom: /^[0-9a-f]{8}0{62}2a/,
      rPanic: /^4e487b710{63}1$/,
      rEmpty: /^$/,
      rRaw: /^deadbeef$/,
    }
    for (const [name, data] of Object.entries(reverts))
      expect(await call(name)).toMatchObject({ kind: 'revert', data: expect.stringMatching(data) })
  })

  test('behavior: an exception in the virtual machine', async () => {
    expect(await call('invalid')).toMatchInlineSnapshot(`
      {
        "code": "OTHER_ERROR",
        "exception": "IllegalOperationException",
        "kind": "failure",
        "message": "Invalid operation code: opCode[fe];",
      }
    `)
  })

  test('behavior: refused before it ran', async () => {
    const answer = await native.wallet.triggerConstantContract({
      owner_address: keys.bob.hex,
      contract_address: keys.alice.hex,
      data: '00',
    })
    expect(readConstantCall(answer)).toEqual({
      kind: 'failure',
      code: 'CONTRACT_VALIDATE_ERROR',
      exception: undefined,
      message: 'Smart contract is not exist.',
    })
  })

  test('behavior: creation code', async () => {
    const run = async (data: string) =>
      readConstantCall(
        await native.wallet.triggerConstantContract({ owner_address: keys.bob.hex, data }),
      )
    expect(await run(artifacts.Kitchen.bytecode)).toMatchObject({
      kind: 'success',
      data: artifacts.Kitchen.runtime,
    })
    expect(await run(artifacts.BadCtor.bytecode)).toMatchObject({ kind: 'revert' })
  })
})

describe('readFailure', () => {
  test('default', async () => {
    const { result } = await native.wallet.estimateEnergy(request('rString'))
    expect(readFailure(result)).toEqual({
      kind: 'failure',
      code: 'CONTRACT_EXE_ERROR',
      exception: undefined,
      message: 'REVERT opcode executed',
    })
    expect(readFailure({ result: true })).toBeUndefined()
    expect(readFailure({ result: true, code: 'SUCCESS' })).toBeUndefined()
  })
})
