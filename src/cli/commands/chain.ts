import { type Command, Option } from 'commander'

import type { CallFrame } from '../../codec/callFrame.ts'
import { CommandError, usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import { scalar } from '../base/json.ts'
import { blockParameter } from '../node/search.ts'
import type { Target } from '../node/target.ts'
import type { Result } from '../output/result.ts'
import { renderQuantities } from '../output/table.ts'
import { calledIn, renderTrace } from '../output/trace.ts'
import { parseAddress } from '../text/address.ts'
import { addWord } from '../words/command.ts'

type AtBlock = { block?: string }

const AT_BLOCK = ['-b, --block <block>', 'the state after this block (default latest)'] as const

/** `ethgate block`, `tx`, `balance` and other words of cast that read one thing. */
export function addChainCommands(program: Command, io: Io): void {
  addWord<{ full?: boolean; field?: string }>(program, io, {
    usage: 'block [block] [field]',
    summary: 'show a block: by number, hash or tag',
    options: [['--full', 'with its transactions']],
    examples: [
      ['ethgate block', 'the newest block'],
      ['ethgate block finalized number', 'the height of the solidified block'],
    ],
    calls: 'rpc',
    hasFields: true,
    async run({ options, target }, [block = 'latest', field]) {
      if (field !== undefined) options.field = field
      const method = isHash(block) ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
      const at = isHash(block) ? block : blockParameter(block, 'block')
      return found(await target.rpc.call(method, [at, options.full ?? false]), `block ${block}`)
    },
  })
  addWord(program, io, {
    usage: 'block-number',
    summary: 'print the height of the newest block',
    examples: [['ethgate block-number', 'such as 1024']],
    calls: 'rpc',
    run: ({ target }) => quantity(target, 'eth_blockNumber'),
  })
  addWord<{ status?: boolean }>(program, io, {
    usage: 'tx <hash> [field]',
    summary: 'show a transaction, or what became of it',
    options: [['--status', 'what became of it, and from where this is known']],
    examples: [
      [`ethgate tx 0x5c50…`, 'as Ethereum tools see it'],
      [`ethgate tx 0x5c50… value`, 'one field'],
      [`ethgate tx 0x5c50… --status`, 'such as pending, mined, expired or refused'],
    ],
    calls: 'rpc',
    hasFields: true,
    run: (task, words) =>
      byHash(
        task,
        words,
        task.options.status ? 'ethgate_transactionStatus' : 'eth_getTransactionByHash',
      ),
  })
  addWord(program, io, {
    usage: 'receipt <hash> [field]',
    summary: 'show the receipt of a transaction',
    examples: [
      [`ethgate receipt 0x5c50…`, 'the outcome, with logs'],
      [`ethgate receipt 0x5c50… status`, '1 for success'],
    ],
    calls: 'rpc',
    hasFields: true,
    run: (task, words) => byHash(task, words, 'eth_getTransactionReceipt'),
  })
  addWord(program, io, {
    usage: 'run <hash>',
    aliases: ['trace'],
    summary: 'show the calls of a transaction as a tree',
    description:
      'Shows the calls of a transaction as a tree, with decoded names: of --abi, and of the ABIs that the gateway knows. A node records them only if its configuration says so; a development chain always does.',
    options: [['--abi <file>', 'ABI, artifact or list of signatures, to decode calls']],
    examples: [[`ethgate run 0x5c50…`, 'calls, creations, reverts and energy']],
    calls: 'rpc',
    async run({ options, target }: { options: { abi?: string }; target: Target }, [hash = '']) {
      const params = [checkHash(hash), { tracer: 'callTracer' }]
      const frame = (await target.rpc.call('debug_traceTransaction', params)) as CallFrame
      const { loadAbi } = await import('../text/abi.ts')
      const abi = options.abi === undefined ? [] : await loadAbi(options.abi)
      const { knownAbis } = await import('../node/knownAbi.ts')
      const known = await knownAbis(target, calledIn(frame))
      const abiOf = (to: string | undefined) => [...abi, ...(known.get(to ?? '') ?? [])]
      const errors = [...abi, ...[...known.values()].flat()]
      return { value: frame, text: (terminal) => renderTrace(terminal, frame, { abiOf, errors }) }
    },
  })
  addWord<AtBlock & { coin?: boolean; ether?: boolean }>(program, io, {
    usage: 'balance <who>',
    summary: 'print the balance of an account',
    description:
      'Prints the balance of an account in the smallest unit of the address of --rpc-url: sun, or wei at /wei and on a chain with 18 decimals.',
    options: [AT_BLOCK, ['-e, --coin', 'in coins (cast: --ether)']],
    examples: [
      ['ethgate balance TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp', 'such as 1500000'],
      ['ethgate balance 0xdd791d6b49e190062d650e6a23c575510d35f2f9 --coin', 'such as 1.5'],
    ],
    calls: 'rpc',
    async run({ options, target }, [who = '']) {
      const amount = await quantity(target, 'eth_getBalance', account(who), state(options))
      if (!options.coin && !options.ether) return amount
      const { formatUnits } = await import('../node/viem.ts')
      return formatUnits(amount, await target.decimals())
    },
  }).addOption(new Option('--ether').hideHelp())
  addWord<AtBlock>(program, io, {
    usage: 'nonce <who>',
    summary: 'print the number of transactions that an account has sent',
    options: [AT_BLOCK],
    examples: [['ethgate nonce TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp', 'such as 7']],
    calls: 'rpc',
    run: ({ options, target }, [who = '']) =>
      quantity(target, 'eth_getTransactionCount', account(who), state(options)),
  })
  addWord<AtBlock>(program, io, {
    usage: 'code <who>',
    summary: 'print the code of a contract',
    options: [AT_BLOCK],
    examples: [['ethgate code TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', '0x… of the code, or 0x']],
    calls: 'rpc',
    run: ({ options, target }, [who = '']) =>
      text(target, 'eth_getCode', account(who), state(options)),
  })
  addWord<AtBlock>(program, io, {
    usage: 'storage <address> <slot>',
    summary: 'print a storage slot of a contract',
    options: [AT_BLOCK],
    examples: [['ethgate storage TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf 0', '32 bytes']],
    calls: 'rpc',
    run: ({ options, target }, [who = '', slot = '']) =>
      text(target, 'eth_getStorageAt', account(who), slotOf(slot), state(options)),
  })
  addWord(program, io, {
    usage: 'chain-id',
    summary: 'print the chain id',
    examples: [['ethgate chain-id', 'such as 2606882470']],
    calls: 'rpc',
    run: ({ target }) => quantity(target, 'eth_chainId'),
  })
  addWord(program, io, {
    usage: 'gas-price',
    summary: 'print the price of one unit of energy',
    description: 'Prints the price of one unit of energy, in the unit of "ethgate balance".',
    examples: [['ethgate gas-price', 'such as 420']],
    calls: 'rpc',
    run: ({ target }) => quantity(target, 'eth_gasPrice'),
  })
}

function account(who: string): string {
  return parseAddress(who, 'the account').eth
}

function state({ block = 'latest' }: AtBlock): string {
  return blockParameter(block, '--block')
}

function slotOf(slot: string): string {
  if (/^0x[0-9a-f]{1,64}$/i.test(slot)) return slot
  if (/^\d{1,78}$/.test(slot)) return `0x${BigInt(slot).toString(16)}`
  throw usageError(`the slot is a number or 0x and up to 64 hex digits, got "${slot}"`)
}

function isHash(value: string): boolean {
  return /^(0x)?[0-9a-f]{64}$/i.test(value)
}

/** The hash of a transaction; the native id has no `0x`. @throws CommandError (usage) */
function checkHash(hash: string): string {
  if (!isHash(hash)) throw usageError(`"${hash}" is not a transaction hash (64 hex digits)`)
  return `0x${hash.replace(/^0x/i, '')}`
}

async function quantity(target: Target, method: string, ...params: unknown[]): Promise<bigint> {
  return BigInt(await text(target, method, ...params))
}

async function text(target: Target, method: string, ...params: unknown[]): Promise<string> {
  const result = scalar(await target.rpc.call(method, params))
  if (result === undefined) throw new CommandError(`${method}: the answer is not text`)
  return result
}

async function byHash(
  { options, target }: { options: { field?: string }; target: Target },
  [hash = '', field]: (string | undefined)[],
  method: string,
): Promise<Result> {
  if (field !== undefined) options.field = field
  const id = checkHash(hash)
  return found(await target.rpc.call(method, [id]), `transaction ${id} in a block`)
}

function found(value: unknown, what: string): Result {
  if (value === null) throw new CommandError(`there is no ${what}`)
  return { value, text: (terminal) => renderQuantities(terminal, value) }
}
