import type { Address, Hash, Hex } from 'viem'
import { keccak256, parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils'

import { RpcError } from '../errors.ts'

/** What a wallet signed for Ethereum: legacy, EIP-2930 or EIP-1559. Amounts in the unit that the wallet was shown. */
export type EthereumTransaction = {
  /** Keccak-256 of the signed bytes: the hash that the wallet knows. */
  hash: Hash
  /** Recovered from the signature. */
  from: Address
  /** Absent when a contract is created. */
  to?: Address
  value: bigint
  data: Hex
  gas: bigint
  /** For EIP-1559 the most that is paid: `maxFeePerGas`. */
  gasPrice: bigint
  nonce: number
}

/** Whether bytes begin like an Ethereum transaction: a type byte, or the list of a legacy one. */
export function looksLikeEthereum(raw: Hex): boolean {
  const first = Number.parseInt(raw.slice(2, 4), 16)
  return (first >= 0x01 && first <= 0x04) || first >= 0xc0
}

/**
 * Reads a signed Ethereum transaction and recovers who signed it. Access lists are of no meaning here and are ignored.
 *
 * @throws RpcError `-32000`: not readable, unsigned, of another type, without replay protection, or for another chain.
 */
export async function readEthereumTransaction(
  raw: Hex,
  chainId: number,
): Promise<EthereumTransaction> {
  const parsed = parse(raw)
  if (parsed.type === 'eip4844' || parsed.type === 'eip7702')
    throw new RpcError(-32000, `transaction type not supported: ${parsed.type}`)
  if (parsed.chainId === undefined)
    throw new RpcError(-32000, 'only replay-protected (EIP-155) transactions allowed over RPC')
  if (parsed.chainId !== chainId)
    throw new RpcError(
      -32000,
      `invalid chain id for signer: have ${parsed.chainId} want ${chainId}`,
    )
  const from = await recover(parsed)
  const gasPrice = 'maxFeePerGas' in parsed ? parsed.maxFeePerGas : parsed.gasPrice
  return {
    hash: keccak256(raw),
    from: from.toLowerCase() as Address,
    ...(parsed.to && { to: parsed.to.toLowerCase() as Address }),
    value: parsed.value ?? 0n,
    data: parsed.data ?? '0x',
    gas: parsed.gas ?? 0n,
    gasPrice: gasPrice ?? 0n,
    nonce: parsed.nonce ?? 0,
  }
}

function parse(raw: Hex) {
  try {
    return parseTransaction(raw)
  } catch (cause) {
    throw new RpcError(-32000, 'the signed Ethereum transaction cannot be decoded', { cause })
  }
}

async function recover(parsed: ReturnType<typeof parseTransaction>): Promise<Address> {
  const { r, s, v, yParity, ...unsigned } = parsed
  try {
    if (r === undefined || s === undefined) throw new Error('the transaction is not signed')
    const signature = { r, s, ...(yParity === undefined ? { v: v ?? 0n } : { yParity }) }
    return await recoverAddress({ hash: keccak256(serializeTransaction(unsigned)), signature })
  } catch (cause) {
    throw new RpcError(-32000, 'invalid sender: no account can be recovered from the signature', {
      cause,
    })
  }
}
