import { EMPTY_TRIE_ROOT, ZERO_HASH } from '../../codec/block.ts'
import type { ForkMembers } from '../../native/wire/types.ts'
import { type Hardfork, hasRulesOf } from '../state/hardforks.ts'

/** `requestsHash` of a block without requests: SHA-256 of no bytes (EIP-7685). */
const NO_REQUESTS = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** The members that the hardforks of Ethereum up to a given one have added to blocks. */
export const forkMembers = (hardfork: Hardfork): ForkMembers => ({
  ...(hasRulesOf(hardfork, 'shanghai') && { withdrawals: [], withdrawalsRoot: EMPTY_TRIE_ROOT }),
  ...(hasRulesOf(hardfork, 'cancun') && {
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: ZERO_HASH,
  }),
  ...(hasRulesOf(hardfork, 'prague') && { requestsHash: NO_REQUESTS }),
})
