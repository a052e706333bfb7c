import type { Command } from 'commander'

import { grouped, plural } from '../../codec/coin.ts'
import { withChecksum } from '../../lib/address.ts'
import { CommandError, usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import { get, isRecord, scalar } from '../base/json.ts'
import { RpcFailure } from '../base/rpcClient.ts'
import type { Target } from '../node/target.ts'
import { accountFields, permissionFields, resourceFields } from '../output/accountFields.ts'
import { shownAddress } from '../output/fields.ts'
import { renderFields } from '../output/table.ts'
import { type AddressForms, addressFields, parseAddress } from '../text/address.ts'
import { wholeNumber } from '../text/number.ts'
import type { Unit } from '../text/unit.ts'
import type { Intent } from '../wallet/intent.ts'
import { SENDING_OPTIONS, type SendingOptions, sendTransaction } from '../wallet/sendTransaction.ts'
import { addCommand, addWord } from '../words/command.ts'

const SAMPLE = 'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp'

/** `ethgate account`: what only accounts of this chain have. */
export function addAccountCommand(program: Command, io: Io): void {
  const account = addCommand(program, 'account', {
    summary: 'show an account, its resources and permissions; stake and vote',
    examples: [[`ethgate account show ${SAMPLE}`, 'everything about an account']],
  })
  addWord(account, io, {
    usage: 'show <address>',
    summary: 'show balance, resources, permissions, code and tokens',
    description:
      'Shows an account. Balance, code and transaction count come from the gateway. Resources, permissions and tokens come ' +
      'from the native HTTP API of --node, or of a development chain at the address of --rpc-url.',
    examples: [
      [`ethgate account show ${SAMPLE}`, 'all data of the gateway and of a development chain'],
      [`ethgate account show ${SAMPLE} --node http://127.0.0.1:8090 --json`, 'from a node'],
    ],
    calls: 'node',
    hasFields: true,
    async run({ target, terminal }, [text = '']) {
      const address = parseAddress(text, 'show')
      const native = await readNative(target, address).catch((error: unknown) => {
        if (target.nodeGiven) throw error
        return undefined
      })
      // With --node the gateway is called only if --rpc-url is given too.
      const rpc = native && target.isNodeOnly ? undefined : await readRpc(target, address)
      const unit = await target.unit()
      if (native === undefined && terminal.mode === 'table')
        terminal.error('Resources, permissions and tokens need the native HTTP API: --node URL.')
      return {
        value: { ...address, ...rpc, ...native },
        text: (terminal) =>
          renderFields(terminal, [...addressFields(address), ...shownFields(rpc, native, unit)]),
      }
    },
  })
  addWord(account, io, {
    usage: 'resources <address>',
    summary: 'show bandwidth, energy and votes',
    examples: [[`ethgate account resources ${SAMPLE}`, 'what is left of each']],
    calls: 'node',
    hasFields: true,
    async run({ target }, [text = '']) {
      const address = parseAddress(text, 'resources').hex
      const value = await requireRecord(target, 'getaccountresource', { address })
      return { value, text: (terminal) => renderFields(terminal, resourceFields(value)) }
    },
  })
  addWord(account, io, {
    usage: 'permissions <address>',
    summary: 'show which keys may sign what',
    examples: [[`ethgate account permissions ${SAMPLE}`, 'threshold and weight of each key']],
    calls: 'node',
    hasFields: true,
    async run({ target }, [text = '']) {
      const address = parseAddress(text, 'permissions').hex
      const value = await requireRecord(target, 'getaccount', { address })
      const { active_permission, owner_permission, witness_permission } = value
      return {
        value: { owner_permission, witness_permission, active_permission },
        text: (terminal) => renderFields(terminal, permissionFields(value)),
      }
    },
  })
  addWord<SendingOptions & { release?: boolean }>(account, io, {
    usage: 'stake <amount> <resource>',
    summary: 'stake coins for energy or bandwidth, or release them',
    options: [
      ['--release', 'end the stake; the coins are free after the waiting time'],
      ...SENDING_OPTIONS,
    ],
    examples: [
      ['ethgate account stake 100coin energy --account alice', 'also gives 100 votes'],
      ['ethgate account stake 100coin energy --release --account alice', 'ends that stake'],
    ],
    calls: 'node',
    run: (task, [amount = '', resource = '']) =>
      sendTransaction(task, async ({ owner, unit: unitOf }) => {
        const unit = await unitOf()
        const coins = unit.read(amount, 'the amount')
        return stakeOf(owner, coins, resource, unit, task.options.release)
      }),
  })
  addWord<SendingOptions>(account, io, {
    usage: 'vote <votes...>',
    summary: 'vote for block producers with the votes of staked coins',
    description: 'Replaces all votes of the account by these: PRODUCER=COUNT for each producer.',
    options: SENDING_OPTIONS,
    examples: [[`ethgate account vote ${SAMPLE}=100 --account alice`, 'all votes to one producer']],
    calls: 'node',
    run: (task, words) => sendTransaction(task, async ({ owner }) => voteOf(owner, words)),
  })
}

function stakeOf(
  owner: AddressForms,
  amount: bigint,
  word: string,
  unit: Unit,
  isRelease = false,
): Intent {
  const resource = word.toUpperCase()
  if (resource !== 'ENERGY' && resource !== 'BANDWIDTH')
    throw usageError(`the resource is energy or bandwidth, got "${word}"`)
  return {
    type: isRelease ? 'UnfreezeBalanceV2Contract' : 'FreezeBalanceV2Contract',
    value: {
      owner_address: owner.hex,
      [isRelease ? 'unfreeze_balance' : 'frozen_balance']: amount,
      // The zero value of the enumeration is left out, as the node does.
      ...(resource === 'ENERGY' && { resource }),
    },
    runsCode: false,
    fields: [
      [isRelease ? 'releases' : 'stakes', `${unit.text(amount)} for ${resource.toLowerCase()}`],
    ],
  }
}

function voteOf(owner: AddressForms, words: readonly (string | undefined)[]): Intent {
  const votes = words.map((word = '') => {
    const [producer = '', count = ''] = word.split(/=(.*)/)
    return {
      producer: parseAddress(producer, 'a vote is PRODUCER=COUNT; the producer'),
      count: wholeNumber(count, `the votes of ${producer}`, 1),
    }
  })
  return {
    type: 'VoteWitnessContract',
    value: {
      owner_address: owner.hex,
      votes: votes.map(({ count, producer }) => ({
        vote_address: producer.hex,
        vote_count: count,
      })),
    },
    runsCode: false,
    fields: votes.map(({ count, producer }) => [
      'votes for',
      `${withChecksum(producer.eth)}: ${grouped(count)}`,
    ]),
  }
}

async function requireRecord({ node }: Pick<Target, 'node'>, operation: string, body: object) {
  const answer = await node.call(operation, body)
  if (isRecord(answer)) return answer
  throw new CommandError(
    `${operation}: the answer is not an object; is --node the address of a node?`,
  )
}

async function readNative(target: Target, { hex }: AddressForms) {
  const [account, resources, contract] = await Promise.all([
    requireRecord(target, 'getaccount', { address: hex }),
    requireRecord(target, 'getaccountresource', { address: hex }),
    requireRecord(target, 'getcontractinfo', { value: hex }),
  ])
  const isContract = get(contract, 'smart_contract') !== undefined
  return { account, resources, contract: isContract ? contract : undefined }
}

async function readRpc({ rpc }: Target, { eth }: AddressForms) {
  const [balance, code, count] = await Promise.all([
    rpc.call('eth_getBalance', [eth, 'latest']),
    rpc.call('eth_getCode', [eth, 'latest']),
    // A node's own JSON-RPC does not have this method.
    rpc.call('eth_getTransactionCount', [eth, 'latest']).catch((error: unknown) => {
      if (error instanceof RpcFailure && error.code === -32601) return undefined
      throw error
    }),
  ])
  return {
    balance: scalar(balance) ?? '0x0',
    code: scalar(code) ?? '0x',
    transactionCount: scalar(count),
  }
}

function shownFields(
  rpc: Awaited<ReturnType<typeof readRpc>> | undefined,
  native: Awaited<ReturnType<typeof readNative>> | undefined,
  unit: Unit,
): [string, string][] {
  const known = native !== undefined && Object.keys(native.account).length > 0
  const code = native
    ? (scalar(get(native.contract, 'runtimecode')) ?? '')
    : (rpc?.code ?? '0x').slice(2)
  const fields: [string, string][] = known
    ? [
        ...accountFields(native.account, unit).filter(([name]) => name !== 'address'),
        ...permissionFields(native.account),
        ...resourceFields(native.resources),
      ]
    : [['balance', unit.text(BigInt(rpc?.balance ?? '0x0'))]]
  if (native !== undefined && !known)
    fields.push(['state', 'not activated: it has never received coins'])
  if (code !== '') fields.push(['code', plural(code.length / 2, 'byte')])
  const contract = get(native?.contract, 'smart_contract')
  if (isRecord(contract)) {
    const origin = shownAddress(contract['origin_address'])
    const share = scalar(contract['consume_user_resource_percent']) ?? '0'
    fields.push(['contract', scalar(contract['name']) ?? '(no name)'])
    if (origin) fields.push(['created by', origin])
    fields.push(['caller pays', `${share} % of the energy`])
  }
  if (rpc?.transactionCount !== undefined)
    fields.push(['sent here', plural(BigInt(rpc.transactionCount), 'transaction')])
  return fields
}
