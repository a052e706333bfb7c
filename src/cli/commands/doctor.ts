import type { Command } from 'commander'

import { plural } from '../../codec/coin.ts'
import { upstreamsOf } from '../../config/upstreamList.ts'
import type { Finding } from '../../native/diagnose.ts'
import type { MemberStatus } from '../../native/pool/memberStatus.ts'
import { CommandError, EXIT, usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'
import type { Terminal } from '../base/terminal.ts'
import type { Result } from '../output/result.ts'
import { renderRows } from '../output/table.ts'
import { TOOLS } from '../tools/names.ts'
import { addWord, collect, type Task } from '../words/command.ts'
import { type ConfigFlags, configOf } from '../words/configOptions.ts'

/** `ethgate doctor`: reports what works with a node and what does not. */
export function addDoctorCommand(program: Command, io: Io): void {
  addWord<ConfigFlags>(program, io, {
    usage: 'doctor',
    summary: 'check what works with a node and what does not',
    description:
      'Tests everything that the gateway needs from a node, and reports what does not work and which setting to change. ' +
      'It makes about 250 small read calls. With --for it sends what a tool sends, as recorded from the tool itself, to a gateway in front of the node. ' +
      'Exit code 1 when something important does not work, 4 when a node is unreachable.',
    options: [
      [
        '--upstream <url>',
        'base address of the node’s HTTP API; repeat it for several nodes (env ETHGATE_UPSTREAM)',
        collect,
      ],
      ['--upstream-solidity <url>', 'base address of /walletsolidity, as with serve', collect],
      ['--upstream-rpc <url>', 'the node’s own JSON-RPC', collect],
      ['--upstream-grpc <host:port>', 'the node’s gRPC interface', collect],
      ['--upstream-header <line>', '"NAME: VALUE" sent with every call'],
      ['--for <tool>', `replay the requests of a tool: ${TOOLS.join(', ')}`],
      ['-r, --rpc-url <url>', 'with --for: a gateway that runs; without it one is started'],
      ['--simulate <off|on>', 'with --for: start the gateway with --simulate on'],
      ['--upstream-timeout <ms>', 'timeout of one call (default 10000)'],
      ['--config <file>', 'check the nodes of a configuration file (env ETHGATE_CONFIG)'],
    ],
    examples: [
      ['ethgate doctor --upstream http://127.0.0.1:8090', 'your own node'],
      ['ethgate doctor --upstream https://HOST --upstream-header "X-Key: K"', 'a provider'],
      [
        'ethgate doctor --upstream http://127.0.0.1:8090 --upstream-rpc http://127.0.0.1:8545/jsonrpc --json',
        'also checks its own JSON-RPC; output for programs',
      ],
      ['ethgate doctor --config ethgate.yaml', 'all nodes of a configuration file'],
      [
        'ethgate doctor --for viem --upstream http://127.0.0.1:8090',
        'what viem can do through a gateway in front of this node',
      ],
      [
        'ethgate doctor --for foundry --rpc-url http://127.0.0.1:8545',
        'what Foundry can do through a gateway that runs',
      ],
    ],
    calls: 'nothing',
    run: doctor,
  })
}

type DoctorOptions = ConfigFlags & { for?: string }

async function doctor({ io, options, target }: Task<DoctorOptions>): Promise<Result> {
  const { for: tool, rpcUrl, ...flags } = options
  if (tool !== undefined) {
    const { doctorFor } = await import('./doctorFor.ts')
    return doctorFor(tool, {
      config: () => configOf(flags, io.env),
      rpc: rpcUrl === undefined ? undefined : target.rpc,
    })
  }
  const upstreams = upstreamsOf(configOf(options, io.env))
  if (upstreams.length === 0)
    throw usageError('the node is missing: give --upstream URL, such as http://127.0.0.1:8090')
  const { examine, statesOf } = await import('../words/examine.ts')
  const examined: Examined[] = []
  // One after the other, so that they do not affect each other's latencies.
  for (const upstream of upstreams)
    examined.push({ findings: await examine(upstream), name: upstream.name })
  const states = upstreams.length > 1 ? await statesOf(upstreams) : []
  const ok = examined.every(({ findings }) => isOk(findings)) && states.every(isUsable)
  const exitCode = examined.some(isUnreachable) ? EXIT.unreachable : EXIT.failed
  return {
    value: asJson(ok, examined, states),
    text: (terminal) =>
      [
        ...(states.length > 0 ? [renderStates(terminal, states)] : []),
        ...examined.map(({ findings, name }) =>
          states.length > 0
            ? `${terminal.bold(name)}\n${render(terminal, findings)}`
            : render(terminal, findings),
        ),
      ].join('\n\n'),
    failure: ok ? undefined : new CommandError('', { exitCode }),
  }
}

type Examined = { name: string; findings: Finding[] }

const isOk = (findings: Finding[]) => findings.every(({ level }) => level !== 'fail')

const isUnreachable = ({ findings }: Examined) =>
  findings.some(({ check, level }) => check === 'reachable' && level === 'fail')

const isUsable = ({ state }: MemberStatus) => state === 'healthy' || state === 'syncing'

/** The findings of one node; with several nodes also the state of each in the pool. */
function asJson(ok: boolean, examined: Examined[], states: MemberStatus[]): object {
  const [first] = examined
  if (states.length === 0) return { ok, findings: first?.findings }
  const upstreams = examined.map(({ findings, name }, index) => {
    const { head, lag, latency, reason = null, state, tier } = states[index] as MemberStatus
    return { name, state, reason, tier, head, lag, latency, ok: isOk(findings), findings }
  })
  return { ok, upstreams }
}

function renderStates(terminal: Terminal, states: MemberStatus[]): string {
  const rows = states.map(({ head, lag, latency, name, reason, state, tier }) => [
    name,
    isUsable({ state } as MemberStatus) ? terminal.green(state) : terminal.red(state),
    String(tier),
    head === null ? '–' : String(head),
    lag === null ? '–' : String(lag),
    latency.p50 === null ? '–' : `${latency.p50} ms`,
    reason ?? '',
  ])
  return renderRows(
    terminal,
    ['upstream', 'state', 'tier', 'head', 'behind', 'latency', 'why'],
    rows,
  )
}

function render(terminal: Terminal, findings: Finding[]): string {
  const mark = {
    ok: terminal.green('ok'),
    info: terminal.dim('–'),
    warn: terminal.yellow('warn'),
    fail: terminal.red('fail'),
  }
  const rows = findings.map(({ advice, check, found, level }) => [
    mark[level],
    check,
    found,
    advice,
  ])
  const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length
  const verdict =
    count('fail') > 0
      ? terminal.red(`${count('fail')} of ${findings.length} checks failed`)
      : count('warn') > 0
        ? terminal.yellow(`usable, with ${plural(count('warn'), 'restriction')}`)
        : terminal.green('everything works')
  return `${renderRows(terminal, ['', 'check', 'found', 'what it means'], rows)}\n\n${verdict}`
}
