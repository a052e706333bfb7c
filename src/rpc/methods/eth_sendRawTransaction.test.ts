import { type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import type { ReplayReply, ReplayRequest } from '../../../test/support/node.ts'
import { CHAIN, keys } from '../../../test/support/recordedChain.ts'
import { toNativeAddress } from '../../lib/address.ts'
import { signTransaction } from '../../native/protobuf/signature.ts'
import { decodeTransaction, encodeTransaction } from '../../native/protobuf/transaction.ts'
import type { Context } from '../context.ts'
import type { AnyMethod } from '../method.ts'
import { weiMethods } from '../wei/methods.ts'
import { eth_getTransactionByHash } from './eth_getTransactionByHash.ts'
import { eth_getTransactionCount } from './eth_getTransactionCount.ts'
import { eth_sendRawTransaction } from './eth_sendRawTransaction.ts'

const bob = privateKeyToAccount(`0x${keys.bob.pk}`)
const dave = keys.dave.eth

/** A node that accepts every transaction. `broadcast` changes its answer, `known` the transactions that it finds. */
async function createContext({
  broadcast = () => ({ result: true, code: 'SUCCESS', txid: '' }),
  known = () => false,
  reply,
}: {
  broadcast?: (hex: string) => object | undefined
  known?: (id: string) => boolean
  /** The answer to every broadcast, as it is. */
  reply?: ReplayReply
} = {}) {
  const sent: string[] = []
  const context = await createReplayContext({
    keys: [keys.bob.pk, keys.alice.pk],
    intercept({ body, path }: ReplayRequest): ReplayReply | undefined {
      const request = JSON.parse(body || '{}') as { transaction?: string; value?: string }
      if (path === '/wallet/broadcasthex') {
        sent.push(request.transaction ?? '')
        if (reply) return reply
        const answer = broadcast(request.transaction ?? '')
        return answer ? { text: JSON.stringify(answer) } : { status: 502, text: '<html>' }
      }
      if (/gettransaction(info)?byid$/.test(path)) {
        const found = path.includes('info') ? undefined : find(request.value ?? '')
        return { text: JSON.stringify(found ?? {}) }
      }
      return undefined
    },
  })
  const find = (id: string) => {
    const hex = sent.find((hex) => decodeTransaction(hex).txID === id)
    return hex && known(id) ? decodeTransaction(hex) : undefined
  }
  return { context, sent }
}

const send = (context: Context, raw: Hex) => callMethod(eth_sendRawTransaction, context, [raw])

const refusal = (message: string | RegExp, code = -32000) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) })

function rlp(more: { nonce?: number; value?: bigint; chainId?: number; to?: Hex } = {}) {
  const { chainId = CHAIN.chainId, nonce = 0, to = dave, value = 1n } = more
  return { type: 'legacy', chainId, gas: 21_000n, gasPrice: 210n, nonce, to, value } as const
}

function native(amount: number | bigint, key: string = keys.bob.pk): Hex {
  const owner_address = toNativeAddress(bob.address.toLowerCase() as Hex)
  const value = { owner_address, to_address: toNativeAddress(dave), amount }
  const type = 'TransferContract'
  const type_url = `type.googleapis.com/protocol.${type}`
  const raw_data = {
    contract: [{ parameter: { value, type_url }, type }],
    ref_block_bytes: '00df',
    ref_block_hash: '3e5a955d7b8a4ea0',
    expiration: 1_895_262_100_000,
    timestamp: 1_795_262_050_000,
  }
  return `0x${encodeTransaction(signTransaction({ raw_data }, key))}`
}

