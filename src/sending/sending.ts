import type { Address, Hash, Hex } from 'viem'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import type { Head, HeadBlock } from '../chain/head/headTypes.ts'
import { transactionParties } from '../codec/transaction.ts'
import type { Unit } from '../codec/unit.ts'
import type { Spender } from '../lib/spender.ts'
import { createContracts, predictedAddressError, type PredictedAddresses } from './contracts.ts'
import {
  type EthereumTransaction,
  looksLikeEthereum,
  readEthereumTransaction,
} from './ethereumTransaction.ts'
import { createFollow } from './follow.ts'
import type { ManagedKeys } from './keys.ts'
import { createNodeLooks, type OneNode } from './nodeLooks.ts'
import { readNativeTransaction } from './readNative.ts'
import { notManagedError } from './refusals.ts'
import { toId } from './sentStore.ts'
import { signedBy } from './signatures.ts'
import { createSigning, type Signed, type SendRequest } from './signing.ts'
import { createSubmission } from './submission.ts'

/** Sends, signs and counts transactions for methods. */
export type Sending = ReturnType<typeof createSending>

/** Creates the service that sends for managed accounts and broadcasts signed transactions. */
export function createSending(options: createSending.Options) {
  const {
    chain,
    head,
    keys,
    native,
    predictedAddresses = 'refuse',
    resends = true,
    store,
  } = options
  const { nodes = () => [{ name: undefined, native }] } = options
  const contracts = createContracts(store, predictedAddresses)
  const signing = createSigning({ ...options, contracts })
  const submission = createSubmission({ ...options, contracts, sign: signing.sign })
  const follow = createFollow({
    ...options,
    contracts,
    resend: async (id) => resends && submission.resend(id),
  })

  async function sendNative(raw: Hex): Promise<Hash> {
    const transaction = readNativeTransaction(raw)
    const [signedFor] = contracts.inData(transactionParties(transaction, undefined).input).replaced
    // A signed transaction cannot be changed.
    if (signedFor) throw predictedAddressError(signedFor, 'rewrite')
    const signed: Signed = { id: `0x${transaction.txID}`, hex: raw.slice(2), transaction }
    return submission.submitSigned(signed, () => signedBy(transaction, native))
  }

  async function sendEthereum(signed: EthereumTransaction, spender?: Spender): Promise<Hash> {
    // A key may have been removed since the transaction was sent.
    if (!keys.keyOf(signed.from) && !(await store.find(signed.hash)))
      throw notManagedError(signed.from)
    await submission.submit({ ...signed, spender }, signed.hash)
    return signed.hash
  }

  /** The next nonce of an account after the mined transactions that were sent through the gateway, or after the pending ones too. */
  async function count(account: Address, at: 'mined' | 'pending'): Promise<number> {
    const from = account.toLowerCase() as Address
    if (at === 'pending') return (await store.counts(from)).next
    // A client may have read receipts of a block before the head listener handled it.
    for (const id of await store.unfinished({ from, limit: 100 })) {
      const block = head.blockWith(id)
      if (block) await store.change(id, { event: 'seen', block: toId(block) })
    }
    return (await store.counts(from)).mined
  }

  return {
    keys,
    /**
     * Sends signed bytes: a native transaction unchanged, or an Ethereum transaction of a managed account, for which the gateway signs a
     * native one.
     *
     * @param unit - the unit of the amounts of an Ethereum transaction, which is the unit of the client's endpoint.
     * @param spender - who asks; absent for this process.
     * @returns the hash by which the sender finds the transaction.
     */
    async sendRaw(raw: Hex, unit: Unit, spender?: Spender): Promise<Hash> {
      if (!looksLikeEthereum(raw)) return sendNative(raw)
      return sendEthereum(await readEthereumTransaction(raw, chain.id, unit), spender)
    },
    sendManaged: (request: SendRequest) => submission.submit(request),
    sign: (request: SendRequest) => submission.sign(request),
    /** Fills in absent fields, for `eth_fillTransaction`. */
    fill: (request: SendRequest) => signing.fill(request, (account) => count(account, 'pending')),
    count,
    /** The sent transaction with a native id or an Ethereum hash. */
    find: (hash: Hash) => store.find(hash),
    /** How a transaction ended that was sent through the gateway and that is in no block. */
    ending: (hash: Hash) => store.ending(hash),
    /** The newest block with a transaction that a reorg removed; undefined when none is known. */
    orphanWith: (transaction: Hash): HeadBlock | undefined =>
      [...(head.window()?.orphans.values() ?? [])].findLast(({ transactions }) =>
        transactions.includes(transaction),
      ),
    /** What each node has of a transaction. */
    lookAtNodes: createNodeLooks(head, nodes),
    /** The contract address for a predicted address. Any other address is returned unchanged. */
    contractAt: contracts.resolve,
    /** Data or a topic without predicted addresses. @throws RpcError `-32000` */
    inData: (data: Hex): Hex => contracts.inData(data).data,
    /** Whether predicted addresses in data are replaced. Receipts then list them. */
    rewritesPredicted: predictedAddresses === 'rewrite',
    /** Starts to follow sent transactions until they are mined or expire. */
    start: () => follow.start(),
    stop: () => follow.stop(),
  }
}

export declare namespace createSending {
  type Options = Omit<
    createFollow.Options & createSigning.Options & createSubmission.Options,
    'contracts' | 'resend' | 'sign'
  > & {
    chain: Pick<Chain, 'id'>
    head: Pick<Head, 'latest'>
    keys: ManagedKeys
    /** Each node that serves the chain. @default one without a name */
    nodes?: () => OneNode[]
    /** @default 'refuse' */
    predictedAddresses?: PredictedAddresses
    /**
     * Whether a transaction is broadcast again when its block was removed. A chain in this process goes back because its user wants
     * it. @default true
     */
    resends?: boolean
  }
}
