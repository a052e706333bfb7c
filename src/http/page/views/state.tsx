import type { VerifyReport } from '../../../rpc/compare/verifier.ts'
import type { Health } from '../../health.ts'
import { advice } from '../advice.ts'
import { ago, grouped, span, utc } from '../format.ts'
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
          ['Head', grouped(health.head.number ?? 0)],
          ['Solidified block', grouped(health.head.solid ?? 0)],
          ['Head moved', health.head.age === null ? 'never' : `${ago(health.head.age)} ago`],
          ['Redis', health.redis],
          ['Filters', `${grouped(health.filters.count)}, ${grouped(health.filters.bytes)} bytes`],
          health.index
            ? [
                'Log index',
                `${health.index.state}, ${grouped(health.index.logs)} logs, blocks ${health.index.covered.map(({ from, to }) => `${grouped(from)} to ${grouped(to)}`).join(', ') || 'none'}`,
              ]
            : undefined,
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
          head={['Method', 'Calls', 'Errors', 'p50', 'p95']}
        >
          {traffic.methods.map(({ calls, errors, method, p50, p95 }) => (
            <tr>
              <td>
                <code>{method}</code>
              </td>
              <td class="number">{grouped(calls)}</td>
              <td class="number">{grouped(errors)}</td>
              <td class="number">{span(p50)}</td>
              <td class="number">{span(p95)}</td>
            </tr>
          ))}
        </Table>
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
        head={['Method', 'Equal', 'Different', 'Not comparable']}
      >
        {methods.map((row) => (
          <tr>
            <td>
              <code>{row.method}</code>
            </td>
            <td class="number">{grouped(row.matches)}</td>
            <td class="number">{grouped(row.mismatches)}</td>
            <td class="number">{grouped(row.unavailable)}</td>
          </tr>
        ))}
      </Table>
      {mismatches.length > 0 && (
        <Table
          caption="Newest differences"
          head={['Time', 'Call', 'Field', 'This gateway', 'Second source']}
        >
          {mismatches.flatMap(({ at, differences, method, params }) =>
            differences.slice(0, 3).map(({ ours, path, theirs }) => (
              <tr>
                <td>{utc(at)}</td>
                <td>
                  <code>{`${method} ${JSON.stringify(params)}`.slice(0, 160)}</code>
                </td>
                <td>{path || 'result'}</td>
                <td class="hex">{JSON.stringify(ours)}</td>
                <td class="hex">{JSON.stringify(theirs)}</td>
              </tr>
            )),
          )}
        </Table>
      )}
    </>
  )
}

function Upstreams({ health: { upstream, upstreams = [] } }: { health: Health }) {
  if (upstreams.length === 0)
    return (
      <Table caption="Upstream" head={['Wallet address', 'Solidity address', 'State']}>
        <tr>
          <td>{upstream.wallet ?? 'in this process'}</td>
          <td>{upstream.solidity ?? 'in this process'}</td>
          <td>
            <span class={upstream.state === 'up' ? 'badge good' : 'badge bad'}>
              {upstream.state}
            </span>
          </td>
        </tr>
      </Table>
    )
  return (
    <Table
      caption="Upstreams"
      head={['Name', 'State', 'Head', 'Lag', 'p50', 'p95', 'Share', 'Reason']}
    >
      {upstreams.map((one) => (
        <tr>
          <td>{one.name}</td>
          <td>
            <span class={one.state === 'healthy' ? 'badge good' : 'badge bad'}>{one.state}</span>
          </td>
          <td class="number">{one.head === null ? 'unknown' : grouped(one.head)}</td>
          <td class="number">{grouped(one.lag ?? 0)}</td>
          <td class="number">{one.latency.p50 === null ? '' : span(one.latency.p50)}</td>
          <td class="number">{one.latency.p95 === null ? '' : span(one.latency.p95)}</td>
          <td class="number">{`${Math.round(one.share * 100)} %`}</td>
          <td>{one.reason}</td>
        </tr>
      ))}
    </Table>
  )
}
