import { toBase58 } from '../../lib/base58.ts'
import { invalid } from '../state/errors.ts'
import { newAccount, newContract } from '../state/model.ts'
import { parameter } from '../state/parameters.ts'
import { createOverlay, type State } from '../state/state.ts'
import type { BlockContext } from '../vm/blockContext.ts'
import { createdByTransaction } from '../vm/createdAddress.ts'
import { runVm, type VmResult } from '../vm/run.ts'
import { MIN_TOKEN } from '../vm/tokens.ts'
import { energyLimits, type Shares } from './limits.ts'
import { hex, int, updateAccount, withAsset } from './types.ts'

/** One contract call or contract creation. */
export type SmartCall = {
  type: 'CreateSmartContract' | 'TriggerSmartContract'
  value: Readonly<Record<string, unknown>>
  owner: string
  /** Sun. */
  feeLimit: bigint
  transactionId: string
  block: BlockContext
  /** Milliseconds and slot of the newest block. */
  now: number
  slot: bigint
  observe?: runVm.Observe
}

/** The result of a contract call or creation. */
export type SmartResult = VmResult & {
  contractAddress: string
  /** Energy from the stakes of caller and creator before the run. */
  callerLeft: bigint
  originLeft: bigint
}

/**
 * Checks a contract transaction and runs it. A failed run does not change the state.
 *
 * @param constant - For constant calls: the most energy, and the time limit in milliseconds.
 * @throws RefusedError when the transaction is invalid. A failed run is a result, not an error.
 */
export async function runSmart(
  state: State,
  call: SmartCall,
  constant?: { energy: bigint; timeout: number },
): Promise<SmartResult> {
  const work = createOverlay(state)
  const prepared =
    call.type === 'CreateSmartContract'
      ? prepareCreate(work, call, constant !== undefined)
      : prepareCall(work, call)
  const { amount, data, to, token } = prepared
  const max = parameter(state, 'getMaxFeeLimit')
  if (call.feeLimit < 0n || call.feeLimit > max) invalid(`feeLimit must be >= 0 and <= ${max}`)
  const limits = constant
    ? { total: constant.energy, callerLeft: 0n, originLeft: 0n }
    : energyLimits(state, { ...call, ...prepared, callValue: amount })

  moveValue(work, call.owner, to, amount, token)
  const result = await runVm(work, {
    kind: call.type === 'CreateSmartContract' ? 'create' : 'call',
    caller: call.owner,
    to,
    data,
    value: amount,
    ...(token && { token }),
    energyLimit: limits.total,
    now: call.now,
    transactionId: call.transactionId,
    constant: constant !== undefined,
    ...(constant && { timeout: constant.timeout }),
    block: call.block,
    ...(call.observe && { observe: call.observe }),
  })
  if (!result.failure) work.commit()
  return {
    ...result,
    contractAddress: to,
    callerLeft: limits.callerLeft,
    originLeft: limits.originLeft,
  }
}

function prepareCreate(state: State, call: SmartCall, constant: boolean) {
  const { value, owner } = call
  const contract = (value['new_contract'] ?? {}) as Record<string, unknown>
  const name = typeof contract['name'] === 'string' ? contract['name'] : ''
  if (hex(contract, 'origin_address') !== owner) invalid('OwnerAddress is not equals OriginAddress')
  if (Buffer.byteLength(name) > 32) invalid("contractName's length cannot be greater than 32")
  const userPercent = int(contract, 'consume_user_resource_percent')
  if (userPercent < 0n || userPercent > 100n) invalid('percent must be >= 0 and <= 100')
  const to = createdByTransaction(call.transactionId, owner)
  const existing = state.get('account', to)
  if (existing)
    invalid(`Trying to create a contract with existing contract address: ${toBase58(to)}`)
  const amount = int(contract, 'call_value')
  const originEnergyLimit = int(contract, 'origin_energy_limit')
  if (!constant) {
    if (amount < 0n) invalid('callValue must be >= 0')
    if (int(value, 'call_token_value') < 0n) invalid('tokenValue must be >= 0')
    if (originEnergyLimit <= 0n) invalid('The originEnergyLimit must be > 0')
  }
  const token = tokenOf(value)
  const abi = (contract['abi'] as { entrys?: unknown[] } | undefined)?.entrys ?? []
  const hexName = Buffer.from(name).toString('hex')
  state.set('account', to, newAccount(to, 'Contract', 0, hexName))
  state.set('contract', to, {
    ...newContract(to, owner),
    name: hexName,
    abi,
    bytecode: hex(contract, 'bytecode'),
    callValue: amount,
    userPercent,
    originEnergyLimit,
  })
  return {
    to,
    data: new Uint8Array(Buffer.from(hex(contract, 'bytecode'), 'hex')),
    amount,
    token,
    origin: owner,
    shares: { userPercent: 100n, originEnergyLimit: 0n } satisfies Shares,
  }
}

function prepareCall(state: State, call: SmartCall) {
  const { value } = call
  const to = hex(value, 'contract_address')
  const contract = state.get('contract', to) ?? invalid('No contract or not a smart contract')
  const amount = int(value, 'call_value')
  if (amount < 0n) invalid('callValue must be >= 0')
  if (int(value, 'call_token_value') < 0n) invalid('tokenValue must be >= 0')
  return {
    to,
    data: new Uint8Array(Buffer.from(hex(value, 'data'), 'hex')),
    amount,
    token: tokenOf(value),
    origin: contract.origin,
    shares: contract as Shares,
  }
}

function tokenOf(value: Readonly<Record<string, unknown>>) {
  const id = int(value, 'token_id')
  const amount = int(value, 'call_token_value')
  if (id <= MIN_TOKEN && id !== 0n) invalid(`tokenId must be > ${MIN_TOKEN}`)
  if (amount > 0n && id === 0n)
    invalid(`invalid arguments with tokenValue = ${amount}, tokenId = ${id}`)
  return id === 0n ? undefined : { id, amount }
}

function moveValue(
  state: State,
  owner: string,
  to: string,
  amount: bigint,
  token: { id: bigint; amount: bigint } | undefined,
): void {
  if (amount <= 0n && !(token && token.amount > 0n)) return
  if (owner === to) invalid('Cannot transfer TRX to yourself.')
  const account = state.get('account', owner)
  if (!account) return invalid('Validate InternalTransfer error, no OwnerAccount.')
  // The EVM moves the coins.
  if (amount > account.balance)
    invalid('Validate InternalTransfer error, balance is not sufficient.')
  if (!token || token.amount <= 0n) return
  const id = token.id.toString()
  if (!state.get('asset', id)) invalid('No asset !')
  const held = account.assets[id] ?? 0n
  if (held <= 0n) invalid('assetBalance must greater than 0.')
  if (token.amount > held) invalid('assetBalance is not sufficient.')
  updateAccount(state, owner, (account) => withAsset(account, id, -token.amount))
  updateAccount(state, to, (account) => withAsset(account, id, token.amount))
}
