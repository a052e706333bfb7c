import type { Common } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import type { EVM, EVMOpts, Message } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'
import type { AccessList } from 'viem'

import { reading } from '../state/missing.ts'
import { speedUp } from './interpreter.ts'

/** The inputs of one run on a reused EVM. */
export type Attachment = {
  stateManager: EVM['stateManager']
  blockchain: EVM['blockchain']
  /** The address of a contract that a message creates. */
  addressOf: (message: Message) => Address
  /** Accounts and slots whose first access is as cheap as a later one (EIP-2929). */
  warm?: AccessList
}

/** The private parts of the EVM that this file changes. */
type Internals = {
  transientStorage: { clear(): void }
  journal: {
    stateManager: EVM['stateManager']
    cleanJournal(): void
    addAlwaysWarmAddress(address: string): void
    addAlwaysWarmSlot(address: string, slot: string): void
  }
}

/** An EVM that runs on one state after another. Building one takes longer than most runs. */
export type ReusableEvm = {
  evm: EVM
  /** Prepares the EVM for one run and removes the listeners of the previous one. */
  attach(attachment: Attachment): void
}

/** Creates an EVM. @param options - without state and blockchain, which each run sets */
export async function createReusableEvm(
  options: EVMOpts & { common: Common },
): Promise<ReusableEvm> {
  const evm = await createEVM(options)
  await speedUp(evm)
  const internals = evm as unknown as Internals
  let attached: Attachment | undefined
  // A run may replace the EVM's rule for the address of a new contract.
  Object.defineProperty(evm, '_generateAddress', {
    value: async (message: Message) => reading(() => (attached as Attachment).addressOf(message)),
  })
  return {
    evm,
    attach(attachment) {
      attached = attachment
      evm.stateManager = attachment.stateManager
      evm.blockchain = attachment.blockchain
      evm.events.removeAllListeners()
      internals.journal.stateManager = attachment.stateManager
      internals.journal.cleanJournal()
      for (const { address, storageKeys } of attachment.warm ?? []) {
        internals.journal.addAlwaysWarmAddress(address.toLowerCase())
        for (const slot of storageKeys)
          internals.journal.addAlwaysWarmSlot(address.toLowerCase(), slot.toLowerCase())
      }
      internals.transientStorage.clear()
    },
  }
}
