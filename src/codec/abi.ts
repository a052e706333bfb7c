import type { Abi, AbiEvent, AbiFunction, AbiParameter, Hex } from 'viem'
import {
  decodeAbiParameters,
  decodeEventLog,
  encodeAbiParameters,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
  toFunctionSignature,
} from 'viem/utils'

import { assertDecodedSize } from './abiSize.ts'

/** A decoded call, event or error: its name, its signature, and its parameters in order with their values. */
export type Decoded = {
  kind: 'function' | 'event' | 'error'
  name: string
  signature: string
  params: { name: string; type: string; value: unknown }[]
}

/**
 * Functions, events and errors of common token, access and proxy standards, which decode without an ABI of the contract.
 * Events with the same name differ in their indexed parameters.
 */
export const STANDARD_ABI: Abi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function mint(address to, uint256 value)',
  'function burn(uint256 value)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function tokenURI(uint256 tokenId) view returns (string)',
  'function getApproved(uint256 tokenId) view returns (address)',
  'function isApprovedForAll(address owner, address operator) view returns (bool)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
  'function setApprovalForAll(address operator, bool approved)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool)',
  'function owner() view returns (address)',
  'function transferOwnership(address newOwner)',
  'function renounceOwnership()',
  'function paused() view returns (bool)',
  'function implementation() view returns (address)',
  'function upgradeTo(address newImplementation)',
  'function upgradeToAndCall(address newImplementation, bytes data) payable',
  'function multicall(bytes[] data) returns (bytes[])',
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'event Upgraded(address indexed implementation)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'error OwnableUnauthorizedAccount(address account)',
  'error OwnableInvalidOwner(address owner)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error ReentrancyGuardReentrantCall()',
  'error EnforcedPause()',
])

/** The errors of the language itself. */
const BUILT_IN: Abi = parseAbi(['error Error(string message)', 'error Panic(uint256 reason)'])

/** A function or an error: both have selectors, of the same form. */
type Selected = Extract<Abi[number], { type: 'function' | 'error' }>

/** The functions or errors whose selector the data begins with: first those of the ABI, then those of the standards. */
export function selectedBy<kind extends Selected['type']>(
  data: Hex,
  abi: Abi,
  ...kinds: readonly kind[]
): Extract<Selected, { type: kind }>[] {
  const selector = data.slice(0, 10).toLowerCase()
  return [...abi, ...STANDARD_ABI, ...BUILT_IN].filter(
    (item): item is Extract<Selected, { type: kind }> =>
      (kinds as readonly string[]).includes(item.type) &&
      toFunctionSelector(asFunction(item as Selected)) === selector,
  )
}

const asFunction = (item: Selected) => ({ ...item, type: 'function' }) as AbiFunction

/**
 * Decodes revert data: `Error(string)`, `Panic(uint256)`, or an error of the ABI; undefined for any other.
 *
 * @param most - bytes of the decoded values; undefined for more
 */
export function decodeRevert(data: Hex, abi: Abi, most = Infinity): Decoded | undefined {
  return decodeSelected('error', data, abi, most)
}

/** Decodes call data with the ABI. @param most - bytes of the decoded values; undefined for more */
export function decodeCalldata(data: Hex, abi: Abi, most = Infinity): Decoded | undefined {
  return decodeSelected('function', data, abi, most)
}

function decodeSelected(
  kind: Selected['type'],
  data: Hex,
  abi: Abi,
  most: number,
): Decoded | undefined {
  const [item] = selectedBy(data, abi, kind)
  if (!item) return undefined
  const { inputs, name } = item
  try {
    const values: Hex = `0x${data.slice(10)}`
    assertDecodedSize(inputs, values, most)
    // Without inputs, bytes behind the selector are ignored.
    return decoded(kind, name, inputs, inputs.length > 0 ? decodeAbiParameters(inputs, values) : [])
  } catch {
    return undefined
  }
}

