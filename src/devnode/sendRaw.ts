import { setTimeout as sleep } from 'node:timers/promises'

import type { Hex } from 'viem'
import { parseTransaction } from 'viem/utils'

import { type AnyMethod, defineMethod } from '../jsonrpc/method.ts'
import { eth_sendRawTransaction } from '../methods/eth_sendRawTransaction.ts'
import { looksLikeEthereum } from '../sending/ethereumTransaction.ts'

/**
 * ethers 6 keeps every answer for 250 ms, transaction counts too. On a chain that mines at once the receipt is there sooner, and
 * the next send of the same wallet takes the nonce that was used just now.
 */
const REMEMBERED = 250

/**
 * `eth_sendRawTransaction`, answered no sooner than a wallet has forgotten the count that it asked for. Plain transfers, which
 * are sent by the thousand, and native transactions, which have no nonce, are answered at once.
 */
export const patientSendRaw: AnyMethod = defineMethod({
  ...eth_sendRawTransaction,
  async handler(context, [raw]: readonly [Hex]) {
    const forgotten = sleep(callsContract(raw) ? REMEMBERED : 0)
    const hash = await eth_sendRawTransaction.handler(context, [raw])
    await forgotten
    return hash
  },
})

function callsContract(raw: Hex): boolean {
  if (!looksLikeEthereum(raw)) return false
  try {
    return parseTransaction(raw).data !== undefined
  } catch {
    // Unreadable bytes are refused by the method itself.
    return false
  }
}
