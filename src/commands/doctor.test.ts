import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'

import { type ReplayNode, startReplayNode } from '../../test/node.ts'
import { runProgram } from './command.ts'
import { addDoctorCommand } from './doctor.ts'
import { createTerminal } from './support/terminal.ts'

let node: ReplayNode

beforeAll(async () => {
  node = await startReplayNode()
})

afterAll(async () => {
  await node.close()
})

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

/** Runs the command as the program does; returns its exit code and what it printed. */
async function run(...argv: string[]) {
  const printed = { out: '', err: '' }
  const capture = (stream: NodeJS.WriteStream, into: 'out' | 'err') =>
    vi.spyOn(stream, 'write').mockImplementation((text, ...rest: unknown[]) => {
      printed[into] += String(text)
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    })
  capture(process.stdout, 'out')
  capture(process.stderr, 'err')
  const program = new Command('ethgate')
  addDoctorCommand(program)
  const code = await runProgram(program, ['doctor', ...argv], createTerminal({}))
  vi.restoreAllMocks()
  return { code, ...printed }
}

describe('doctor', () => {
  test('default', async () => {
    const { code, out } = await run(
      '--upstream',
      node.url,
      '--upstream-rpc',
      node.rpcUrl,
      '--table',
    )
    expect(code).toBe(0)
    expect(out).toMatch(/^ +check +found +what it means\n/)
    expect(out).toMatch(/\nok +contract calls +on\n/)
    expect(out).toMatch(/\nok +JSON-RPC +same chain\n/)
  })

  test('args: --json', async () => {
    const { code, out } = await run('--upstream', node.url, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      findings: expect.arrayContaining([
        { check: 'version', level: 'ok', found: '4.8.0', advice: '' },
      ]),
    })
  })

  test('behavior: exit code 1 when something important does not work', async () => {
    const broken = await startReplayNode({
      intercept: ({ path }) =>
        path.endsWith('/getcontractinfo')
          ? { status: 404, text: '{"Error":"this API is unavailable due to config"}' }
          : undefined,
    })
    const { code, out } = await run('--upstream', broken.url, '--table')
    await broken.close()
    expect(code).toBe(1)
    expect(out).toMatch(/\nfail +getcontractinfo +disabled +without it: no eth_getCode\n/)
  })

  test('error: wrong options', async () => {
    expect(await run('--upstream', 'localhost:8090')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--upstream needs a URL'),
    })
    expect((await run('--upstream', node.url, '--upstream-header', 'x')).code).toBe(2)
    expect((await run('--upstream', node.url, '--upstream-timeout', 'x')).code).toBe(2)
  })
})
