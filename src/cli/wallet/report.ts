import { grouped } from '../../codec/coin.ts'
import { withChecksum } from '../../lib/address.ts'
import { CommandError, EXIT } from '../base/errors.ts'
import { failureOf } from '../base/failures.ts'
import { pause, untilInterrupt } from '../base/interrupt.ts'
import { stringify } from '../base/json.ts'
import { isTemporary } from '../base/retry.ts'
import type { Terminal } from '../base/terminal.ts'
import { filled } from '../output/fields.ts'
import { renderFields } from '../output/table.ts'
import { type AddressForms, tryAddress } from '../text/address.ts'
import type { Unit } from '../text/unit.ts'
import type { Channel, Outcome } from './channel.ts'
import type { Intent } from './intent.ts'

/** A sent transaction. */
export type Sent = {
  id: string
  intent: Intent
  owner: AddressForms
  /** Address that a deployment will have. */
  created: string | undefined
  /** Milliseconds. After this time no block can contain it. Absent if the gateway built the transaction, which expires in a minute. */
  expiration?: number
}

/**
 * Prints what was sent and its outcome.
 *
 * @throws CommandError with exit code 3 when the transaction is in a block and failed
 */
export async function report(
  terminal: Terminal,
  { created, id, intent, owner }: Sent,
  outcome: Outcome,
  unit: Unit,
): Promise<void> {
  const { block, energy, energyCost, fee, logs, receipt, success } = outcome
  const isCreation = intent.type === 'CreateSmartContract'
  const contract = isCreation ? tryAddress(outcome.contract ?? created ?? '') : undefined
  const value = {
    hash: `0x${id}`,
    ...(contract && success && { contractAddress: contract.eth }),
    status: success ? 'success' : 'failed',
    receipt,
  }
  const fields = filled([
    ['transaction', `0x${id}`],
    ['from', withChecksum(owner.eth)],
    ...intent.fields,
    ['contract', contract && success ? withChecksum(contract.eth) : undefined],
    ['result', success ? terminal.green('success') : terminal.red('failed')],
    ['block', grouped(block)],
    ['energy', grouped(energy)],
    ['fee', fee === undefined ? `at most ${unit.text(energyCost)} for energy` : unit.text(fee)],
    ['logs', String(logs)],
  ])
  await terminal.print(terminal.mode === 'json' ? stringify(value) : renderFields(terminal, fields))
  if (!success)
    throw new CommandError(
      `transaction 0x${id} is in block ${block} and failed${outcome.reason ? `: ${outcome.reason}` : ''}`,
      { exitCode: EXIT.reverted, details: { hash: `0x${id}` } },
    )
}

const POLL_MS = 500
/** Milliseconds after which a transaction expires that a gateway signs. */
const MANAGED_MS = 60_000
/** After its expiration a transaction may still be in a block that has not arrived yet. */
const GRACE_MS = 30_000

/**
 * Waits until a transaction is in a block.
 *
 * @throws CommandError when it expired, or on Ctrl-C
 */
export const waitFor = (channel: Channel, sent: Sent): Promise<Outcome> =>
  untilInterrupt(async (signal) => {
    const details = { hash: `0x${sent.id}` }
    let { expiration } = sent
    for (;;) {
      // Read before the outcome: a transaction that is not found then was in no block up to this head.
      const head = await channel.head().catch(() => undefined)
      expiration ??= head && head.time + MANAGED_MS
      const outcome = await channel.outcome(sent.id).catch((error: unknown) => {
        if (isTemporary(error)) return 'unknown'
        const { exitCode, message } = failureOf(error)
        throw new CommandError(
          `transaction 0x${sent.id} was sent, and its outcome cannot be read: ${message}`,
          { cause: error, details, exitCode },
        )
      })
      if (typeof outcome === 'object') return outcome
      if (signal.aborted)
        throw new CommandError(`sent, but not in a block yet: 0x${sent.id}`, {
          exitCode: EXIT.interrupted,
          details,
        })
      const isPast = head && expiration !== undefined && head.time > expiration + GRACE_MS
      if (isPast && outcome === undefined)
        throw new CommandError(
          `transaction 0x${sent.id} expired and is not in a block; send it again`,
          { details },
        )
      await pause(POLL_MS, signal)
    }
  })
