import type { Common } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import type { EVM, EVMOpts, Message } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'

import { reading } from '../missing.ts'
import { speedUp } from './interpreter.ts'

/** What one run brings to an EVM that is used again. */
export type Attachment = {
  stateManager: EVM['stateManager']
  blockchain: EVM['blockchain']
  /** The address of a contract that a message creates. */
  addressOf: (message: Message) => Address
}

/** The parts of the EVM that its types keep private, with what is done to them. */
type Internals = {
  transientStorage: { clear(): void }
  journal: { stateManager: EVM['stateManager']; cleanJournal(): void }
}

/** An EVM that runs on one state after another. Building one takes longer than most runs. */
export type ReusableEvm = {
  evm: EVM
  /** Prepares for one run. Listeners of the last one are gone. */
  attach(attachment: Attachment): void
}

/** Builds an EVM. @param options - all but state and blockchain, which come with each run */
export async function createReusableEvm(
  options: EVMOpts & { common: Common },
): Promise<ReusableEvm> {
  const evm = await createEVM(options)
  await speedUp(evm)
  const internals = evm as unknown as Internals
  let attached: Attachment | undefined
  // Where the EVM derives the address of a new contract from a nonce, a run may derive it in another way.
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
      internals.transientStorage.clear()
    },
  }
}
