import type { Abi, Address, Hex } from 'viem'

import type { Source } from '../reads/source.ts'
import { type Actions, addressIn, ApiError, type Query } from './query.ts'

/** What a contract without a known ABI is called. */
const NOT_VERIFIED = 'Contract source code not verified'

/** Contracts of one `getcontractcreation`. */
const MOST_CONTRACTS = 5

/** Tools ask for the state of this id. It names the contract, so nothing has to be kept. */
const receiptOf = (address: Address) => address.slice(2)

/** The module `contract`: from the ABI on the chain, and the build folders that the operator named. */
export const contract: Actions = {
  async getabi(query, source) {
    const { abi } = await source.contract(addressIn(query))
    if (abi.length === 0) throw new ApiError(NOT_VERIFIED)
    return JSON.stringify(abi)
  },

  async getsourcecode(query, source) {
    const address = addressIn(query)
    const [{ abi, name }, compilation] = await Promise.all([
      source.contract(address),
      source.compilation(address),
    ])
    const { evmVersion, optimizer = {} } = compilation?.input.settings ?? {}
    return [
      {
        // Two braces: tools read the JSON input of a compiler inside them.
        SourceCode: compilation ? `{${JSON.stringify(compilation.input)}}` : '',
        ABI: abi.length === 0 ? NOT_VERIFIED : JSON.stringify(abi),
        ContractName: name ?? '',
        CompilerVersion: compilation ? `v${compilation.compiler.replace(/^v/, '')}` : '',
        OptimizationUsed: optimizer.enabled ? '1' : '0',
        Runs: String(optimizer.runs ?? 0),
        ConstructorArguments: '',
        EVMVersion: evmVersion ?? 'Default',
        Library: '',
        LicenseType: '',
        Proxy: '0',
        Implementation: '',
        SwarmSource: '',
      },
    ]
  },

  async getcontractcreation(query, source) {
    const addresses = (query('contractaddresses') ?? '').split(',')
    if (addresses.length > MOST_CONTRACTS)
      throw new ApiError(`Error! At most ${MOST_CONTRACTS} contracts`)
    const found = await Promise.all(
      addresses.map(async (text) => {
        const contractAddress = addressIn(() => text)
        const creation = await source.ask<{ hash: Hex; creator: Address } | null>(
          'ots_getContractCreator',
          contractAddress,
        )
        return (
          creation && {
            contractAddress,
            contractCreator: creation.creator,
            txHash: creation.hash,
          }
        )
      }),
    )
    const known = found.filter((one) => one !== null)
    if (known.length === 0) throw new ApiError('No data found')
    return known
  },

  /** Compares nothing: there is no compiler here. A contract whose ABI is known counts as verified. */
  async verifysourcecode(query, source) {
    const address = await deployed(query, source)
    if (await isKnown(address, source)) throw new ApiError('Contract source code already verified')
    return receiptOf(address)
  },

  async checkverifystatus(query, source) {
    const address = addressIn(
      (name) => (name === 'guid' ? `0x${query('guid') ?? ''}` : undefined),
      'guid',
    )
    if (await isKnown(address, source)) return 'Pass - Verified'
    throw new ApiError('Fail - Unable to verify')
  },
}

/** The contract that a request wants to verify. @throws ApiError when there is none */
async function deployed(query: Query, source: Source): Promise<Address> {
  const address = addressIn(query, 'contractaddress')
  const code = await source.ask<Hex>('eth_getCode', address, 'latest')
  if (code === '0x') throw new ApiError(`Unable to locate ContractCode at ${address}`)
  return address
}

async function isKnown(address: Address, source: Source): Promise<boolean> {
  const { abi }: { abi: Abi } = await source.contract(address)
  return abi.length > 0
}