describe('native transactions', { concurrent: true }, () => {
  test('default: broadcast byte for byte, answered with the id', async () => {
    const { context, sent } = await createContext()
    const raw = native(9_007_199_254_740_993n)
    expect(await send(context, raw)).toBe(`0x${decodeTransaction(raw).txID}`)
    expect(sent).toEqual([raw.slice(2)])
  })

  test('behavior: the same again, and one that the node has already, is no error', async () => {
    const { context } = await createContext({
      broadcast: () => ({ result: false, code: 'DUP_TRANSACTION_ERROR', message: 'Dup' }),
      known: () => true,
    })
    const raw = native(1)
    const hash = `0x${decodeTransaction(raw).txID}`
    expect(await send(context, raw)).toBe(hash)
    expect(await send(context, raw)).toBe(hash)
  })

  test('behavior: no answer, but the node has it', async () => {
    const { context } = await createContext({ broadcast: () => undefined, known: () => true })
    expect(await send(context, native(1))).toMatch(/^0x/)
  })

  test('error: no answer, and the node does not show it', async () => {
    const { context } = await createContext({ broadcast: () => undefined })
    await expect(send(context, native(1))).rejects.toEqual(
      refusal(/^unconfirmed: transaction 0x[\da-f]{64} may still be mined until 20/, -32003),
    )
    // It may still be mined.
    expect(await callMethod(eth_getTransactionCount, context, [bob.address, 'pending'])).toBe('0x1')
  })

  test.each([
    ['SIGERROR', 'Validate signature error: x', /^invalid sender: /, -32000],
    [
      'CONTRACT_VALIDATE_ERROR',
      'Contract validate error : y',
      /^refused: Contract validate error : y/,
      -32000,
    ],
    [
      'CONTRACT_VALIDATE_ERROR',
      'balance is not sufficient.',
      /^insufficient funds for gas/,
      -32000,
    ],
    [
      'CONTRACT_EXE_ERROR',
      'Contract execute error : z',
      /^refused: Contract execute error/,
      -32000,
    ],
    ['BANDWITH_ERROR', 'Account resource insufficient error.', /^insufficient funds/, -32000],
    ['TAPOS_ERROR', 'Tapos check error.', /^transaction expired/, -32000],
    ['TRANSACTION_EXPIRATION_ERROR', 'Transaction expired', /^transaction expired/, -32000],
    ['TOO_BIG_TRANSACTION_ERROR', 'too big', /^oversized data/, -32000],
  ])('error: %s, %s', async (code, message, expected, rpcCode) => {
    const { context } = await createContext({ broadcast: () => ({ result: false, code, message }) })
    await expect(send(context, native(1))).rejects.toEqual(refusal(expected, rpcCode))
    // Refused, so the nonce is free again.
    expect(await callMethod(eth_getTransactionCount, context, [bob.address, 'pending'])).toBe('0x0')
  })

  test.each([
    ['SERVER_BUSY', 'Server busy.'],
    ['NO_CONNECTION', 'No connection.'],
    ['NOT_ENOUGH_EFFECTIVE_CONNECTION', 'P2P broadcast failed.'],
    ['BLOCK_UNSOLIDIFIED', 'Block unsolidified.'],
    ['OTHER_ERROR', 'Error: odd'],
    ['DUP_TRANSACTION_ERROR', 'Transaction already exists.'],
  ])('error: %s is no refusal, so the record stays', async (code, message) => {
    const { context } = await createContext({ broadcast: () => ({ result: false, code, message }) })
    await expect(send(context, native(1))).rejects.toEqual(
      refusal(`^unconfirmed: .* A node says: ${code}: ${message}$`, -32003),
    )
    expect(await callMethod(eth_getTransactionCount, context, [bob.address, 'pending'])).toBe('0x1')
  })

  test.each([
    ['HTTP 408', { status: 408, text: '' }],
    ['HTTP 413', { status: 413, text: '' }],
    ['HTTP 429', { status: 429, text: '' }],
    ['an error of a front end', { text: '{"Error":"request timed out"}' }],
    ['an exception', { text: '{"Error":"class java.lang.NullPointerException : null"}' }],
    ['nothing', { text: '{}' }],
  ])('error: %s is no refusal', async (_, reply) => {
    const { context } = await createContext({ reply })
    await expect(send(context, native(1))).rejects.toEqual(refusal('^unconfirmed: ', -32003))
    expect(await callMethod(eth_getTransactionCount, context, [bob.address, 'pending'])).toBe('0x1')
  })

  test('error: a signature of another key, no signature, and random bytes', async () => {
    const { context, sent } = await createContext()
    await expect(send(context, native(1, keys.carol.pk))).rejects.toEqual(
      refusal(
        /^invalid sender: signed by 0x44257cd2acc97cf143c167dcadd5e5e2e1396c5e, which is not a key/,
      ),
    )
    const { signature: _, ...unsigned } = decodeTransaction(native(1))
    await expect(send(context, `0x${encodeTransaction(unsigned)}`)).rejects.toEqual(
      refusal('not signed'),
    )
    await expect(send(context, '0x1234')).rejects.toEqual(refusal('expected a signed', -32602))
    expect(sent).toEqual([])
  })

  /** A length-delimited protobuf field. */
  const field = (number: number, content: string) => {
    const length = content.length / 2
    const low = ((length & 0x7f) | 0x80).toString(16)
    const middle = (((length >> 7) & 0x7f) | 0x80).toString(16)
    return `${(number * 8 + 2).toString(16).padStart(2, '0')}${low}${middle}${(length >> 14).toString(16).padStart(2, '0')}${content}`
  }

  test('error: more signatures than the permission has keys, before any is recovered', async () => {
    const { context, sent } = await createContext()
    const { signature, ...rest } = decodeTransaction(native(1))
    const twice = encodeTransaction({ ...rest, signature: [signature?.[0] ?? '', '00'.repeat(65)] })
    await expect(send(context, `0x${twice}`)).rejects.toEqual(
      refusal(/^invalid sender: 2 signatures, permission 0 of 0x[\da-f]{40} has 1 keys$/),
    )
    expect(sent).toEqual([])
  })

  test.each([
    ['signatures', `${native(1).slice(2)}${field(2, '00'.repeat(65)).repeat(7_000)}`, 'signatures'],
    ['contracts', field(1, '5a00'.repeat(200_000)), 'exactly one contract'],
    ['results', `${native(1).slice(2)}${'2a00'.repeat(200_000)}`, 'more than 20000 fields'],
    ['bytes', `${native(1).slice(2)}${field(9, '00'.repeat(520_000))}`, 'oversized data'],
  ])('error: too many %s are counted and not decoded', async (_, hex, message) => {
    const { context } = await createContext()
    await expect(send(context, `0x${hex}`)).rejects.toEqual(refusal(message))
    // The node got no call: no key was recovered and no permission was read.
    expect(context.node.requests.total()).toBe(0)
  })
})

