import { grouped } from '../../codec/coin.ts'
import type { FeeQuote } from '../../sending/feeQuote.ts'
import { usageError } from '../base/errors.ts'
import type { Target } from '../node/target.ts'
import { filled } from '../output/fields.ts'
import type { Result } from '../output/result.ts'
import { renderFields } from '../output/table.ts'
import type { Intent } from './intent.ts'

/** What a call costs as a transaction that is sent now, and who pays it. @throws CommandError (usage) for a node alone */
export async function quoteOf(target: Target, { call }: Intent): Promise<Result> {
  if (target.isNodeOnly) throw usageError('--quote needs a gateway: give it with --rpc-url')
  const scale = await target.scale()
  const value = `0x${((call?.value ?? 0n) * scale).toString(16)}`
  const quote = (await target.rpc.call('ethgate_feeQuote', [{ ...call, value }])) as FeeQuote
  const unit = await target.unit()
  const coins = (amount: string) => unit.text(BigInt(amount) / scale)
  const some = (amount: string, text: string) => (BigInt(amount) > 0n ? text : undefined)
  const { bandwidth, energy, fee } = quote
  const paidBy = { coins: 'burned coins', free: 'the free points', stake: 'the stake' }
  return {
    value: quote,
    text: (terminal) =>
      renderFields(
        terminal,
        filled([
          ['fee', coins(fee.total)],
          ['safe fee limit', some(quote.feeLimit, coins(quote.feeLimit))],
          ['why', some(quote.feeLimit, quote.reason)],
          ['energy', grouped(BigInt(energy.total))],
          [
            'from the creator',
            some(energy.fromCreator, `${grouped(BigInt(energy.fromCreator))} of the energy`),
          ],
          [
            'from the stake',
            some(energy.fromSender, `${grouped(BigInt(energy.fromSender))} of the energy`),
          ],
          [
            'burned',
            some(
              energy.burned,
              `${grouped(BigInt(energy.burned))} energy for ${coins(fee.energy)}`,
            ),
          ],
          ['bandwidth', `${grouped(BigInt(bandwidth.points))} from ${paidBy[bandwidth.paidBy]}`],
          ['for bandwidth', some(fee.bandwidth, coins(fee.bandwidth))],
          ['new account', some(fee.account, coins(fee.account))],
        ]),
      ),
  }
}
