import type { Abi, AbiFunction, AbiParameter } from 'viem'

import { type AddressForms, parseAddress } from './address.ts'
import { parseCoins, parseUnits } from './amount.ts'
import { usageError } from './errors.ts'
import { readText } from './input.ts'
import type { Intent } from './intent.ts'
import { isRecord } from './json.ts'
import { wholeNumber } from './number.ts'

/** The options of `send` that describe the transaction. */
export type IntentOptions = {
  to?: string
  amount?: string
  token?: string
  decimals: string
  data?: string
  sig?: string
  abi?: string
  deploy?: string
  contract?: string
  percent: string
  originEnergyLimit: string
}

/**
 * The transaction that the options describe.
 *
 * @throws CommandError (usage) when options contradict each other or one is missing
 */
export async function readIntent(
  words: readonly string[],
  options: IntentOptions,
  hasCode: (address: AddressForms) => Promise<boolean>,
): Promise<Intent> {
  if (options.deploy !== undefined) return readCreation(words, options)
  if (options.to === undefined)
    throw usageError('the receiver is missing: give --to ADDRESS, or --deploy FILE')
  const to = parseAddress(options.to, '--to')
  const data = await readData(words, options)
  const token = readToken(options)
  const amount = token || options.amount === undefined ? 0n : parseCoins(options.amount, '--amount')
  if (data !== undefined) return { kind: 'call', to, data, amount, ...(token && { token }) }
  if (options.amount === undefined)
    throw usageError('the amount is missing: give --amount, such as 1.5coin')
  // Coins for a contract are sent by a call without data, because the chain rejects a transfer to a contract.
  if (await hasCode(to)) return { kind: 'call', to, data: '', amount, ...(token && { token }) }
  return token
    ? { kind: 'token transfer', to, token: token.id, amount: token.amount }
    : { kind: 'transfer', to, amount }
}

function readToken(options: IntentOptions) {
  if (options.token === undefined) return undefined
  if (!/^\d+$/.test(options.token))
    throw usageError('--token needs the id of a token, such as 1000001')
  if (options.amount === undefined)
    throw usageError('the amount is missing: give --amount in units of the token')
  const decimals = wholeNumber(options.decimals, '--decimals', 0, 6)
  return { id: options.token, amount: parseUnits(options.amount, decimals, '--amount') }
}

async function readData(
  words: readonly string[],
  options: IntentOptions,
): Promise<string | undefined> {
  if (options.sig !== undefined && options.data !== undefined)
    throw usageError('--sig and --data cannot be used together')
  if (options.sig === undefined) {
    if (words.length > 0)
      throw usageError(
        `"${words[0]}": arguments need --sig, such as --sig 'transfer(address,uint256)'`,
      )
    return options.data === undefined ? undefined : bytes(options.data, '--data')
  }
  const { loadAbi, signatures } = await import('./abi.ts')
  const { encodeCall } = await import('./arguments.ts')
  const sig = options.sig
  const abi =
    sig.includes('(') || !options.abi ? signatures([sig], '--sig') : await loadAbi(options.abi)
  const candidates = abi.filter(
    (item): item is AbiFunction =>
      item.type === 'function' && (sig.includes('(') || item.name === sig),
  )
  const item = candidates.find(({ inputs }) => inputs.length === words.length) ?? candidates[0]
  if (!item) throw usageError(`--sig ${sig}: the function is not in --abi`)
  return encodeCall(item, words).slice(2)
}

async function readCreation(words: readonly string[], options: IntentOptions): Promise<Intent> {
  if (options.to !== undefined) throw usageError('--deploy and --to cannot be used together')
  if (options.token !== undefined) throw usageError('--deploy takes no --token')
  const { loadAbi } = await import('./abi.ts')
  const { encodeConstructor } = await import('./arguments.ts')
  const artifact = await readArtifact(options.deploy ?? '', options.contract)
  const abi: Abi = artifact.abi ?? (options.abi ? await loadAbi(options.abi) : [])
  const constructor = abi.find(({ type }) => type === 'constructor')
  const inputs: readonly AbiParameter[] =
    constructor && 'inputs' in constructor ? (constructor.inputs ?? []) : []
  return {
    kind: 'creation',
    bytecode: artifact.bytecode + encodeConstructor(inputs, words).slice(2),
    abi,
    name: artifact.name.slice(0, 32),
    amount: options.amount === undefined ? 0n : parseCoins(options.amount, '--amount'),
    percent: wholeNumber(options.percent, '--percent', 0, 100),
    originEnergyLimit: BigInt(wholeNumber(options.originEnergyLimit, '--origin-energy-limit', 1)),
  }
}

type Artifact = { bytecode: string; abi: Abi | undefined; name: string }

async function readArtifact(path: string, contract: string | undefined): Promise<Artifact> {
  const text = (await readText(path, '--deploy')).trim()
  if (!text.startsWith('{'))
    return { bytecode: bytes(text, `--deploy ${path}`), abi: undefined, name: '' }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw usageError(`--deploy ${path} is not JSON: ${(error as Error).message}`)
  }
  const found = findArtifacts(json, fileName(path)).filter(
    ({ name }) => contract === undefined || name === contract,
  )
  const [artifact, other] = found
  if (!artifact) throw usageError(`--deploy ${path}: no contract with bytecode in this file`)
  if (other)
    throw usageError(
      `--deploy ${path} has several contracts; choose one with --contract: ${found.map(({ name }) => name).join(', ')}`,
    )
  return artifact
}

// Compilers write the code as text or as { object }, in `bytecode` or `evm.bytecode`, and one or several contracts to a file.
function findArtifacts(json: unknown, name: string, depth = 0): Artifact[] {
  if (!isRecord(json) || depth > 4) return []
  const evm = json['evm']
  const code = json['bytecode'] ?? (isRecord(evm) ? evm['bytecode'] : undefined)
  const text = isRecord(code) ? code['object'] : code
  if (typeof text === 'string' && text.length > 2) {
    const abi: unknown = typeof json['abi'] === 'string' ? JSON.parse(json['abi']) : json['abi']
    const named = json['contractName'] ?? json['name']
    return [
      {
        bytecode: bytes(text, `bytecode of ${name}`),
        abi: Array.isArray(abi) ? (abi as Abi) : undefined,
        name: typeof named === 'string' ? named : name,
      },
    ]
  }
  return Object.entries(json).flatMap(([key, member]) => findArtifacts(member, key, depth + 1))
}

function fileName(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? '').replace(/\.\w+$/, '')
}

function bytes(text: string, where: string): string {
  const hex = text.replace(/^0x/i, '').toLowerCase()
  if (/^([0-9a-f]{2})*$/.test(hex)) return hex
  throw usageError(
    /__\$?\w+/.test(text)
      ? `${where} has unlinked libraries: link them first`
      : `${where} needs an even number of hex digits`,
  )
}
