import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { ethgate, startCommand, startRpc } from '../support/cli.ts'
import { hasTerminal, onTerminal, terminalSkip } from '../support/terminal.ts'
import { until } from '../support/until.ts'
import { CUSTOM_ERROR } from './cliSamples.ts'
import { useFolder, useReplayNode } from './cliSetup.ts'

const KITCHEN = '0x8233a7f16c9f522f26006ab000e1df7a6ae68662'

const folder = useFolder()

const shared = useReplayNode()

describe('verify', () => {
  const blockOf = (method: string) => (method === 'eth_blockNumber' ? '0x1' : [])

  test('behavior: a call that the other server refuses is a line, and later blocks are compared', async () => {
    const server = await startRpc((method) => ({ result: blockOf(method) }))
    const other = await startRpc((method, params) =>
      method === 'eth_getLogs' && JSON.stringify(params).includes('0x0')
        ? { error: { code: -32005, message: 'query returned more than 10000 results' } }
        : { result: blockOf(method) },
    )
    const run = await ethgate(
      ['verify', '--rpc-url', server.url, '--against', other.url, '--from', '0'],
      {},
    )
    await Promise.all([server.close(), other.close()])
    expect(run.code).toBe(0)
    expect(run.stdout.trim().split('\n')).toEqual([
      expect.stringContaining('"refused":"query returned more than 10000 results"'),
      '2 blocks, 3 answers compared, 0 differ, 1 refused by the other server',
    ])
  })

  const TOO_MANY = { error: { code: -32005, message: 'query returned more than 10000 results' } }
  const refusesLogs = () =>
    startRpc((method) =>
      method === 'eth_getLogs' ? TOO_MANY : { result: method === 'eth_blockNumber' ? '0x1' : [] },
    )

  test('behavior: an answer that both refuse is a line, one that only the gateway refuses differs', async () => {
    const [server, answering] = [
      await refusesLogs(),
      await startRpc((method) => ({ result: blockOf(method) })),
    ]
    const verify = (against: { url: string }) =>
      ethgate(['verify', '--rpc-url', server.url, '--against', against.url])
    const [both, one] = [await verify(server), await verify(answering)]
    await Promise.all([server.close(), answering.close()])
    expect(both).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 answer compared, 0 differ, 1 refused'),
    })
    expect(one).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"differs":"query returned more than 10000 results"'),
    })
    expect(one.stdout).toContain('2 answers compared, 1 differs\n')
  })

  test('error: a gateway that fails ends it with the totals of the blocks before', async () => {
    const server = await startRpc((method, params) =>
      params[0] === '0x2'
        ? { error: { code: -32603, message: 'the upstream node is unreachable' } }
        : { result: method === 'eth_blockNumber' ? '0x9' : [] },
    )
    const empty = ['verify', '--rpc-url', server.url, '--against', server.url, '--from', '999']
    expect(await ethgate(empty)).toMatchObject({ code: 2, stdout: '' })
    const run = await ethgate(['verify', '--rpc-url', server.url, '--against', server.url])
    await server.close()
    expect(run).toMatchObject({ code: 1 })
    expect(run.stdout).toContain('1 block, 2 answers compared, 0 differ')
    expect(run.stderr).toContain('stopped before block 2: eth_getBlockByNumber: the upstream')
  })

  test('args: --blocks compares so many blocks, spread over the range', async () => {
    const server = await startRpc((method) => ({
      result: method === 'eth_blockNumber' ? '0x65' : [],
    }))
    const run = await ethgate(
      ['verify', '--rpc-url', server.url, '--against', server.url, '--blocks', '3'],
      {},
    )
    await server.close()
    expect(run.stdout).toBe('3 blocks, 6 answers compared, 0 differ\n')
    const heights = server.calls
      .filter(({ method }) => method === 'eth_getBlockByNumber')
      .map(({ params }) => params[0])
    expect([...new Set(heights)]).toEqual(['0x1', '0x33', '0x65'])
  })

  test('behavior: Ctrl-C during a call prints the totals of the blocks before and exits with 130', async () => {
    const server = await startRpc((method, params) =>
      params[0] === '0x2'
        ? new Promise<never>(() => {})
        : { result: method === 'eth_blockNumber' ? '0x9' : [] },
    )
    const running = startCommand(['verify', '--rpc-url', server.url, '--against', server.url])
    await until(() => expect(server.calls.some(({ params }) => params[0] === '0x2')).toBe(true))
    running.process.kill('SIGINT')
    const run = await running.ended
    await server.close()
    expect(run).toMatchObject({ code: 130, stdout: '1 block, 2 answers compared, 0 differ\n' })
    expect(run.stderr).toContain('stopped before block 2')
  })
})

