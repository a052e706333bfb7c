import { grouped, plural } from '../../../codec/coin.ts'
import type { Health } from '../../health.ts'
import type { Home as HomeFacts } from '../reads/home.ts'
import type { LastHour } from '../reads/lastHour.ts'
import { bars } from '../sparkline.ts'
import { AddressLink, BlockLink, EnergyPrice, HashLink, Outcome, Pager, Time } from './parts.tsx'
import { Action, Moved, Party } from './rows.tsx'

/** The start page. The client script replaces it as a whole at each new head. */
export function Home({
  before,
  health,
  home,
  hour,
}: {
  /** The last block that is shown, if it is not the head. */
  before: number | undefined
  health: Health
  home: HomeFacts
  hour: LastHour
}) {
  const { blocks, energyPrice, head, solid, transactions } = home
  const behind = head - solid
  const oldest = blocks.at(-1)?.number ?? 0
  return (
    <div data-live={before === undefined ? 'home' : undefined}>
      {health.reasons.length > 0 && (
        <p class="notice" role="status">
          {health.reasons.join('. ')}. <a href="/state">See the state</a>
        </p>
      )}
      <section class="panel figures" aria-label="Chain">
        <dl>
          <div>
            <dt>Newest block</dt>
            <dd>
              <a href={`/block/${head}`}>{grouped(head)}</a>
            </dd>
          </div>
          <div>
            <dt>Solidified</dt>
            <dd>
              <a href={`/block/${solid}`}>{grouped(solid)}</a>
              <small>{behind === 0 ? 'up to the newest' : `${grouped(behind)} behind`}</small>
            </dd>
          </div>
          <div>
            <dt>Transactions</dt>
            <dd>
              {hour.perSecond === undefined ? 'unknown' : rate(hour.perSecond)}
              <small>per second</small>
            </dd>
          </div>
          <div>
            <dt>Energy price</dt>
            <dd>
              <EnergyPrice value={energyPrice} />
              <small>per unit</small>
            </dd>
          </div>
        </dl>
        <figure>
          <figcaption>Transactions a minute, last hour</figcaption>
          <svg
            viewBox="0 0 240 56"
            preserveAspectRatio="none"
            role="img"
            aria-label={`Transactions a minute in the last hour, at most ${grouped(most(hour))}`}
          >
            <path class="bars" d={bars(hour.points, 240, 56)} />
          </svg>
          <p class="axis" aria-hidden="true">
            <span>1 h ago</span> <span>highest {grouped(most(hour))}</span> <span>now</span>
          </p>
        </figure>
      </section>
      <div class="columns">
        <section class="panel" aria-labelledby="blocks">
          <h2 id="blocks">{before === undefined ? 'Latest blocks' : 'Blocks'}</h2>
          <ul class="list">
            {blocks.map(({ count, number, producer, time }) => (
              <li>
                <span class="tile">
                  <BlockLink number={number} />
                  <small>
                    <Time seconds={time} />
                  </small>
                </span>
                <span class="grow">
                  {count === 0 ? (
                    <span class="quiet">no transactions</span>
                  ) : (
                    <a href={`/block/${number}`}>{plural(count, 'transaction')}</a>
                  )}
                  <small>by {number === 0 ? 'genesis' : <AddressLink address={producer} />}</small>
                </span>
                {number > solid ? (
                  <span class="badge">not final</span>
                ) : (
                  <span class="badge good">final</span>
                )}
              </li>
            ))}
          </ul>
        </section>
        <section class="panel" aria-labelledby="transactions">
          <h2 id="transactions">{before === undefined ? 'Latest transactions' : 'Transactions'}</h2>
          {transactions.length === 0 && <p class="empty">No transactions in the newest blocks.</p>}
          <ul class="list">
            {transactions.map((row) => (
              <li>
                <span class="tile">
                  <HashLink hash={row.hash} />
                  <small>
                    <Time seconds={row.time} />
                  </small>
                </span>
                <span class="grow">
                  <span>
                    <Action name={row.action} />
                    {row.status === 'failed' && <Outcome status="failed" />}
                  </span>
                  <small>
                    <Party address={row.from} />
                    {row.to && (
                      <>
                        {' '}
                        <span class="together">
                          <span aria-label="to">→</span>{' '}
                          <Party address={row.to} name={row.toName} />
                        </span>
                      </>
                    )}
                  </small>
                </span>
                <Moved row={row} />
              </li>
            ))}
          </ul>
        </section>
      </div>
      <Pager
        newer={before === undefined ? undefined : '/'}
        older={oldest > 0 ? `/?to=${oldest - 1}` : undefined}
      />
    </div>
  )
}

function rate(perSecond: number): string {
  return perSecond >= 10 || perSecond === 0 ? perSecond.toFixed(0) : perSecond.toFixed(2)
}

function most({ points }: LastHour): number {
  return Math.max(0, ...points.map((point) => point ?? 0))
}
