import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'
import { parse } from 'yaml'

import { collectProcessMetrics, createMetrics } from '../../src/gateway/metrics.ts'

/** The alerts and the dashboard name only metrics, labels and runbook sections that exist. */

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

type Alerts = {
  groups: { rules: { alert: string; expr: string; annotations: { runbook: string } }[] }[]
}
type Dashboard = {
  panels: { title: string; targets: { expr: string }[] }[]
  templating: { list: { name: string }[] }
}

const alerts = (parse(read('deploy/prometheus/alerts.yaml')) as Alerts).groups.flatMap(
  ({ rules }) => rules,
)
const dashboard = JSON.parse(read('deploy/grafana/ethgate.json')) as Dashboard

async function metricNames(): Promise<Set<string>> {
  const metrics = createMetrics()
  collectProcessMetrics(metrics)
  const described = await metrics.registry.getMetricsAsJSON()
  return new Set(
    described.flatMap(({ name, type }) =>
      // prom-client types the kind as an enum; the text format has its name.
      String(type) === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
}

function namesIn(expr: string): string[] {
  return expr.match(/\b(?:ethgate|nodejs|process)_\w+/g) ?? []
}

test('alerts name metrics that exist', async () => {
  const known = await metricNames()
  const used = alerts.flatMap(({ expr }) => namesIn(expr))
  expect(used.length).toBeGreaterThan(alerts.length - 2)
  expect(used.filter((name) => !known.has(name))).toEqual([])
})

test('panels name metrics that exist', async () => {
  const known = await metricNames()
  const used = dashboard.panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => namesIn(expr)),
  )
  expect(used.length).toBeGreaterThanOrEqual(dashboard.panels.length)
  expect(used.filter((name) => !known.has(name))).toEqual([])
})

test('panels use variables of the dashboard only, so that they can be evaluated outside Grafana', () => {
  const known = dashboard.templating.list.map(({ name }) => name)
  const used = dashboard.panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => [...expr.matchAll(/\$(\w+)/g)].map(([, name]) => name)),
  )
  expect(used.length).toBeGreaterThanOrEqual(dashboard.panels.length)
  expect(used.filter((name) => !known.includes(name ?? ''))).toEqual([])
})

test('every alert has a line in the runbook', () => {
  const headings = new Set(
    [...read('docs/operations.md').matchAll(/^### (.+)$/gm)].map(([, heading]) => heading),
  )
  const missing = alerts.filter(
    ({ annotations }) => !headings.has(annotations.runbook.split('#')[1] ?? ''),
  )
  expect(missing.map(({ alert }) => alert)).toEqual([])
})

test('every metric of the gateway is on the dashboard or in an alert', async () => {
  const used = new Set(
    [...alerts, ...dashboard.panels.flatMap(({ targets }) => targets)].flatMap(({ expr }) =>
      namesIn(expr).map((name) => name.replace(/_(bucket|sum|count)$/, '')),
    ),
  )
  const own = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name)
  // These repeat what others say: the state page has them.
  const apart = new Set([
    'ethgate_index_logs',
    'ethgate_upstream_head_block_number',
    'ethgate_upstream_quota_ratio',
    'ethgate_upstream_share_ratio',
    'ethgate_upstream_state',
  ])
  expect(own.filter((name) => !used.has(name) && !apart.has(name))).toEqual([])
})

test('the examples of balancers keep the metrics inside', () => {
  const nginx = read('deploy/nginx.conf')
  const [, path = '', action] = /location ~ (\S+) \{\s*(return \d+;)/.exec(nginx) ?? []
  expect(action).toBe('return 404;')
  for (const one of ['/metrics', '/metrics/']) expect(one).toMatch(new RegExp(path))
  expect(read('deploy/haproxy.cfg')).toContain(
    'http-request deny deny_status 404 if { path /metrics } or { path_beg /metrics/ }',
  )
})