test.skipIf(!hasTerminal)(
  `behavior: the progress bar of verify counts answers${terminalSkip}`,
  async () => {
    const server = await startRpc(async (method, params) => {
      if (method === 'eth_getBlockByNumber' && params[0] === '0x2') await sleep(1_000)
      if (method === 'eth_getLogs') return { error: { code: -32005, message: 'too many' } }
      return { result: method === 'eth_blockNumber' ? '0x2' : [] }
    })
    const words = `verify --rpc-url "${server.url}" --against "${server.url}"`
    const output = await text(onTerminal(words).stdout)
    await server.close()
    expect(output).toContain('| block 2 of 2 | 1 answer |')
  },
)

describe('rpc', () => {
  test('default: one line of JSON into a pipe', async () => {
    const run = await ethgate(['rpc', 'eth_chainId', '--rpc-url', shared.node.rpcUrl])
    expect(run).toEqual({ code: 0, stdout: '0xb24e27cc\n', stderr: '' })
  })

  test('args: --json, the address from the environment', async () => {
    const run = await ethgate(['rpc', 'eth_chainId', '--json'], {
      env: { ETH_RPC_URL: shared.node.rpcUrl },
    })
    expect(run).toEqual({ code: 0, stdout: '"0xb24e27cc"\n', stderr: '' })
  })

  test('args: parameters are JSON where they parse, text elsewhere, or come from stdin', async () => {
    const server = await startRpc(() => ({ result: null }))
    const rpc = ['--rpc-url', server.url]
    await ethgate(['rpc', 'a', 'latest', 'true', '{"n":9007199254740993}', '0x10', '12', ...rpc])
    await ethgate(['rpc', 'b', '-', ...rpc], { input: '[1,{"x":[]}]' })
    await ethgate(['rpc', 'c', '-', ...rpc], { input: '{"x":1}' })
    await server.close()
    // The server's own JSON.parse rounds; what matters is that 2^53 + 1 was sent as a number.
    expect(server.calls).toEqual([
      { method: 'a', params: ['latest', true, { n: Number('9007199254740993') }, '0x10', 12] },
      { method: 'b', params: [1, { x: [] }] },
      { method: 'c', params: [{ x: 1 }] },
    ])
  })

  test('behavior: numbers keep every digit', async () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"amount":9223372036854775807,"fraction":1.50}}'
    const server = await startRpc(() => ({ status: 200, text }))
    const run = await ethgate(['rpc', 'x', '--rpc-url', server.url])
    await server.close()
    expect(run.stdout).toBe('{"amount":9223372036854775807,"fraction":1.50}\n')
  })

  const showBlock = () => [
    'rpc',
    'eth_getBlockByNumber',
    '0xdf',
    'false',
    '--table',
    '--rpc-url',
    shared.node.rpcUrl,
  ]

  test('behavior: --table shows fields and their meaning', async () => {
    const run = await ethgate(showBlock())
    expect(run.stdout).toContain('number            0xdf (223)\n')
    expect(run.stdout).toContain('timestamp         0x6b0186a3 (2026-11-21 11:55:15Z)\n')
    expect(run.stdout).toContain('(256 bytes; --json shows all)')
    expect(run.stdout).not.toContain('\u001B[')
  })

  test('behavior: FORCE_COLOR paints, NO_COLOR does not', async () => {
    const args = showBlock()
    const coloured = await ethgate(args, { env: { FORCE_COLOR: '1' } })
    expect(coloured.stdout).toContain('\u001B[1mnumber\u001B[22m')
    const plain = await ethgate(args, { env: { NO_COLOR: '1' } })
    expect(plain.stdout).not.toContain('\u001B[')
  })

  test('error: a revert is explained and exits with 3', async () => {
    const abi = join(folder, 'errors.txt')
    await writeFile(abi, 'error Custom(uint256 code, string why);\n')
    const server = await startRpc(() => ({
      error: { code: 3, message: 'execution reverted', data: CUSTOM_ERROR },
    }))
    const call = ['rpc', 'eth_call', `{"to":"${KITCHEN}"}`, '--rpc-url', server.url]
    const unknown = await ethgate(call)
    const known = await ethgate([...call, '--abi', abi])
    const json = await ethgate([...call, '--abi', abi, '--json'])
    await server.close()
    expect(unknown.code).toBe(3)
    expect(unknown.stderr).toContain('eth_call: execution reverted: with unknown error 0xf988f737')
    expect(known).toEqual({
      code: 3,
      stdout: '',
      stderr: 'ethgate: eth_call: execution reverted: Custom(code: 42, why: custom why)\n',
    })
    expect(JSON.parse(json.stderr)).toEqual({
      error: {
        message: 'eth_call: execution reverted: Custom(code: 42, why: custom why)',
        exitCode: 3,
        code: 3,
        data: CUSTOM_ERROR,
        decoded: {
          kind: 'error',
          name: 'Custom',
          signature: 'Custom(uint256,string)',
          args: { code: '42', why: 'custom why' },
        },
      },
    })
  })

  test('error: one line and the right exit code', async () => {
    const refused = await ethgate(['rpc', 'eth_chainId', '--rpc-url', 'http://127.0.0.1:9'])
    expect(refused.code).toBe(4)
    expect(refused.stderr).toMatch(/^ethgate: cannot reach http:\/\/127.0.0.1:9 .*--rpc-url.*\n$/)

    const usage = await ethgate(['rpc'])
    expect(usage).toEqual({
      code: 2,
      stdout: '',
      stderr: `ethgate: missing required argument 'method'; see "ethgate rpc --help"\n`,
    })

    const json = await ethgate(['rpc', '--json'])
    expect(JSON.parse(json.stderr)).toEqual({
      error: {
        message: `missing required argument 'method'; see "ethgate rpc --help"`,
        exitCode: 2,
      },
    })

    const url = await ethgate(['rpc', 'x', '--rpc-url', 'nonsense'])
    expect(url.code).toBe(2)

    const server = await startRpc(() => ({
      error: { code: -32601, message: 'the method eth_x does not exist/is not available\nat all' },
    }))
    const unknown = await ethgate(['rpc', 'eth_x', '--rpc-url', server.url])
    await server.close()
    expect(unknown.code).toBe(1)
    expect(unknown.stderr.trim().split('\n')).toHaveLength(1)
  })

  test('error: only rpc says how its parameters were read', async () => {
    const server = await startRpc(() => ({ error: { code: -32602, message: 'invalid argument' } }))
    const rpc = await ethgate(['rpc', 'eth_getBlockByNumber', 'x', '--rpc-url', server.url])
    const block = await ethgate(['block', `0x${'f'.repeat(20)}`, '--rpc-url', server.url])
    await server.close()
    expect(rpc).toMatchObject({ code: 1, stderr: expect.stringContaining('sent as JSON') })
    expect(block).toMatchObject({
      code: 1,
      stderr: 'ethgate: eth_getBlockByNumber: invalid argument (code -32602)\n',
    })
  })

  test('error: a server that is no HTTP server', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const run = await ethgate(['block', '--rpc-url', url])
    server.close()
    expect(run.code).toBe(4)
    expect(run.stderr).toContain('(the connection was closed; it may not be an HTTP server)')
  })

  test.each([
    [
      401,
      {},
      'Unauthorized\n',
      ' answered HTTP 401 without JSON-RPC: “Unauthorized”; is a key missing?',
    ],
    [403, {}, 'no\u001B[2J entry', String.raw`: “no\u001b[2J entry”; is a key missing?`],
    [200, {}, `<html>${'x'.repeat(500)}`, `: “<html>${'x'.repeat(154)}…”; is --rpc-url`],
    [502, {}, 'Bad Gateway', ' is busy (HTTP 502: “Bad Gateway”); try again later'],
    [
      200,
      { 'content-encoding': 'gzip' },
      'no gzip',
      ' answered HTTP 200 with a body that cannot be unpacked (gzip, Z_DATA_ERROR)',
    ],
  ])(
    'error: an answer of HTTP %s with %o that is no JSON-RPC is quoted',
    async (status, headers, body, message) => {
      const server = createHttpServer((_, response) =>
        response.writeHead(status, headers).end(body),
      )
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      const run = await ethgate(['block-number', '--rpc-url', `http://127.0.0.1:${port}`])
      server.close()
      expect(run.stderr).toContain(message)
      expect(run.code).toBe(status === 502 ? 4 : 1)
    },
  )

  test('behavior: every --header is sent', async () => {
    const server = createHttpServer(({ headers }, response) =>
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: 1, result: [headers['x-a'], headers['x-b']] }),
      ),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const headers = ['--header', 'x-a: 1', '--header', 'X-B: 2']
    const run = await ethgate(['rpc', 'x', '--rpc-url', `http://127.0.0.1:${port}`, ...headers])
    server.close()
    expect(JSON.parse(run.stdout)).toEqual(['1', '2'])
  })

  test('error: a password in an address is refused and not printed', async () => {
    for (const url of [
      'http://me:secret@127.0.0.1:1',
      'me:secret@127.0.0.1:1',
      'ftp://me:secret@h',
    ])
      for (const words of [['block'], ['verify', '--against', url]]) {
        const run = await ethgate([...words, '--rpc-url', url])
        expect(run).toMatchObject({ code: 2, stdout: '' })
        expect(run.stderr).toContain('takes no user and password')
        expect(run.stderr).not.toContain('secret')
      }
  })

  test.each([
    ['http://127.0.0.1:1/0123secret', ' cannot reach http://127.0.0.1:1/… ('],
    ['http://127.0.0.1:1/k/0123secret/wei?key=secret@host', ' http://127.0.0.1:1/k/…/wei ('],
    ['ftp://node/0123secret?key=a@b', ' --rpc-url needs a URL'],
    ['http://me:0x123/secret@node', ' --rpc-url needs a URL'],
  ])('error: the key in %s is not printed', async (url, message) => {
    for (const words of [['block'], ['rpc', 'x'], ['doctor', '--for', 'viem']]) {
      const run = await ethgate([...words, '--rpc-url', url])
      expect(run.stderr).toContain(message)
      expect(run.stderr).not.toContain('secret')
    }
    const native = await ethgate(['native', 'getnowblock', '--node', url])
    expect(native.stderr).not.toContain('secret')
    const misspelt = await ethgate(['block', `--rpc-utl=${url}`])
    expect(misspelt.stderr).toContain("unknown option '--rpc-utl'")
    expect(misspelt.stderr).not.toContain('secret')
  })

  test('error: the page of a front end that repeats the path has no key', async () => {
    const server = createHttpServer((request, response) => response.writeHead(404).end(request.url))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const run = await ethgate([
      'block',
      '--rpc-url',
      `http://127.0.0.1:${port}/0123secret?key=secret01`,
    ])
    server.close()
    expect(run.stderr).toContain('answered HTTP 404 without JSON-RPC: “/…?key=…”')
  })

  test('behavior: the query of an address stays with every request', async () => {
    const asked: string[] = []
    const server = createHttpServer((request, response) => {
      asked.push(request.url ?? '')
      const isUnit = request.url?.startsWith('/chain.json')
      response.end(
        isUnit
          ? '{"decimals":18}'
          : JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0xde0b6b3a7640000' }),
      )
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/jsonrpc?key=a@b/`
    const run = await ethgate(['balance', KITCHEN, '--coin', '--rpc-url', url])
    server.close()
    expect(run).toMatchObject({ code: 0, stdout: '1\n' })
    expect(asked.toSorted()).toEqual(['/chain.json?key=a@b/', '/jsonrpc?key=a@b/'])
  })

  test('error: the largest timeout is named', async () => {
    const run = await ethgate(['block', '--timeout', '2147484'])
    expect(run).toMatchObject({
      code: 2,
      stderr: 'ethgate: --timeout needs seconds, at most 86400, got "2147484"\n',
    })
  })

  test('error: an answer that is not JSON-RPC, and a busy server', async () => {
    const page = await startRpc(() => ({ status: 404, text: '<html>' }))
    const wrong = await ethgate(['rpc', 'x', '--rpc-url', page.url])
    await page.close()
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('at the path /jsonrpc')

    const busy = await startRpc(() => ({ status: 429, text: 'slow down' }))
    const later = await ethgate(['rpc', 'x', '--rpc-url', busy.url])
    await busy.close()
    expect(later.code).toBe(4)
  })
})