describe('Ethereum transactions', { concurrent: true }, () => {
  test('default: signed natively for a managed account, and found by the hash of the wallet', async () => {
    const { context, sent } = await createContext()
    const raw = await bob.signTransaction(rlp({ value: 5n }))
    expect(await send(context, raw)).toBe(keccak256(raw))
    const { raw_data, txID } = decodeTransaction(sent[0] ?? '')
    expect(raw_data).toMatchObject({
      contract: [
        {
          parameter: {
            value: {
              amount: 5,
              owner_address: keys.bob.hex,
              to_address: keys.dave.hex,
            },
          },
          type: 'TransferContract',
        },
      ],
      ref_block_bytes: '00df',
    })
    const pending = await callMethod(eth_getTransactionByHash, context, [keccak256(raw)])
    expect(pending).toMatchObject({
      blockHash: null,
      from: keys.bob.eth,
      hash: keccak256(raw),
      nonce: '0x0',
      value: '0x5',
    })
    expect(await callMethod(eth_getTransactionByHash, context, [`0x${txID}`])).toMatchObject({
      hash: `0x${txID}`,
    })
  })

  test('behavior: an access list of any length is ignored', async () => {
    const { context } = await createContext()
    const accessList = Array.from({ length: 2_000 }, (_, n) => ({
      address: `0x${n.toString(16).padStart(40, '1')}` as const,
      storageKeys: [],
    }))
    for (const [nonce, fees] of [
      { type: 'eip2930', gasPrice: 210n } as const,
      { type: 'eip1559', maxFeePerGas: 210n } as const,
    ].entries()) {
      const { gasPrice: _, type: __, ...rest } = rlp({ nonce })
      const raw = await bob.signTransaction({ ...rest, ...fees, accessList } as never)
      expect(await send(context, raw)).toBe(keccak256(raw))
    }
  })

  test('behavior: at /wei a maximum price is rounded down, the value is not', async () => {
    const { context, sent } = await createContext()
    const [method] = Object.values(weiMethods({ eth_sendRawTransaction }))
    const fees = { maxFeePerGas: 420_001_500_000_000n, maxPriorityFeePerGas: 1_500_000_000n }
    const { gasPrice: _, type: __, ...rest } = rlp({ value: 10n ** 12n })
    const sendAtWei = async (fields: object) =>
      callMethod(method as AnyMethod, context, [
        await bob.signTransaction({ ...rest, type: 'eip1559', ...fees, ...fields } as never),
      ])
    await sendAtWei({})
    expect(sent).toHaveLength(1)
    const underpriced = { data: '0x11', maxFeePerGas: 209_999_999_999_999n, nonce: 1, value: 0n }
    await expect(sendAtWei({ ...underpriced, to: CHAIN_TOKEN })).rejects.toEqual(
      refusal('transaction underpriced: gas price 209, energy price 210'),
    )
    await expect(sendAtWei({ nonce: 1, value: 1n })).rejects.toEqual(
      refusal('value: expected a multiple of 10\\^12', -32602),
    )
  })

  test('error: larger than Geth takes', async () => {
    const { context } = await createContext()
    const raw = await bob.signTransaction({ ...rlp(), data: `0x${'ab'.repeat(131_072)}` })
    await expect(send(context, raw)).rejects.toEqual(refusal(/^oversized data: .* limit 131072$/))
  })

  test('behavior: nonces', async () => {
    const { context } = await createContext()
    const first = await bob.signTransaction(rlp())
    await send(context, first)
    expect(await send(context, first)).toBe(keccak256(first))
    await expect(send(context, await bob.signTransaction(rlp({ value: 2n })))).rejects.toEqual(
      refusal('^replacement transaction underpriced'),
    )
    const racing = await Promise.all(
      [3, 1, 2].map(async (nonce) => send(context, await bob.signTransaction(rlp({ nonce })))),
    )
    expect(new Set(racing).size).toBe(3)
    const count = (tag: string) => callMethod(eth_getTransactionCount, context, [bob.address, tag])
    expect(await count('pending')).toBe('0x4')
    expect(await count('latest')).toBe('0x0')
    await expect(send(context, await bob.signTransaction(rlp({ nonce: 9 })))).rejects.toEqual(
      refusal('^nonce too high: next nonce 4, tx nonce 9'),
    )
  })

  test('behavior: a call has the fee limit of its gas, at most the network’s', async () => {
    const { context, sent } = await createContext()
    const call = { ...rlp({ to: CHAIN_TOKEN }), data: '0x18160ddd', value: 0n } as const
    await send(context, await bob.signTransaction({ ...call, gas: 100_000n }))
    await send(context, await bob.signTransaction({ ...call, gas: 100_000_000n, nonce: 1 }))
    const feeLimits = sent.map((hex) => decodeTransaction(hex).raw_data.fee_limit)
    expect(feeLimits).toEqual([21_000_000, 1_000_000_000])
  })

  test('behavior: a creation', async () => {
    const { context, sent } = await createContext()
    const { to: _, ...creation } = rlp()
    const raw = await bob.signTransaction({ ...creation, data: '0x6001', gas: 50_000n, value: 3n })
    await send(context, raw)
    expect(decodeTransaction(sent[0] ?? '').raw_data.contract?.[0]?.parameter?.value).toEqual({
      owner_address: keys.bob.hex,
      new_contract: {
        bytecode: '6001',
        call_value: 3,
        consume_user_resource_percent: 100,
        origin_address: keys.bob.hex,
        origin_energy_limit: 10_000_000,
      },
    })
  })

  test('error: an account that is not managed, with the other ways to send', async () => {
    const { context } = await createContext()
    const carol = privateKeyToAccount(`0x${keys.carol.pk}`)
    await expect(send(context, await carol.signTransaction(rlp()))).rejects.toEqual(
      refusal(
        /signs the SHA-256 of a protobuf message.*ethgate\/viem.*--keys.*Sending transactions/,
      ),
    )
  })

  test.each([
    ['another chain', rlp({ chainId: 1 }), /^invalid chain id for signer: have 1 want/],
    ['no chain', { ...rlp(), chainId: undefined }, /^only replay-protected/],
    ['data for an account without code', { ...rlp(), data: '0x01' }, /^data cannot be sent/],
    [
      'too low a price',
      { ...rlp({ to: '0x13eb96915a70a53b2ab0fc2f2df09f78137abb8c' }), gasPrice: 1n, data: '0x01' },
      /^transaction underpriced/,
    ],
  ] as const)('error: %s', async (_, transaction, message) => {
    const { context, sent } = await createContext()
    const raw = await bob.signTransaction(transaction as ReturnType<typeof rlp>)
    await expect(send(context, raw)).rejects.toEqual(refusal(message))
    expect(sent).toEqual([])
  })

  test('error: bytes that only begin like one', async () => {
    const { context } = await createContext()
    await expect(send(context, '0x02f86b')).rejects.toEqual(refusal('cannot be decoded'))
  })
})

const CHAIN_TOKEN: Hex = '0x13eb96915a70a53b2ab0fc2f2df09f78137abb8c'
