import { grouped, plural } from '../../../codec/coin.ts'
import type { VerifyReport } from '../../../rpc/compare/verifier.ts'
import type { Health } from '../../health.ts'
import { advice } from '../advice.ts'
import { ago, duration, utc } from '../format.ts'
import { sparkline } from '../sparkline.ts'
import type { TrafficReport } from '../traffic.ts'
import { FactList, Table } from './parts.tsx'

/** The state of the gateway, for operators. The client script refreshes it every five seconds. */
export function State({
  health,
  traffic,
  verified,
}: {
  health: Health
  traffic: TrafficReport
  verified: VerifyReport | undefined
}) {
  const problems = health.reasons.map((reason) => ({ reason, todo: advice(reason) }))
  return (
    <div data-live="state">
      {problems.length === 0 ? (
        <p class="notice good" role="status">
          {health.status === 'draining'
            ? 'This replica is shutting down: it finishes the requests in flight.'
            : 'Everything works.'}
        </p>
      ) : (
        <ul class="problems">
          {problems.map(({ reason, todo }) => (
            <li class="notice">
              <strong>{reason}</strong>
              {todo && ` ${todo}`}
            </li>
          ))}
        </ul>
      )}
      <FactList
        rows={[
          ['Status', health.status],
          ['Ready', health.ready ? 'yes' : 'no'],
          ['Role', health.head.role],
          ['Head', known(health.head.number)],
          ['Solidified block', known(health.head.solid)],
          ['Head moved', health.head.age === null ? 'never' : `${ago(health.head.age)} ago`],
          ['Redis', health.redis],
          ['Filters', `${grouped(health.filters.count)}, ${grouped(health.filters.bytes)} bytes`],
          health.index && [
            'Log index',
            `${health.index.state}, ${grouped(health.index.logs)} logs, blocks ${health.index.covered.map(({ from, to }) => `${grouped(from)} to ${grouped(to)}`).join(', ') || 'none'}`,
          ],
          health.store && [
            'Store of blocks',
            `${health.store.state}, ${grouped(health.store.blocks)} blocks, ${grouped(health.store.bytes)} bytes`,
          ],
          ...(health.workers ?? []).map(({ number, pid, restarts, state }): [string, string] => [
            `Worker ${number}`,
            `${state}, process ${pid}, started again ${plural(restarts, 'time')}`,
          ]),
          ['Running for', ago(health.uptime)],
        ]}
      />
      <h2>Last hour</h2>
      <div class="charts">
        {traffic.series.map(({ label, last, points }) => (
          <figure>
            <figcaption>
              {label} <strong>{last}</strong>
            </figcaption>
            <svg
              viewBox="0 0 240 48"
              preserveAspectRatio="none"
              role="img"
              aria-label={`${label}, last hour, now ${last}`}
            >
              <path d={sparkline(points, 240, 48)} />
            </svg>
          </figure>
        ))}
      </div>
      <Upstreams health={health} />
      {traffic.methods.length > 0 && (
        <Table
          caption="Methods in the last hour"
          columns={['Method', number('Calls'), number('Errors'), number('p50'), number('p95')]}
          rows={traffic.methods.map(({ calls, errors, method, p50, p95 }) => [
            <code>{method}</code>,
            grouped(calls),
            grouped(errors),
            duration(p50),
            duration(p95),
          ])}
        />
      )}
      {verified && <Verified report={verified} />}
    </div>
  )
}

function Verified({ report: { methods, mismatches } }: { report: VerifyReport }) {
  return (
    <>
      <Table
        caption="Answers compared with a second source"
        columns={['Method', number('Equal'), number('Different'), number('Not comparable')]}
        rows={methods.map(({ matches, method, mismatches, unavailable }) => [
          <code>{method}</code>,
          grouped(matches),
          grouped(mismatches),
          grouped(unavailable),
        ])}
      />
      {mismatches.length > 0 && (
        <Table
          caption="Newest differences"
          columns={['Time', 'Call', 'Field', 'This gateway', 'Second source']}
          rows={mismatches.flatMap(({ at, differences, method, params }) =>
            differences
              .slice(0, 3)
              .map(({ ours, path, theirs }) => [
                utc(at),
                <code>{`${method} ${JSON.stringify(params)}`.slice(0, 160)}</code>,
                path || 'result',
                <span class="hex">{JSON.stringify(ours)}</span>,
                <span class="hex">{JSON.stringify(theirs)}</span>,
              ]),
          )}
        />
      )}
    </>
  )
}

function Upstreams({ health: { head, upstream, upstreams = [] } }: { health: Health }) {
  const only = upstreams.length === 1 && head.number !== null ? head : undefined
  if (upstreams.length === 0)
    return (
      <Table
        caption="Upstream"
        plain
        columns={['Wallet address', 'Solidity address', ['State', 'main']]}
        rows={[
          [
            upstream.wallet ?? 'in this process',
            upstream.solidity ?? 'in this process',
            <span class={upstream.state === 'up' ? 'badge good' : 'badge bad'}>
              {upstream.state}
            </span>,
          ],
        ]}
      />
    )
  return (
    <Table
      caption="Upstreams"
      columns={[
        'Name',
        ['State', 'main'],
        number('Head'),
        number('Lag'),
        number('p50'),
        number('p95'),
        number('Share'),
        'Reason',
      ]}
      rows={upstreams.map((one) => [
        one.name,
        <span class={one.state === 'healthy' ? 'badge good' : 'badge bad'}>{one.state}</span>,
        // The heads of nodes are compared only where there are several.
        known(one.head ?? only?.number),
        known(one.lag ?? (only ? 0 : null)),
        known(one.latency.p50, duration),
        known(one.latency.p95, duration),
        `${Math.round(one.share * 100)} %`,
        one.reason ?? '',
      ])}
    />
  )
}

const number = (name: string) => [name, 'number'] as const

/** A number that may not be known yet. */
function known(
  value: number | null | undefined,
  text: (value: number) => string = grouped,
): string {
  return value === null || value === undefined ? 'unknown' : text(value)
}