/** The signature of the function or error whose selector the data begins with, such as `Error(string)`. */
export function signatureOf(data: Hex, abi: Abi): string | undefined {
  const [item] = selectedBy(data, abi, 'function', 'error')
  return item && toFunctionSignature(asFunction(item))
}

type Log = { topics: Hex[]; data: Hex }

/** Decodes a log with the ABI, as `matchEvent` does. */
export function decodeLog(log: Log, abi: Abi, most = Infinity): Decoded | undefined {
  const found = matchEvent(log, abi, most)
  return found && decoded('event', found.event.name, found.event.inputs, found.values)
}

/**
 * The event of a log, with its values in order. Several events may share a topic and differ in their indexed parameters, so each is
 * tried. An anonymous event has no topic that names it: the first one whose types fit, if no other event does.
 *
 * @param most - bytes of the decoded values; undefined for more
 */
export function matchEvent(
  log: Log,
  abi: Abi,
  most = Infinity,
): { event: AbiEvent; values: readonly unknown[] } | undefined {
  const events = [...abi, ...STANDARD_ABI].filter((item) => item.type === 'event')
  for (const event of events) {
    if (event.anonymous || toEventSelector(event) !== log.topics[0]) continue
    try {
      assertDecodedSize(
        event.inputs.filter(({ indexed }) => !indexed),
        log.data,
        most,
      )
      // By position, because names may be missing or equal.
      const inputs = event.inputs.map((input, index) => ({ ...input, name: `p${index}` }))
      const { args } = decodeEventLog({
        abi: [{ ...event, inputs }],
        data: log.data,
        topics: log.topics as [Hex, ...Hex[]],
        strict: true,
      })
      const values = (args ?? {}) as unknown as Record<string, unknown>
      return { event, values: inputs.map(({ name }) => values[name]) }
    } catch {
      // Same name and types, other indexed parameters: the next one may match.
    }
  }
  for (const event of events) {
    const values = event.anonymous ? anonymousValues(event, log, most) : undefined
    if (values) return { event, values }
  }
  return undefined
}

/** The values of an anonymous event in a log; undefined if another log would have the same values. */
function anonymousValues(
  { inputs }: AbiEvent,
  { data, topics }: Log,
  most: number,
): unknown[] | undefined {
  const inTopics = inputs.filter(({ indexed }) => indexed)
  if (inTopics.length !== topics.length) return undefined
  try {
    const words = inTopics.map((input, index) => {
      const topic = topics[index] as Hex
      // The topic of a value without a fixed size is its hash.
      return /^(string|bytes|tuple)$|\]$/.test(input.type) ? topic : exact([input], topic)[0]
    })
    const others = inputs.filter(({ indexed }) => !indexed)
    assertDecodedSize(others, data, most)
    const rest = exact(others, data)
    return inputs.map(({ indexed }) => (indexed ? words : rest).shift())
  } catch {
    return undefined
  }
}

/** Values whose encoding is exactly these bytes. @throws Error when there are none */
function exact(types: readonly AbiParameter[], data: Hex): unknown[] {
  const values = types.length === 0 ? [] : [...decodeAbiParameters(types, data)]
  if (encodeAbiParameters(types, values) === data.toLowerCase()) return values
  throw new Error('other bytes')
}

/** Decodes returned bytes with the outputs of a function. @throws Error when they do not fit */
export function decodeReturn(data: Hex, outputs: readonly AbiParameter[]): unknown[] {
  return [...decodeAbiParameters(outputs, data)]
}

function decoded(
  kind: Decoded['kind'],
  name: string,
  inputs: readonly AbiParameter[],
  values: readonly unknown[],
): Decoded {
  return {
    kind,
    name,
    signature: toFunctionSignature({ type: 'function', name, inputs } as AbiFunction),
    params: inputs.map((input, index) => ({
      name: input.name || String(index),
      type: input.type,
      value: values[index],
    })),
  }
}
