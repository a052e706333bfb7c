import type { Address } from 'viem'
import { getAddress } from 'viem/utils'

import { grouped } from '../../../codec/coin.ts'
import type { EventPage } from '../reads/events.ts'
import { BlockLink, HashLink, Pager, Time } from './parts.tsx'
import { Log } from './transaction.tsx'

/** The events of a contract, all or those of one name or first topic. */
export function Events({
  address,
  name,
  page: { events, names, newer, older, searched, token },
}: {
  address: Address
  name: string | undefined
  page: EventPage
}) {
  const all = `/address/${getAddress(address)}?tab=events`
  const link = name ? `${all}&event=${encodeURIComponent(name)}` : all
  return (
    <>
      <nav class="tabs" aria-label="Names">
        <a href={all} {...(!name && { 'aria-current': 'page' })}>
          All
        </a>
        {names.map((one) => (
          <a href={`${all}&event=${one}`} {...(one === name && { 'aria-current': 'page' })}>
            {one}
          </a>
        ))}
      </nav>
      <form class="inline" action={`/address/${getAddress(address)}`}>
        <input type="hidden" name="tab" value="events" />
        <label for="topic">Name or first topic</label>
        <input id="topic" name="event" value={name} autocomplete="off" spellcheck={false} />
        <button type="submit">Filter</button>
      </form>
      <h2>{name ? `Events ${name}` : 'Events'}</h2>
      {events.length === 0 && <p class="empty">No such events in these blocks.</p>}
      {events.map((read) => (
        <>
          <p class="quiet">
            <Time seconds={Number(read.log.blockTimestamp)} /> in block{' '}
            <BlockLink number={Number(read.log.blockNumber)} />,{' '}
            <HashLink hash={read.log.transactionHash} />
          </p>
          <Log read={read} token={token} />
        </>
      ))}
      <p class="quiet">
        {`Blocks ${grouped(searched.from)} to ${grouped(searched.to)} were searched.`}
      </p>
      <Pager newer={newer && `${link}&after=${newer}`} older={older && `${link}&before=${older}`} />
    </>
  )
}
