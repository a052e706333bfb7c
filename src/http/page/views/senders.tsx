import { useContext } from 'hono/jsx'
import type { Address } from 'viem'

import { plural } from '../../../codec/coin.ts'
import { AddressLink, View } from './parts.tsx'

/** Whose transactions of Ethereum a visitor may send here: of every account, or of the accounts that the gateway manages. */
export type Senders = 'all' | readonly Address[]

/** Managed accounts that are named. */
const MOST = 10

/** What wallets can do here, before anything is signed. */
export function SendersNote({ senders }: { senders: Senders }) {
  const { decimals } = useContext(View)
  if (senders === 'all')
    return (
      <p class="quiet">
        Wallets of Ethereum send here for every account: this is a development chain
        {decimals === 6 && ', which accepts their signatures. So do native wallets'}.
      </p>
    )
  return (
    <div class="notice plain senders">
      <p>
        Wallets of Ethereum can <strong>read</strong> and <strong>sign messages</strong> here. The
        chain does not accept their signatures of transactions, so they can <strong>send</strong>{' '}
        only for accounts whose keys this gateway holds:{' '}
        {senders.length === 0 ? 'it holds none for you.' : `${plural(senders.length, 'account')}.`}
      </p>
      {senders.length > 0 && (
        <ul class="plain">
          {senders.slice(0, MOST).map((address) => (
            <li>
              <AddressLink address={address} />
            </li>
          ))}
          {senders.length > MOST && <li>{`and ${senders.length - MOST} more`}</li>}
        </ul>
      )}
      <p>
        <strong>Native wallets</strong> send for every account.{' '}
        <a href="/connect#native">Connect one</a>
      </p>
    </div>
  )
}
