import { plural } from '../../codec/coin.ts'
import type { Config } from '../../config/config.ts'
import { upstreamsOf } from '../../config/upstreamList.ts'
import { CommandError, usageError } from '../base/errors.ts'
import { createRpc, type Rpc } from '../base/rpcClient.ts'
import type { Terminal } from '../base/terminal.ts'
import type { Result } from '../output/result.ts'
import { renderRows } from '../output/table.ts'
import { type ToolName, TOOLS } from '../tools/names.ts'
import { recorded } from '../tools/recorded.ts'
import { replay, type Replayed } from '../tools/replay.ts'
import { simulatorFor } from '../words/simulator.ts'

/** Milliseconds for one request. */
const TIMEOUT = 30_000

/** Characters of the params that a table shows. */
const SHOWN = 60

/** `ethgate doctor --for TOOL`: replays the requests of a tool and names what does not work. @throws CommandError */
export async function doctorFor(
  tool: string,
  { config, rpc }: { config: () => Config; rpc: Rpc | undefined },
): Promise<Result> {
  if (!isTool(tool)) throw usageError(`--for needs one of ${TOOLS.join(', ')}, got "${tool}"`)
  const requests = recorded[tool]
  const { how } = requests
  const gateway = rpc ? undefined : await startGateway(config())
  try {
    const replayed = await replay(
      requests,
      rpc ?? createRpc({ timeout: TIMEOUT, url: gateway?.url ?? '' }),
    )
    const troubles = replayed.filter(({ level }) => level !== 'ok')
    const works = replayed.length - troubles.length
    const ok = troubles.every(({ level }) => level !== 'fail')
    return {
      value: { ok, tool, recorded: how, requests: replayed.length, works, troubles },
      text: (terminal) => render(terminal, { how, replayed, tool, troubles }),
      failure: ok ? undefined : new CommandError(''),
    }
  } finally {
    await gateway?.stop()
  }
}

const isTool = (name: string): name is ToolName => (TOOLS as readonly string[]).includes(name)

/** A gateway for one replay, in front of the node of the configuration. @throws CommandError */
async function startGateway(config: Config): Promise<{ url: string; stop(): Promise<void> }> {
  if (upstreamsOf(config).length === 0)
    throw usageError('give --upstream URL of a node, or --rpc-url URL of a gateway that runs')
  const { createGateway } = await import('../../gateway/gateway.ts')
  const own = { ...config, apiKeys: undefined, dataDir: 'none', host: '127.0.0.1', port: 0 }
  const gateway = createGateway({
    config: own,
    host: { createSimulator: await simulatorFor(config) },
  })
  const { url } = await gateway.start()
  await gateway.ready
  return { url: `${url}/wei`, stop: () => gateway.stop() }
}

function render(
  terminal: Terminal,
  {
    how,
    replayed,
    tool,
    troubles,
  }: { how: string; replayed: Replayed[]; tool: string; troubles: Replayed[] },
): string {
  const mark = { ok: '', info: terminal.dim('–'), fail: terminal.red('fail') }
  const rows = troubles.map(({ advice, found, level, method, params }) => [
    mark[level],
    method,
    JSON.stringify(params).slice(0, SHOWN),
    found,
    advice,
  ])
  const failed = troubles.filter(({ level }) => level === 'fail').length
  const verdict =
    failed > 0
      ? terminal.red(
          `${failed} of ${plural(replayed.length, 'request')} of ${tool} ${failed === 1 ? 'does' : 'do'} not work`,
        )
      : terminal.green(
          `everything that ${tool} needs works (${plural(replayed.length, 'request')})`,
        )
  const table =
    rows.length > 0
      ? `${renderRows(terminal, ['', 'method', 'params', 'found', 'what to do'], rows)}\n\n`
      : ''
  return `${table}${verdict}\n${terminal.dim(`recorded from ${how}`)}`
}
