import { contractAddress } from '../../lib/address.ts'
import { sendUntilKnown, UnconfirmedError } from '../../sdk/unconfirmed.ts'
import { CommandError, EXIT, usageError } from '../base/errors.ts'
import { failureOf } from '../base/failures.ts'
import { get } from '../base/json.ts'
import { RpcFailure } from '../base/rpcClient.ts'
import { knownAbis } from '../node/knownAbi.ts'
import type { Target } from '../node/target.ts'
import type { Result } from '../output/result.ts'
import { explain, loadAbi, rethrow } from '../text/abi.ts'
import { type AddressForms, parseAddress } from '../text/address.ts'
import { wholeNumber } from '../text/number.ts'
import type { Unit } from '../text/unit.ts'
import type { Task } from '../words/command.ts'
import { type Channel, openChannel } from './channel.ts'
import { type Intent, type Reading, toRawData } from './intent.ts'
import { KEY_OPTIONS, type KeyOptions, type PrivateKey, readKey } from './key.ts'
import { report, type Sent, waitFor } from './report.ts'

/** The options of every command that sends a transaction. */
export type SendingOptions = KeyOptions & {
  abi?: string
  feeLimit?: string
  memo?: string
  from?: string
  permission?: string
  expires?: string
  async?: boolean
  dryRun?: boolean
}

/** The same, for `--help`. */
export const SENDING_OPTIONS = [
  ...KEY_OPTIONS,
  [
    '--from <address>',
    'sending account; without a key the gateway signs for it, with a key the key must have a permission of it',
  ],
  ['--permission <id>', 'id of the permission to sign with'],
  ['--fee-limit <amount>', 'maximum cost of the energy (default: the estimate plus 20 %)'],
  ['--memo <text>', 'text to store in the transaction'],
  ['--expires <seconds>', 'seconds until the transaction expires (default 60)'],
  ['--async', 'print the hash and do not wait for the block'],
  ['--dry-run', 'show the transaction, do not sign or send it'],
] as const

type Sending = {
  task: Task<SendingOptions>
  channel: Channel
  intent: Intent
  owner: AddressForms
  unit: Unit
  /** Milliseconds. */
  validity: number
  permission: number | undefined
}

/** Sends the transaction that `read` describes, signed with the key of the options or by the gateway. */
export async function sendTransaction(
  task: Task<SendingOptions>,
  read: (reading: Reading) => Promise<Intent>,
): Promise<Result> {
  const { io, options, target, terminal } = task
  // Wrong options are refused before anything is sent.
  const validity = Math.round(seconds(options.expires) * 1000)
  const permission =
    options.permission === undefined ? undefined : wholeNumber(options.permission, '--permission')
  if (options.abi !== undefined) await loadAbi(options.abi)
  const key = await readKey(options, terminal, io)
  const from = options.from === undefined ? undefined : parseAddress(options.from, '--from')
  const owner = from ?? key?.address
  if (!owner)
    throw usageError(
      'the sender is missing: give --account NAME or --key-file FILE (or ETHGATE_KEY), or --from ADDRESS if the gateway manages its key',
    )
  const channel = await openChannel(target)
  const intent = await read({
    owner,
    unit: () => target.unit(),
    hasCode: (address) => channel.hasCode(address),
  })
  const unit = await target.unit()
  const sending = { task, channel, intent, owner, unit, validity, permission }
  if (!key && !options.dryRun) return sendManaged(sending)
  // A chain with 18 decimals takes no native transactions.
  return unit.decimals === 18 ? sendEthereum(sending, key) : sendSigned(sending, key)
}

/** Signs an Ethereum transaction in this process. */
async function sendEthereum(sending: Sending, key: PrivateKey | undefined): Promise<Result> {
  const { channel, intent, owner, task } = sending
  const { privateKeyToAccount } = await import('../node/viem.ts')
  const client = await task.target.client()
  const call = ethereumCall(sending)
  const price = await channel.energyPrice()
  const feeLimit = await feeLimitOf(sending, price)
  const gas =
    feeLimit === undefined
      ? await client.estimateGas({ ...call, account: call.from })
      : feeLimit / price
  const request = {
    chainId: await client.getChainId(),
    data: call.data,
    gas,
    maxFeePerGas: price,
    maxPriorityFeePerGas: 0n,
    nonce: await client.getTransactionCount({ address: call.from, blockTag: 'pending' }),
    to: call.to,
    type: 'eip1559',
    value: call.value,
  } as const
  if (task.options.dryRun || !key) return { value: { ...request, from: call.from } }
  const { getContractAddress, keccak256 } = await import('../node/viem.ts')
  const signed = await privateKeyToAccount(`0x${key.hex}`).signTransaction(request)
  const { time } = await channel.head()
  const id = keccak256(signed).slice(2)
  await deliver(channel, { id, expiration: time + sending.validity }, signed.slice(2))
  const created =
    call.to === undefined
      ? getContractAddress({ from: owner.eth, nonce: BigInt(request.nonce) })
      : undefined
  return finish(sending, { id, intent, owner, created })
}

/** The call of a transaction that Ethereum has too. @throws CommandError (usage) for any other */
function ethereumCall({ intent: { call, value }, task }: Sending): NonNullable<Intent['call']> {
  const { expires, memo, permission } = task.options
  if (!call || value['token_id'] !== undefined)
    throw usageError(
      'only transfers of coins, calls and deployments are possible here: anything else needs --key-file FILE, on a chain with 6 decimals',
    )
  if (expires !== undefined || memo !== undefined || permission !== undefined)
    throw usageError(
      '--expires, --memo and --permission need --key-file FILE, on a chain with 6 decimals',
    )
  return call
}

