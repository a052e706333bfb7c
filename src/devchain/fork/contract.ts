import type { Contract, ContractInfo } from '../../native/wire/accountTypes.ts'
import type { ContractRecord } from '../state/model.ts'

/** Converts a node's contract record to this chain's format. */
export function readContract(
  node: Contract,
  address: string,
  { energy_factor: factor = 0 }: NonNullable<ContractInfo['contract_state']> = {},
): ContractRecord {
  return {
    address,
    origin: node.origin_address,
    name: Buffer.from(node.name ?? '').toString('hex'),
    abi: node.abi?.entrys ?? [],
    bytecode: node.bytecode ?? '',
    callValue: BigInt(node.call_value ?? 0),
    userPercent: BigInt(node.consume_user_resource_percent ?? 0),
    originEnergyLimit: BigInt(node.origin_energy_limit ?? 0),
    ...(node.trx_hash && { trxHash: node.trx_hash }),
    version: node.version ?? 0,
    ...(BigInt(factor) > 0n && { energyFactor: BigInt(factor) }),
  }
}
