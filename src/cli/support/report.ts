import { type AddressForms, tryAddress } from './address.ts'
import { formatCoins, group } from './amount.ts'
import type { Channel, Outcome } from './channel.ts'
import { CommandError, EXIT } from './errors.ts'
import type { Intent } from './intent.ts'
import { onInterrupt, pause } from './interrupt.ts'
import { stringify } from './json.ts'
import { isTemporary } from './retry.ts'
import { renderFields } from './table.ts'
import type { Terminal } from './terminal.ts'

/** A sent transaction. */
export type Sent = {
  id: string
  intent: Intent
  owner: AddressForms
  /** Address that a deployment will have. */
  created: string | undefined
  /** Milliseconds. After this time no block can contain it. An estimate when the gateway built the transaction. */
  expiration: number
}

/**
 * Prints what was sent and, after waiting, its outcome.
 *
 * @throws CommandError with exit code 3 when the transaction is in a block and failed
 */
export async function report(
  terminal: Terminal,
  sent: Sent,
  outcome: Outcome | undefined,
): Promise<void> {
  const { intent, owner } = sent
  const created = tryAddress(outcome?.contract ?? sent.created ?? '')
  const contract = intent.kind === 'creation' ? created : undefined
  if (terminal.mode === 'json')
    await terminal.print(
      stringify({
        hash: `0x${sent.id}`,
        ...(contract && { contractAddress: contract.eth }),
        ...(outcome && {
          status: outcome.success ? 'success' : 'failed',
          receipt: outcome.receipt,
        }),
      }),
    )
  else
    await terminal.print(
      renderFields(terminal, [
        ['transaction', sent.id],
        ['from', owner.base58],
        ...intentFields(intent),
        ...(contract
          ? [['contract', `${contract.base58} ${contract.eth}`] as [string, string]]
          : []),
        ...(outcome ? outcomeFields(terminal, outcome) : []),
      ]),
    )
  if (outcome && !outcome.success)
    throw new CommandError(
      `transaction ${sent.id} is in block ${outcome.block} and failed${outcome.reason ? `: ${outcome.reason}` : ''}`,
      { exitCode: EXIT.reverted, details: { hash: `0x${sent.id}` } },
    )
}

function intentFields(intent: Intent): [string, string][] {
  if (intent.kind === 'creation') return [['deploys', intent.name || 'a contract']]
  if (intent.kind === 'token transfer')
    return [
      ['to', intent.to.base58],
      ['amount', `${group(intent.amount)} of token ${intent.token}`],
    ]
  return [
    ['to', intent.to.base58],
    ['amount', formatCoins(intent.amount)],
  ]
}

function outcomeFields(terminal: Terminal, outcome: Outcome): [string, string][] {
  return [
    ['result', outcome.success ? terminal.green('success') : terminal.red('failed')],
    ['block', group(outcome.block)],
    ['energy', group(outcome.energy)],
    ...(outcome.fee === undefined
      ? []
      : [['fee burned', formatCoins(outcome.fee)] as [string, string]]),
    ['logs', String(outcome.logs)],
  ]
}

const POLL_MS = 500
/** After its expiration a transaction may still be in a block that has not arrived yet. */
const GRACE_MS = 30_000

/**
 * Waits until a transaction is in a block.
 *
 * @throws CommandError when it expired, or on Ctrl-C
 */
export async function waitFor(channel: Channel, sent: Sent): Promise<Outcome> {
  const interrupt = onInterrupt()
  try {
    for (;;) {
      const outcome = await channel.outcome(sent.id).catch((error: unknown) => {
        if (isTemporary(error)) return undefined
        throw error
      })
      if (outcome) return outcome
      if (interrupt.signal.aborted)
        throw new CommandError(`sent, but not in a block yet: ${sent.id}`, {
          exitCode: EXIT.interrupted,
          details: { hash: `0x${sent.id}` },
        })
      const head = await channel.head().catch(() => undefined)
      if (head && head.time > sent.expiration + GRACE_MS)
        throw new CommandError(
          `transaction ${sent.id} expired and is not in a block; send it again`,
          {
            details: { hash: `0x${sent.id}` },
          },
        )
      await pause(POLL_MS, interrupt.signal)
    }
  } finally {
    interrupt.release()
  }
}
