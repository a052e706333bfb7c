import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { parse } from 'yaml'

import { freePort } from '../test/support/freePort.ts'
import { install } from './install.ts'
import { startGateway, startNode, track } from './processes.ts'

const ALERTS = fileURLToPath(new URL('../deploy/prometheus/alerts.yaml', import.meta.url))
const DASHBOARD = new URL('../deploy/grafana/ethgate.json', import.meta.url)

/** Checks for the first scrape, half a second apart. */
const TRIES = 60

type Alerts = { groups: { rules: { alert: string; expr: string }[] }[] }
type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] }
type Answer = { status: string; error?: string; data?: { result: unknown[] } }

/** Scrapes a gateway with a real Prometheus and evaluates every alert and every panel. True when all of them work. */
export async function prometheus(): Promise<boolean> {
  install(['prometheus'])
  execFileSync('promtool', ['check', 'rules', ALERTS], { stdio: 'inherit' })
  const node = await startNode()
  const gateway = await startGateway({ upstream: node.url })
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-prometheus-'))
  try {
    const url = await startPrometheus(folder, gateway.port)
    await call(gateway.url)
    await scraped(url)
    return await evaluate(url)
  } finally {
    await gateway.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startPrometheus(folder: string, gatewayPort: number): Promise<string> {
  const config = join(folder, 'prometheus.yml')
  const rules = JSON.stringify(ALERTS)
  writeFileSync(
    config,
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [${rules}]
scrape_configs:
  - job_name: ethgate
    static_configs: [{ targets: ['127.0.0.1:${gatewayPort}'] }]
`,
  )
  const port = await freePort()
  const flags = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  track(spawn('prometheus', flags, { stdio: 'ignore' }))
  return `http://127.0.0.1:${port}`
}

/** Calls that create the series by method, by error and by operation. */
async function call(url: string): Promise<void> {
  for (const method of ['eth_blockNumber', 'eth_gasPrice', 'eth_getBlockByNumber', 'eth_nosuch'])
    await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: ['0x1', false] }),
    })
}

async function scraped(url: string): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const found = await query(url, 'count_over_time(ethgate_head_block_number[1m]) > 2').catch(
      () => undefined,
    )
    if (found?.data?.result.length) return
    await sleep(500)
  }
  throw new Error('Prometheus did not scrape the gateway')
}

async function evaluate(url: string): Promise<boolean> {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard
  const { groups } = parse(readFileSync(ALERTS, 'utf8')) as Alerts
  const expressions = [
    ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ name: alert, expr }))),
    ...panels.flatMap(({ targets, title }) => targets.map(({ expr }) => ({ name: title, expr }))),
  ]
  let failed = 0
  for (const { expr, name } of expressions) {
    const { data, error, status } = await query(url, expr.replaceAll('$instance', '.*'))
    const outcome = status === 'success' ? `${data?.result.length ?? 0} series` : `FAILED: ${error}`
    if (status !== 'success') failed++
    console.log(`${name.padEnd(32)} ${outcome}`)
  }
  console.log(`${expressions.length} expressions evaluated, ${failed} failed`)
  return failed === 0
}

async function query(url: string, expr: string): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`)
  return (await response.json()) as Answer
}
