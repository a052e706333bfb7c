import type { Child } from 'hono/jsx'
import type { Address, Hash } from 'viem'

import { ago, coins, grouped, short, utc } from '../format.ts'

/** A list of names and values. */
export function FactList({ rows }: { rows: readonly (readonly [string, Child] | undefined)[] }) {
  return (
    <dl class="facts">
      {rows
        .filter((row) => row !== undefined)
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** A link to an account or contract. */
export function AddressLink({ address, full }: { address: Address; full?: boolean }) {
  return (
    <a class="hex" href={`/address/${address}`} title={address}>
      {full ? address : short(address)}
    </a>
  )
}

/** A link to a transaction. */
export function TransactionLink({ full, hash }: { hash: Hash; full?: boolean }) {
  return (
    <a class="hex" href={`/tx/${hash}`} title={hash}>
      {full ? hash : short(hash)}
    </a>
  )
}

/** A link to a block by its number. */
export function BlockLink({ number }: { number: number }) {
  return <a href={`/block/${number}`}>{grouped(number)}</a>
}

/** A time: how long ago, with the exact time beside it or in its title. @param seconds - since the epoch */
export function Time({ exact, now, seconds }: { seconds: number; now: number; exact?: boolean }) {
  // Genesis has no time.
  if (seconds === 0) return <span>genesis</span>
  const text = utc(seconds * 1_000)
  return (
    <time datetime={new Date(seconds * 1_000).toISOString()} title={text} data-ago={seconds}>
      {exact ? `${text} (${ago(now / 1_000 - seconds)} ago)` : `${ago(now / 1_000 - seconds)} ago`}
    </time>
  )
}

/** An amount in coins, with the sun in its title. */
export function Coins({ sun }: { sun: bigint }) {
  return <span title={`${grouped(sun)} sun`}>{coins(sun)}</span>
}

/** Text with a button that copies it. */
export function Copy({ label, text }: { text: string; label: string }) {
  return (
    <button type="button" class="copy" data-copy={text} aria-label={`Copy ${label}`}>
      Copy
    </button>
  )
}

/** A table that scrolls sideways on a narrow screen. */
export function Table({
  caption,
  children,
  head,
  id,
}: {
  caption: string
  head: readonly string[]
  children?: Child
  id?: string
}) {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={caption}>
      <table {...(id !== undefined && { id })}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {head.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

/** Success or failure of a transaction; pending without a receipt. */
export function Outcome({ status }: { status: string | undefined }) {
  if (status === undefined) return <span class="badge">pending</span>
  return status === '0x1' ? (
    <span class="badge good">success</span>
  ) : (
    <span class="badge bad">failed</span>
  )
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
