import type { Address } from 'viem'
import { bytesToBigInt, encodeFunctionData, parseAbi } from 'viem/utils'

import { SUN } from '../../codec/unit.ts'
import { toNativeAddress, ZERO_ADDRESS } from '../../lib/address.ts'
import { RpcError } from '../../lib/errors.ts'
import type { AnyMethod } from '../../rpc/method.ts'
import { address, named as parameter } from '../../rpc/params/params.ts'
import { callEthereum, changeAccount, createOverlay, createTracer, traceCall } from '../index.ts'
import type { DevChain, EthereumCall } from '../index.ts'
import { stateOf } from './blockState.ts'
import { named, returningNull } from './named.ts'
import { amount } from './requests.ts'

/** Time limit of the trace that finds the slots, in milliseconds. */
const TIMEOUT = 5_000

/** The view functions of a token whose slots are looked for. */
const erc20Abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
])

/** A slot of a contract. */
type Slot = { contract: string; slot: string }

/** Methods that set token balances and allowances, with any storage layout of the token. */
export function erc20Methods(chain: DevChain): Record<string, AnyMethod> {
  const { rules } = chain.ledger

  const dealERC20 = returningNull(
    'sets the token balance of an account; an error when no single storage slot holds it',
    [parameter('account', address), parameter('token', address), amount],
    async (who, token, balance) => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [who] })
      await write(token, data, balance, 'balance')
    },
  )

  const setAllowance = returningNull(
    'sets a token allowance; an error when no single storage slot holds it',
    [
      parameter('owner', address),
      parameter('spender', address),
      parameter('token', address),
      amount,
    ],
    async (owner, spender, token, allowance) => {
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: 'allowance',
        args: [owner, spender],
      })
      await write(token, data, allowance, 'allowance')
    },
  )

  /** Writes the slot whose value a view function of a token returns. */
  async function write(token: Address, data: string, value: bigint, what: string): Promise<void> {
    const call = {
      from: toNativeAddress(ZERO_ADDRESS),
      to: toNativeAddress(token),
      value: 0n,
      data: data.slice(2),
    }
    for (const place of await slotsRead(call))
      // Two values, because the call may return the first one without reading the slot.
      if ((await isReturned(call, place, value)) && (await isReturned(call, place, value + 1n))) {
        await chain.changeAccount(place.contract, { slots: [[place.slot, word(value)]] })
        return
      }
    throw new RpcError(-32603, `no storage slot of ${token} holds the ${what}`)
  }

  /** The slots that a call reads. */
  async function slotsRead(call: EthereumCall): Promise<Slot[]> {
    const { block, state } = await stateOf(chain, 'latest', 'full')
    const create = () =>
      createTracer({ tracer: 'prestateTracer', options: { disableCode: true } }, SUN)
    const options = { block, create, rules, timeout: TIMEOUT }
    const { trace } = await traceCall(createOverlay(state), call, options)
    const accounts = trace as Record<Address, { storage?: Record<string, string> }>
    return Object.entries(accounts).flatMap(([who, { storage = {} }]) =>
      Object.keys(storage).map((slot) => ({
        contract: toNativeAddress(who as Address),
        slot: slot.slice(2),
      })),
    )
  }

  /** Whether a call returns this value when the slot has it. */
  async function isReturned(call: EthereumCall, place: Slot, value: bigint): Promise<boolean> {
    const { block, state } = await stateOf(chain, 'latest', 'full')
    const changed = createOverlay(state)
    changeAccount(changed, place.contract, { slots: [[place.slot, word(value)]] }, block.timestamp)
    const { failure, output } = await callEthereum(changed, call, { block, rules })
    return !failure && output.length === 32 && bytesToBigInt(output) === value % WORDS
  }

  return {
    ...named(['anvil', 'hardhat'], 'dealERC20', dealERC20),
    anvil_setERC20Balance: dealERC20,
    anvil_setERC20Allowance: setAllowance,
  }
}

/** Number of values that a slot can have. */
const WORDS = 2n ** 256n

const word = (value: bigint) => (value % WORDS).toString(16).padStart(64, '0')
