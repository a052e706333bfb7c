import { type Child, createContext, useContext } from 'hono/jsx'
import type { Address, Hash } from 'viem'
import { getAddress } from 'viem/utils'

import { type CoinDecimals, coinText, grouped, unitsText } from '../../../codec/coin.ts'
import { toBase58Address } from '../../../lib/address.ts'
import { relative, short, utc } from '../format.ts'
import type { NativeToken, Token } from '../reads/source.ts'

/** What every view needs: the decimals of the coin, and the time in milliseconds since 1970. */
export type ViewFacts = { decimals: CoinDecimals; now: number }

/** The facts that every view needs. */
export const View = createContext<ViewFacts>({ decimals: 6, now: 0 })

/** A row of a list of facts. */
export type Fact = readonly [name: string, value: Child]

/** A list of names and values. Rows that are false, empty or undefined are left out. */
export function FactList({ rows }: { rows: readonly (Fact | '' | false | null | undefined)[] }) {
  return (
    <dl class="facts">
      {rows
        .filter((row): row is Fact => Boolean(row))
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** A name or symbol that a stranger chose: it may claim anything, so it stands in quotes. */
export function Claimed({ text }: { text: string }) {
  return <span class="quiet">“{text}”</span>
}

/** An account or contract: its address in both formats, of which the page shows one, a copy button, and its name. */
export function AddressLink({
  address,
  full,
  name,
}: {
  address: Address
  full?: boolean | undefined
  name?: string | undefined
}) {
  const hex = getAddress(address)
  const native = toBase58Address(address)
  const shown = (text: string) => (full ? text : short(text))
  return (
    <span class="address" data-csv={hex}>
      <a class="hex" href={`/address/${hex}`} title={`${hex} ${native}`}>
        <span class="is-hex">{shown(hex)}</span>
        <span class="is-native">{shown(native)}</span>
      </a>
      <Copy text={hex} native={native} label={`address ${short(hex)}`} />
      {name && (
        <>
          {' '}
          <Claimed text={name} />
        </>
      )}
    </span>
  )
}

/** A transaction by its hash. */
export function HashLink({ full, hash }: { hash: Hash; full?: boolean }) {
  return (
    <span class="address" data-csv={hash}>
      <a class="hex" href={`/tx/${hash}`} title={hash}>
        {full ? hash : short(hash)}
      </a>
      <Copy text={hash} label={`hash ${short(hash)}`} />
    </span>
  )
}

/** A hash that leads nowhere, with its copy button. */
export function Hex({ label, text }: { text: string; label: string }) {
  return (
    <span class="address" data-csv={text}>
      <span class="hex">{text}</span>
      <Copy text={text} label={label} />
    </span>
  )
}

/** A block by its number. */
export function BlockLink({ number }: { number: number }) {
  return (
    <a class="number" href={`/block/${number}`} data-csv={number}>
      {grouped(number)}
    </a>
  )
}

/** A time: how far it is from now, and the exact time in its title or beside it. @param seconds - since the epoch */
export function Time({ exact, seconds }: { seconds: number; exact?: boolean }) {
  const { now } = useContext(View)
  // Genesis has no time.
  if (seconds === 0) return <span>genesis</span>
  const text = utc(seconds * 1_000)
  const passed = relative(now / 1_000 - seconds)
  return (
    <time
      datetime={new Date(seconds * 1_000).toISOString()}
      title={exact ? undefined : text}
      data-csv={text}
    >
      {exact ? (
        <>
          <span data-at={seconds}>{passed}</span> <span class="quiet">({text})</span>
        </>
      ) : (
        <span data-at={seconds} data-utc={text}>
          {passed}
        </span>
      )}
    </time>
  )
}

/** An amount of the coin, with the smallest unit in its title. */
export function Amount({ value }: { value: bigint }) {
  const { decimals } = useContext(View)
  return (
    <span
      class={value === 0n ? 'amount quiet' : 'amount'}
      title={`${grouped(value)} ${decimals === 18 ? 'wei' : 'sun'}`}
    >
      {coinText(value, decimals)}
    </span>
  )
}

/** The price of one unit of energy: in sun, or in gwei, rounded, where the smallest unit is wei. */
export function EnergyPrice({ value }: { value: bigint }) {
  const { decimals } = useContext(View)
  if (decimals === 6) return <>{`${grouped(value)} sun`}</>
  const rounded = (Number(value) / 1e9).toLocaleString('en', { maximumSignificantDigits: 4 })
  return <span title={`${grouped(value)} wei`}>{rounded} gwei</span>
}

/** An amount of a token with its symbol, which leads to its contract. */
export function TokenAmount({
  amount,
  contract,
  token,
}: {
  amount: bigint
  token: Token | NativeToken | undefined
  contract?: Address | undefined
}) {
  const symbol = token ? ('symbol' in token ? token.symbol : token.name) : 'units'
  const units = unitsText(amount, token?.decimals ?? 0)
  const shown = token ? <Claimed text={symbol} /> : symbol
  return (
    <span
      class="amount"
      title={`${grouped(amount)} of the smallest unit`}
      data-csv={`${units} ${symbol}`}
    >
      {units} {contract ? <a href={`/address/${getAddress(contract)}`}>{shown}</a> : shown}
    </span>
  )
}

/** A button that copies a text. `native` is copied instead while the page shows native addresses. */
export function Copy({ label, native, text }: { text: string; label: string; native?: string }) {
  return (
    <button
      type="button"
      class="copy needs-script"
      data-copy={text}
      data-copy-native={native}
      aria-label={`Copy ${label}`}
    />
  )
}

/** A column: a name, or a name with what it holds. `main` stands first on a narrow screen. */
export type Column = string | readonly [name: string, kind: 'main' | 'number']

/** Columns whose cells have a line each on a phone; of more, two share a line. */
const MOST_NARROW = 6

/** A table that becomes cards on a narrow screen and can be saved as CSV. */
export function Table({
  caption,
  columns,
  plain,
  rows,
}: {
  caption: string
  columns: readonly Column[]
  rows: readonly (readonly Child[])[]
  /** Without the button for CSV. */
  plain?: boolean
}) {
  const heads = columns.map((column) => (typeof column === 'string' ? [column, ''] : column))
  return (
    <div class={columns.length > MOST_NARROW ? 'panel table wide' : 'panel table'}>
      <table>
        <caption>
          {caption}{' '}
          {!plain && (
            <button type="button" class="link needs-script" data-csv-of={caption}>
              CSV
            </button>
          )}
        </caption>
        <thead>
          <tr>
            {heads.map(([name, kind]) => (
              <th scope="col" class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell, index) => (
                <td class={heads[index]?.[1]} data-label={heads[index]?.[0]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Success or failure of a transaction, or that it is pending. */
export function Outcome({ status }: { status: 'success' | 'failed' | 'pending' }) {
  const look = { success: 'good', failed: 'bad', pending: '' }[status]
  return <span class={`badge ${look}`}>{status}</span>
}

/** Source code to copy. */
export function Snippet({ code, label }: { code: string; label: string }) {
  return (
    <figure class="snippet">
      <figcaption>
        {label} <Copy text={code} label={`${label} code`} />
      </figcaption>
      <pre tabindex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  )
}

/** Links to the neighbours of a page of a list. */
export function Pager({ newer, older }: { newer: string | undefined; older: string | undefined }) {
  if (!newer && !older) return <></>
  return (
    <p class="pager">
      {newer && (
        <a rel="prev" href={newer}>
          ← Newer
        </a>
      )}
      {older && (
        <a rel="next" href={older}>
          Older →
        </a>
      )}
    </p>
  )
}

/** A list whose first items are open and whose others are folded. */
export function Folded({
  items,
  limit,
  noun,
}: {
  items: readonly Child[]
  limit: number
  noun: string
}) {
  const rest = items.length - limit
  return (
    <>
      {items.slice(0, limit)}
      {rest > 0 && (
        <details class="more">
          <summary>
            {grouped(rest)} more {noun}
          </summary>
          {items.slice(limit)}
        </details>
      )}
    </>
  )
}
