import type { FoundToken } from '../reads/search.ts'
import { AddressLink, Claimed, Table } from './parts.tsx'

/** Tokens that a search found. */
export function FoundTokens({ tokens }: { tokens: readonly FoundToken[] }) {
  return (
    <Table
      caption="Tokens"
      plain
      columns={['Name', 'Symbol', 'Kind', 'Contract or owner']}
      rows={tokens.map(({ contract, id, name, owner, symbol }) => [
        <Claimed text={name} />,
        <Claimed text={symbol} />,
        contract ? 'contract' : `native token ${id}`,
        contract ? <AddressLink address={contract} /> : owner && <AddressLink address={owner} />,
      ])}
    />
  )
}

/** The page for something that does not exist: what it was, and what can be searched. */
export function Nothing({ text }: { text: string }) {
  return (
    <div class="panel hero">
      <p class="sentence">{text}</p>
      <p>You can search for</p>
      <ul>
        <li>
          a block: its number, with or without separators, its hash,{' '}
          <a href="/search?q=latest">latest</a> or <a href="/search?q=finalized">finalized</a>
        </li>
        <li>a transaction: its hash</li>
        <li>an account or contract: its address as 0x…, 41… or T…</li>
        <li>a token: its name or symbol</li>
      </ul>
    </div>
  )
}
