import type { EthereumTransaction } from '../sending/ethereumTransaction.ts'

/** The amounts of an Ethereum transaction that was signed in wei, in sun. @throws RpcError */
export function fromSigned(signed: EthereumTransaction): EthereumTransaction {
  return signed
}