async function sendSigned(sending: Sending, key: PrivateKey | undefined): Promise<Result> {
  const { channel, intent, owner, permission, task, unit, validity } = sending
  const { options } = task
  const { encodeTransaction, rawDataFromJson, rawDataToJson, signTransaction, transactionId } =
    await import('../../sdk/client.ts')
  const feeLimit = await feeLimitOf(sending)
  const head = await channel.head()
  const expiration = head.time + validity
  const raw = rawDataFromJson(
    toRawData(intent, {
      reference: head,
      expiration,
      timestamp: Date.now(),
      feeLimit,
      memo: options.memo,
      permission,
    }),
  )
  const txID = transactionId(raw)
  const unsigned = { txID, raw_data: rawDataToJson(raw), raw_data_hex: raw.toString('hex') }
  if (options.dryRun || !key) {
    const { renderAnswer } = await import('../output/nativeTables.ts')
    return {
      value: unsigned,
      text: (terminal) => renderAnswer(terminal, 'gettransactionbyid', unsigned, unit),
    }
  }
  const signed = encodeTransaction(signTransaction(unsigned, key.hex))
  await deliver(channel, { id: txID, expiration }, signed)
  const isCreation = intent.type === 'CreateSmartContract'
  const created = isCreation ? contractAddress(txID, owner.eth) : undefined
  return finish(sending, { id: txID, intent, owner, created, expiration })
}

/**
 * The same bytes are one transaction, so they are sent until it is known what became of them.
 *
 * @throws CommandError with the hash if the outcome stays unknown. Its exit code does not advise a retry, which could pay twice.
 */
const deliver = (channel: Channel, of: { id: string; expiration: number }, signed: string) =>
  sendUntilKnown(of, () => channel.broadcast(signed)).catch((error: unknown) => {
    if (!(error instanceof UnconfirmedError)) throw error
    const hash = `0x${of.id}`
    throw new CommandError(
      `transaction ${hash} may be in a block until ${new Date(of.expiration).toISOString()}: look at "ethgate tx ${hash}" before you send it again (${failureOf(error.cause).message})`,
      { cause: error, details: { hash } },
    )
  })

async function sendManaged(sending: Sending): Promise<Result> {
  const { channel, intent, owner, task } = sending
  const { target } = task
  if (target.isNodeOnly)
    throw usageError('a node does not sign: give --key-file FILE, or a gateway with --rpc-url')
  const call = ethereumCall(sending)
  const scale = await target.scale()
  const feeLimit = await givenFeeLimit(sending)
  const price = feeLimit === undefined ? 0n : await channel.energyPrice()
  const hash = await target.rpc
    .call('eth_sendTransaction', [
      {
        ...call,
        value: `0x${(call.value * scale).toString(16)}`,
        ...(feeLimit !== undefined &&
          price > 0n && { gas: `0x${(feeLimit / price).toString(16)}` }),
      },
    ])
    .catch((error: unknown) => revertedOrRefused(error, sending))
  return finish(sending, { id: String(hash).slice(2), intent, owner, created: undefined })
}

/** A development chain answers an error after the transaction is in a block; the error has its hash. */
async function revertedOrRefused(error: unknown, { intent, task }: Sending): Promise<never> {
  const hash = error instanceof RpcFailure ? get(error.data, 'txHash') : undefined
  const failure = await explain(error, task.options.abi, abiOf(task.target, intent))
  if (!(error instanceof RpcFailure))
    throw new CommandError(
      `${failure.message}; the gateway may have sent the transaction: look at the account before you send it again`,
      { cause: error },
    )
  if (typeof hash !== 'string') throw failure
  throw new CommandError(`transaction ${hash} is in a block and failed: ${failure.message}`, {
    exitCode: EXIT.reverted,
    details: { ...failure.details, hash },
  })
}

/** Asks the gateway for the ABI of the called contract. */
export const abiOf =
  (target: Target, { call }: Intent) =>
  async () =>
    call?.to ? [...(await knownAbis(target, [call.to])).values()].flat() : []

async function givenFeeLimit({ task, unit }: Sending): Promise<bigint | undefined> {
  const { feeLimit } = task.options
  return feeLimit === undefined ? undefined : unit.read(feeLimit, '--fee-limit')
}

/** The fee limit is the estimate and a fifth, because other transactions can change the energy that a call needs. */
async function feeLimitOf(sending: Sending, known?: bigint): Promise<bigint | undefined> {
  const { channel, intent, task } = sending
  const given = await givenFeeLimit(sending)
  if (given !== undefined || !intent.runsCode) return given
  const [energy, price] = await Promise.all([
    channel
      .energy(intent)
      .catch((error: unknown) => rethrow(error, task.options.abi, abiOf(task.target, intent))),
    known ?? channel.energyPrice(),
  ])
  return (energy * price * 12n) / 10n
}

async function finish(sending: Sending, sent: Sent): Promise<Result> {
  const { channel, intent, task, unit } = sending
  const { options, terminal } = task
  if (options.async) return `0x${sent.id}`
  const outcome = await waitFor(channel, sent)
  if (!outcome.success && outcome.reason === undefined) {
    const reason = await channel.reason(intent)
    if (reason)
      outcome.reason = `${(await explain(reason, options.abi, abiOf(task.target, intent))).message.replace(/^eth_call: /, '')} (from a repeated call)`
  }
  await report(terminal, sent, outcome, unit)
  return undefined
}

function seconds(text = '60'): number {
  const number = Number(text)
  // The node refuses more than a day.
  if (!(number > 0 && number < 86_400))
    throw usageError(`--expires needs a number of seconds below one day, got "${text}"`)
  return number
}
