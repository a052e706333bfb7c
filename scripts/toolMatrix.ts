// Writes the table of docs/tools.md: which requests of each tool work in front of which release of the node.
//
//   npx tsx scripts/toolMatrix.ts http://127.0.0.1:8090 http://127.0.0.1:9090
//
// Each address is the HTTP API of a node with one of the releases. Its JSON-RPC is 455 ports higher and its solidified state on the next port.
import { readFileSync, writeFileSync } from 'node:fs'

import { format, type FormatOptions } from 'oxfmt'

import { createRpc } from '../src/cli/base/rpcClient.ts'
import { TOOLS } from '../src/cli/tools/names.ts'
import { recorded } from '../src/cli/tools/recorded.ts'
import { replay, type Replayed } from '../src/cli/tools/replay.ts'
import type { Config } from '../src/config/config.ts'
import { createSimulator } from '../src/devchain/simulator/simulator.ts'
import { createGateway } from '../src/gateway/gateway.ts'

const PAGE = new URL('../docs/tools.md', import.meta.url)
const STYLE = new URL('../.oxfmtrc.json', import.meta.url)

/** Milliseconds for one request. */
const TIMEOUT = 30_000

type Column = { title: string; replayed: Map<string, Replayed[]> }

const columns: Column[] = []
for (const upstream of process.argv.slice(2)) {
  const at = (ports: number) => {
    const url = new URL(upstream)
    url.port = String(Number(url.port) + ports)
    return url.origin
  }
  const node = { upstream, upstreamSolidity: at(1) }
  columns.push(await columnOf('alone', node))
  const rpc = { upstreamRpc: `${at(455)}/jsonrpc`, simulate: 'on' } as const
  columns.push(await columnOf('with --upstream-rpc and --simulate on', { ...node, ...rpc }))
}

/** The methods that fail, by what to do about it. */
const failing = new Map<string, Set<string>>()
const rows = TOOLS.map((tool) => [
  tool,
  ...columns.map(({ replayed }) => {
    const all = replayed.get(tool) ?? []
    const failed = all.filter(({ level }) => level === 'fail')
    for (const { advice, method } of failed)
      failing.set(advice, (failing.get(advice) ?? new Set()).add(`\`${method}\``))
    const names = [...new Set(failed.map(({ method }) => `\`${method}\``))].join(', ')
    return failed.length === 0
      ? `all ${all.length}`
      : `${all.length - failed.length} of ${all.length}, not ${names}`
  }),
  recorded[tool].how,
])
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const titles = ['Tool', ...columns.map(({ title }) => title), 'Recorded from']
const table = [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n')
const reasons = [...failing]
  .map(([advice, methods]) => `- ${[...methods].toSorted().join(', ')}: ${advice}`)
  .toSorted()
  .join('\n')
const page = readFileSync(PAGE, 'utf8').replace(
  /(<!-- begin: matrix -->)[^]*(<!-- end: matrix -->)/,
  (_, begin: string, end: string) => `${begin}\n\n${table}\n\n${reasons}\n\n${end}`,
)
const style = JSON.parse(readFileSync(STYLE, 'utf8')) as FormatOptions
writeFileSync(PAGE, (await format('docs/tools.md', page, style)).code)
process.exit(0)

/** Replays the requests of all tools to a gateway in front of one node. */
async function columnOf(title: string, config: Partial<Config>): Promise<Column> {
  const gateway = createGateway({ config: { port: 0, ...config }, host: { createSimulator } })
  const { url } = await gateway.start()
  await gateway.ready
  const rpc = createRpc({ timeout: TIMEOUT, url: `${url}/wei` })
  const version = String(await rpc.call('web3_clientVersion'))
  const release = /\d+\.\d+\.\d+$/.exec(version)?.[0] ?? version
  const replayed = new Map<string, Replayed[]>()
  for (const tool of TOOLS) replayed.set(tool, await replay(recorded[tool], rpc))
  await gateway.stop()
  return { title: `${release} ${title}`, replayed }
}
