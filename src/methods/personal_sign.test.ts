import { recoverMessageAddress, recoverTypedDataAddress } from 'viem'
import { describe, expect, test } from 'vitest'

import { createReplayContext } from '../../test/context.ts'
import { keys } from '../../test/recordedChain.ts'
import { callMethod } from '../jsonrpc/method.ts'
import { eth_sign } from './eth_sign.ts'
import { eth_signTypedData_v4 } from './eth_signTypedData_v4.ts'
import { personal_sign } from './personal_sign.ts'

const open = () => createReplayContext({ keys: [keys.bob.pk] })
const bob = keys.bob.eth

describe('personal_sign', () => {
  test('default: EIP-191 over bytes', async () => {
    const signature = await callMethod(personal_sign, await open(), ['0x68656c6c6f', bob])
    const signer = await recoverMessageAddress({ message: 'hello', signature })
    expect(signer.toLowerCase()).toBe(bob)
  })

  test('args: a text', async () => {
    const context = await open()
    expect(await callMethod(personal_sign, context, ['hello', bob])).toBe(
      await callMethod(personal_sign, context, ['0x68656c6c6f', bob]),
    )
  })

  test('error: an account that is not managed', async () => {
    const context = await open()
    await expect(async () =>
      callMethod(personal_sign, context, ['0x', keys.alice.eth]),
    ).rejects.toMatchObject({ code: -32000 })
  })
})

describe('eth_sign', () => {
  test('default: as personal_sign, the account first', async () => {
    const context = await open()
    expect(await callMethod(eth_sign, context, [bob, '0x68656c6c6f'])).toBe(
      await callMethod(personal_sign, context, ['0x68656c6c6f', bob]),
    )
  })

  test('error: without keys the method is not there', async () => {
    const context = await createReplayContext()
    await expect(async () => callMethod(eth_sign, context, [bob, '0x'])).rejects.toMatchObject({
      code: -32601,
    })
  })
})

describe('eth_signTypedData_v4', () => {
  const data = {
    domain: { name: 'Mail', chainId: 1 },
    types: { Mail: [{ name: 'text', type: 'string' }] },
    primaryType: 'Mail',
    message: { text: 'hello' },
  } as const

  test.each([
    ['an object', data],
    ['its JSON text', JSON.stringify(data)],
  ])('default: EIP-712, given as %s', async (_, given) => {
    const signature = await callMethod(eth_signTypedData_v4, await open(), [bob, given])
    const signer = await recoverTypedDataAddress({ ...data, signature })
    expect(signer.toLowerCase()).toBe(bob)
  })

  test('error: data that does not fit its types', async () => {
    const context = await open()
    const wrong = { ...data, message: { text: { nested: 1 } }, types: { Other: [] } }
    await expect(async () =>
      callMethod(eth_signTypedData_v4, context, [bob, wrong]),
    ).rejects.toMatchObject({ code: -32602 })
    await expect(async () =>
      callMethod(eth_signTypedData_v4, context, [bob, '{']),
    ).rejects.toMatchObject({ code: -32602 })
  })
})
