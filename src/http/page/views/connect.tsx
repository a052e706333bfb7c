import { useContext } from 'hono/jsx'
import type { Address } from 'viem'

import type { ChainWords } from '../../../rpc/openrpc/chainJson.ts'
import { connectSnippets, walletChain } from '../snippets.ts'
import { AddressLink, Copy, FactList, Snippet, Table, View } from './parts.tsx'
import { type Senders, SendersNote } from './senders.tsx'
import { Words } from './words.tsx'

/** A funded account of the development chain. Its key is public. */
export type DevAccount = { address: Address; key: string }

/** How to connect wallets and programs; on the development chain also accounts and controls. */
export function Connect({
  chain,
  dev,
  origin,
  senders,
}: {
  chain: ChainWords
  dev: readonly DevAccount[] | undefined
  origin: string
  senders: Senders
}) {
  const { decimals } = useContext(View)
  const wei = `${origin}/wei`
  return (
    <>
      <section aria-labelledby="wallet">
        <h2 id="wallet">Wallets of Ethereum</h2>
        <SendersNote senders={senders} />
        <p>
          Wallets count the coin with 18 decimals. They use the address that ends in{' '}
          <code>/wei</code>
          {decimals === 18
            ? '. On this chain the coin has 18 decimals everywhere.'
            : ', which converts amounts exactly.'}
        </p>
        <div id="wallets" data-chain={JSON.stringify(walletChain(chain, origin))}>
          <p>
            No wallet was found in this browser. Install one, or add the network by hand with the
            values below.
          </p>
        </div>
        <p id="wallet-answer" role="status"></p>
        <FactList
          rows={[
            ['Network name', chain.name],
            [
              'RPC URL',
              <>
                <code>{wei}</code> <Copy text={wei} label="RPC URL" />
              </>,
            ],
            [
              'Chain id',
              <>
                <code>{chain.id}</code> <Copy text={String(chain.id)} label="chain id" />
              </>,
            ],
            ['Currency symbol', chain.symbol],
            ['Block explorer URL', <code>{origin}</code>],
          ]}
        />
      </section>
      {decimals === 6 && <NativeSection />}
      <section aria-labelledby="programs">
        <h2 id="programs">Programs</h2>
        <p>
          At <code>{origin}</code>{' '}
          {decimals === 18
            ? 'amounts are in wei: one coin is 10^18 wei.'
            : 'amounts are in sun, the smallest unit of the coin: one coin is 1,000,000 sun.'}{' '}
          WebSocket: <code>{origin.replace(/^http/, 'ws')}</code>
        </p>
        {connectSnippets(origin, chain, decimals).map(({ code, label }) => (
          <Snippet code={code} label={label} />
        ))}
      </section>
      {dev && <DevSection accounts={dev} />}
      <Words />
    </>
  )
}

/** Native wallets: connect one and send coins. The client script fills it. */
function NativeSection() {
  return (
    <section aria-labelledby="native" class="needs-script">
      <h2 id="native">Native wallets</h2>
      <p>
        Wallets of this chain sign its own transactions, so they send for every account. This
        gateway builds the transaction, your browser compares it with what you entered, the wallet
        signs it, and the gateway passes it on.
      </p>
      <p id="native-wallets" class="inline">
        <span class="quiet">No native wallet was found in this browser.</span>
      </p>
      <form id="native-transfer" class="panel fold inline" hidden>
        <label for="native-to">To</label>
        <input id="native-to" name="to" required autocomplete="off" spellcheck={false} />
        <label for="native-coins">Coins</label>
        <input id="native-coins" name="coins" inputmode="decimal" required autocomplete="off" />
        <button type="submit">Send</button>
      </form>
      <output id="native-answer"></output>
    </section>
  )
}

const CONTROLS = [
  { label: 'Mine one block', method: 'evm_mine', params: '[]' },
  { label: 'Take a snapshot', method: 'evm_snapshot', params: '[]' },
] as const

function DevSection({ accounts }: { accounts: readonly DevAccount[] }) {
  return (
    <section aria-labelledby="dev">
      <h2 id="dev">Development chain</h2>
      <p class="notice">
        These keys are public. Never send anything of value to these accounts on another chain.
      </p>
      <Table
        caption="Funded accounts"
        columns={['Account', 'Private key']}
        rows={accounts.map(({ address, key }, index) => [
          <AddressLink address={address} full />,
          <>
            <span class="hex">{key}</span> <Copy text={key} label={`key of account ${index}`} />
          </>,
        ])}
      />
      <div class="panel fold needs-script">
        <h3>Faucet</h3>
        <form id="faucet" class="inline">
          <label for="faucet-address">Address</label>
          <input id="faucet-address" name="address" required autocomplete="off" />
          <label for="faucet-coins">Coins</label>
          <input id="faucet-coins" name="coins" inputmode="numeric" value="1000" required />
          <button type="submit">Add coins</button>
        </form>
        <h3>Chain</h3>
        <div class="inline">
          {CONTROLS.map(({ label, method, params }) => (
            <button type="button" data-control={method} data-params={params}>
              {label}
            </button>
          ))}
          <form class="inline" data-control-form="evm_revert">
            <label for="snapshot">Snapshot</label>
            <input id="snapshot" name="value" value="0x1" size={6} required />
            <button type="submit">Revert</button>
          </form>
          <form class="inline" data-control-form="evm_increaseTime">
            <label for="seconds">Seconds</label>
            <input id="seconds" name="value" value="3600" size={6} required />
            <button type="submit">Increase time</button>
          </form>
        </div>
        <p id="control-answer" role="status"></p>
      </div>
    </section>
  )
}
