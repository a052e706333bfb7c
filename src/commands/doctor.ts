import type { Command } from 'commander'

import type { Finding } from '../native/diagnose.ts'
import { addCommand, addOutputOptions } from './command.ts'
import { CommandError, usageError } from './errors.ts'
import { type Io, processIo } from './support/io.ts'
import { stringify } from './support/json.ts'
import { renderRows } from './support/table.ts'
import { createTerminal, type Terminal } from './support/terminal.ts'

/** `ethgate doctor`: what will and will not work with a node. */
export function addDoctorCommand(program: Command, io: Io = processIo()): void {
  const command = addCommand(program, 'doctor', {
    summary: 'look a node over: what will and will not work',
    description:
      'Asks a node for everything that the gateway needs of it and says what will not work and which setting to change. ' +
      'Reads only; about 250 small calls. Exit code 1 when something important does not work.',
    examples: [
      ['ethgate doctor --upstream http://127.0.0.1:8090', 'a node of your own'],
      ['ethgate doctor --upstream https://HOST --upstream-header "X-Key: K"', 'a provider'],
      [
        'ethgate doctor --upstream http://127.0.0.1:8090 --upstream-rpc http://127.0.0.1:8545/jsonrpc --json',
        'its own JSON-RPC too, for programs',
      ],
    ],
  })
    .option('--upstream <url>', 'base address of the node’s HTTP API (env ETHGATE_UPSTREAM)')
    .option('--upstream-solidity <url>', 'base address of /walletsolidity, as with serve')
    .option('--upstream-rpc <url>', 'the node’s own JSON-RPC')
    .option('--upstream-header <line>', '"NAME: VALUE" sent with every call')
    .option('--upstream-timeout <ms>', 'time-out of one call (default 10000)')
  addOutputOptions(command).action((options: DoctorOptions) => doctor(io, options))
}

type DoctorOptions = {
  upstream?: string
  upstreamSolidity?: string
  upstreamRpc?: string
  upstreamHeader?: string
  upstreamTimeout?: string
  json?: boolean
  table?: boolean
}

async function doctor(io: Io, options: DoctorOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  const findings = await examine(io, options)
  const bad = findings.filter(({ level }) => level === 'fail').length
  await terminal.print(
    terminal.mode === 'json' ? stringify({ ok: bad === 0, findings }) : render(terminal, findings),
  )
  if (bad > 0) throw new CommandError('')
}

async function examine(io: Io, options: DoctorOptions): Promise<Finding[]> {
  const { env } = io
  const upstream = url(options.upstream ?? env['ETHGATE_UPSTREAM'], '--upstream')
  if (upstream === undefined)
    throw usageError('name the node with --upstream, such as http://127.0.0.1:8090')
  const solidity = url(
    options.upstreamSolidity ?? env['ETHGATE_UPSTREAM_SOLIDITY'],
    '--upstream-solidity',
  )
  const rpcUrl = url(options.upstreamRpc ?? env['ETHGATE_UPSTREAM_RPC'], '--upstream-rpc')
  const timeout = Number(options.upstreamTimeout ?? env['ETHGATE_UPSTREAM_TIMEOUT'] ?? 10_000)
  if (!(timeout >= 1)) throw usageError('--upstream-timeout needs milliseconds')

  const [{ createNativeClient }, { createPoolTransport }, { createNodeRpc }, { diagnose }] =
    await Promise.all([
      import('../native/client.ts'),
      import('../native/transport.ts'),
      import('../native/rpc.ts'),
      import('../native/diagnose.ts'),
    ])
  const header = options.upstreamHeader ?? env['ETHGATE_UPSTREAM_HEADER']
  const transport = createPoolTransport({
    upstream,
    upstreamSolidity: solidity ?? besides(upstream),
    header: header === undefined || header.includes(':') ? header : fail(header),
    timeout,
  })
  const native = createNativeClient({ transport })
  const rpc = rpcUrl === undefined ? undefined : createNodeRpc({ url: rpcUrl, timeout })
  try {
    return await diagnose(native, { rpc })
  } finally {
    await native.close()
    await rpc?.close()
  }
}

function fail(header: string): never {
  throw usageError(`--upstream-header needs "NAME: VALUE", got ${header.length} characters of it`)
}

function url(text: string | undefined, option: string): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw usageError(`${option} needs a URL such as http://127.0.0.1:8090, got "${text}"`)
  return text.replace(/\/+$/, '')
}

/** A node serves `/walletsolidity` on port 8091 beside 8090; a provider merges both. */
function besides(upstream: string): string {
  const url = new URL(upstream)
  if (url.port !== '8090') return upstream
  url.port = '8091'
  return url.href.replace(/\/+$/, '')
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
        ? terminal.yellow(`usable, with ${count('warn')} restriction(s)`)
        : terminal.green('everything works')
  return `${renderRows(terminal, ['', 'check', 'found', 'what it means'], rows)}\n\n${verdict}`
}
