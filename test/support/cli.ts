import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

import { inject } from 'vitest'

import { runEthgate } from '../../src/cli/program.ts'
import { serve } from './serve.ts'

/** The compiled program, for tests that start it in a process. */
export function commandFile(): string {
  return join(inject('package'), 'dist', 'main.js')
}

/** The result of a command. */
export type Run = { code: number | null; stdout: string; stderr: string }

/** Runs `ethgate` with these arguments in this process and waits for its end. */
export async function ethgate(
  args: readonly string[],
  { env = {}, input = '' }: startCommand.Options = {},
): Promise<Run> {
  const [stdout, stderr] = [collect(), collect()]
  const io = {
    env: { ...environment(), ...env },
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  }
  const code = await runEthgate(args, io)
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collect(): { stream: Writable; text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

/** The variables of this process without those that `ethgate` reads. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(ETHGATE_|NO_COLOR|FORCE_COLOR|NODE_OPTIONS)/.test(name),
    ),
  )
}

/** A running command. */
export type RunningCommand = {
  process: ChildProcess
  ended: Promise<Run>
  /** The text on stdout so far. */
  stdout(): string
  stderr(): string
  /** Resolves when stdout has this many lines. */
  lines(count: number): Promise<string[]>
}

/**
 * Starts `ethgate` in a separate process. Its environment has only the given variables of `ethgate`, and one that switches
 * off the delay for load balancers.
 */
export function startCommand(
  args: readonly string[],
  { env = {}, input, node = process.execPath }: startCommand.Options = {},
): RunningCommand {
  const child = spawn(node, [commandFile(), ...args], {
    env: { ...environment(), ETHGATE_DRAIN_DELAY: '0', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const wake of waiting) wake()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  const ended = once(child, 'close').then(([code]) => {
    for (const wake of waiting) wake()
    return { code: code as number | null, stdout, stderr }
  })
  return {
    process: child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    lines: (count) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const lines = stdout.split('\n').slice(0, -1)
          if (lines.length >= count) resolve(lines)
          else if (child.exitCode !== null || child.signalCode !== null)
            reject(new Error(`ended after ${lines.length} of ${count} lines: ${stderr}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
  }
}

export declare namespace startCommand {
  type Options = {
    env?: Record<string, string>
    input?: string
    /** The program of Node.js. @default the one that runs the tests */
    node?: string
  }
}

/** Starts `ethgate dev` on a free port and waits until it says where it listens. */
export async function startDev(
  ...args: string[]
): Promise<{ command: RunningCommand; url: string }> {
  const command = startCommand(['dev', '--port', '0', '--log-level', 'silent', ...args])
  for (let count = 1; ; count++) {
    await command.lines(count)
    const [, url] = /JSON-RPC +(http\S+)/.exec(command.stdout()) ?? []
    if (url !== undefined) return { command, url }
  }
}

/** The answer of a method: a result, a JSON-RPC error or a whole HTTP answer. */
export type Reply =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
  | { status: number; text?: string; headers?: Record<string, string> }

/** A small JSON-RPC server on a free port, scripted by a test. */
export async function startRpc(
  answer: (method: string, params: unknown[]) => Reply | Promise<Reply>,
): Promise<{
  url: string
  calls: { method: string; params: unknown[] }[]
  close(): Promise<void>
}> {
  const calls: { method: string; params: unknown[] }[] = []
  const server = await serve(async (request, response) => {
    const { id, method, params } = JSON.parse((await text(request)) || '{}') as {
      id: number
      method: string
      params: unknown[]
    }
    calls.push({ method, params })
    const reply = await answer(method, params)
    if ('status' in reply) response.writeHead(reply.status, reply.headers).end(reply.text ?? '')
    else response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }))
  })
  return { ...server, calls }
}
