import type { Address } from 'viem'

import { toNativeAddress } from '../lib/address.ts'
import { RpcError } from '../lib/errors.ts'
import type { NativeClient } from '../native/client.ts'
import type { SentStore } from './sentStore.ts'

/**
 * Refuses to sign for an account of which the record has nothing although the chain shows that it has sent transactions: the record
 * may be elsewhere, such as in a file while the gateway now has Redis, or under another prefix, or it was lost while this process
 * runs. Old Ethereum transactions would be paid again. Only the operator knows whether the record is new.
 *
 * @throws RpcError `-32603`
 */
export async function assertSameRecord(
  account: Address,
  native: NativeClient,
  store: Pick<SentStore, 'counts'>,
): Promise<void> {
  const { mined, next } = await store.counts(account)
  if (mined + next > 0) return
  const address = toNativeAddress(account)
  if ((await native.wallet.getAccount({ address }))?.latest_opration_time)
    throw new RpcError(
      -32603,
      `the record of sent transactions has none of ${account}, but the chain shows that this account has sent some: if the record is elsewhere (--data-dir, --redis, --redis-prefix), use it, otherwise an old transaction could be paid again; if the gateway never sent for this account, start it once with --new-record`,
    )
}
