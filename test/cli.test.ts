import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { commandFile, ethgate, startRpc } from './cli.ts'
import { type ReplayNode, startReplayNode } from './node.ts'

const KITCHEN = '0x8233a7f16c9f522f26006ab000e1df7a6ae68662'
const ALICE = {
  base58: 'TRcdM4KTpBzgJHbwU7yRhbPratNVK829am',
  hex: '41ab9d99702700d5cb9e1309374606fe24a4fdf8ba',
  eth: '0xab9d99702700d5cb9e1309374606fe24a4fdf8ba',
}
const TRANSFER =
  '0a0229272208939ece39d08a7abe40d8c483c1dd335a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a1541dd791d6b49e190062d650e6a23c575510d35f2f912154192ad11c1bf16b3b14b0bd6b5c7e2db73a0b5e83a18c0843d70d68780c1dd33'
const CUSTOM_ERROR =
  '0xf988f737000000000000000000000000000000000000000000000000000000000000002a0000000000000000000000000000000000000000000000000000000000000040000000000000000000000000000000000000000000000000000000000000000a637573746f6d2077687900000000000000000000000000000000000000000000'

let node: ReplayNode
let folder: string
beforeAll(async () => {
  node = await startReplayNode()
  folder = await mkdtemp(join(tmpdir(), 'ethgate-cli-'))
})
afterAll(() => node.close())

describe('call', () => {
  test('default: one line of JSON into a pipe', async () => {
    const run = await ethgate(['call', 'eth_chainId', '--rpc', node.rpcUrl])
    expect(run).toEqual({ code: 0, stdout: '"0xb24e27cc"\n', stderr: '' })
  })

  test('args: --raw, the address from the environment', async () => {
    const run = await ethgate(['call', 'eth_chainId', '--raw'], {
      env: { ETHGATE_RPC: node.rpcUrl },
    })
    expect(run).toEqual({ code: 0, stdout: '0xb24e27cc\n', stderr: '' })
  })

  test('args: parameters are JSON where they parse, text elsewhere, or come from stdin', async () => {
    const server = await startRpc(() => ({ result: null }))
    const rpc = ['--rpc', server.url]
    await ethgate(['call', 'a', 'latest', 'true', '{"n":9007199254740993}', '0x10', '12', ...rpc])
    await ethgate(['call', 'b', '-', ...rpc], { input: '[1,{"x":[]}]' })
    await ethgate(['call', 'c', '-', ...rpc], { input: '{"x":1}' })
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
    const run = await ethgate(['call', 'x', '--rpc', server.url])
    await server.close()
    expect(run.stdout).toBe('{"amount":9223372036854775807,"fraction":1.50}\n')
  })

  test('behavior: --table shows fields and what they mean', async () => {
    const run = await ethgate([
      'call',
      'eth_getBlockByNumber',
      '0xdf',
      'false',
      '--table',
      '--rpc',
      node.rpcUrl,
    ])
    expect(run.stdout).toContain('number            0xdf (223)\n')
    expect(run.stdout).toContain('timestamp         0x6b0186a3 (2026-11-21 11:55:15Z)\n')
    expect(run.stdout).toContain('(256 bytes; --json shows all)')
    expect(run.stdout).not.toContain('\u001B[')
  })

  test('behavior: FORCE_COLOR paints, NO_COLOR does not', async () => {
    const args = ['call', 'eth_getBlockByNumber', '0xdf', 'false', '--table', '--rpc', node.rpcUrl]
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
    const call = ['call', 'eth_call', `{"to":"${KITCHEN}"}`, '--rpc', server.url]
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
    const refused = await ethgate(['call', 'eth_chainId', '--rpc', 'http://127.0.0.1:9'])
    expect(refused.code).toBe(4)
    expect(refused.stderr).toMatch(/^ethgate: cannot reach http:\/\/127.0.0.1:9 .*--rpc.*\n$/)

    const usage = await ethgate(['call'])
    expect(usage).toEqual({
      code: 2,
      stdout: '',
      stderr: `ethgate: missing required argument 'method'; see "ethgate call --help"\n`,
    })

    const json = await ethgate(['call', '--json'])
    expect(JSON.parse(json.stderr)).toEqual({
      error: {
        message: `missing required argument 'method'; see "ethgate call --help"`,
        exitCode: 2,
      },
    })

    const url = await ethgate(['call', 'x', '--rpc', 'nonsense'])
    expect(url.code).toBe(2)

    const server = await startRpc(() => ({
      error: { code: -32601, message: 'the method eth_x does not exist/is not available\nat all' },
    }))
    const unknown = await ethgate(['call', 'eth_x', '--rpc', server.url])
    await server.close()
    expect(unknown.code).toBe(1)
    expect(unknown.stderr.trim().split('\n')).toHaveLength(1)
  })

  test('error: an answer that is no JSON-RPC, and a busy server', async () => {
    const page = await startRpc(() => ({ status: 404, text: '<html>' }))
    const wrong = await ethgate(['call', 'x', '--rpc', page.url])
    await page.close()
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('at the path /jsonrpc')

    const busy = await startRpc(() => ({ status: 429, text: 'slow down' }))
    const later = await ethgate(['call', 'x', '--rpc', busy.url])
    await busy.close()
    expect(later.code).toBe(4)
  })
})

describe('wallet', () => {
  test('default: any spelling of an operation, exact answer', async () => {
    const answers = await Promise.all(
      ['getnowblock', 'GetNowBlock', 'get_now_block', '/wallet/getnowblock'].map((name) =>
        ethgate(['wallet', name, '--node', node.url]),
      ),
    )
    for (const answer of answers) {
      expect(answer.code).toBe(0)
      expect(JSON.parse(answer.stdout)).toMatchObject({
        block_header: { raw_data: { number: 223 } },
      })
    }
  })

  test('args: name=value, addresses in any spelling, --table', async () => {
    const run = await ethgate([
      'wallet',
      'getaccount',
      `address=${ALICE.base58}`,
      '--node',
      node.url,
      '--table',
    ])
    expect(run.code).toBe(0)
    expect(run.stdout).toContain(`address                ${ALICE.base58}\n`)
    expect(run.stdout).toContain('balance                19,797,579.273724 coin\n')
    const same = await ethgate(['wallet', 'getaccount', '-', '--node', node.url], {
      input: `{"address":"${ALICE.eth}"}`,
    })
    expect(JSON.parse(same.stdout)).toMatchObject({ address: ALICE.hex })
  })

  test('args: --solidity asks the other prefix', async () => {
    node.requests.reset()
    await ethgate([
      'wallet',
      'getnowblock',
      '--solidity',
      '--node',
      node.url,
      '--node-solidity',
      node.solidityUrl,
    ])
    expect(node.requests.paths()).toEqual(['/walletsolidity/getnowblock'])
  })

  test('args: --list', async () => {
    const run = await ethgate(['wallet', '--list'])
    const list = JSON.parse(run.stdout) as { name: string; path: string }[]
    expect(list).toContainEqual({ name: 'getBurnNative', path: 'getburntrx', solidity: true })
    expect(list.length).toBeGreaterThan(80)
  })

  test('error: the node’s own words, a misspelt operation, no node', async () => {
    const server = await startRpc(() => ({ status: 404, text: '' }))
    const misspelt = await ethgate(['wallet', 'getnowblok', '--node', server.url])
    expect(misspelt).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ethgate: there is no operation getnowblok; did you mean getnowblock?\n',
    })
    const disabled = await startReplayNode({
      intercept: () => ({
        status: 404,
        text: '{"Error":"this API is unavailable due to config"}',
      }),
    })
    const same = await ethgate(['wallet', 'getnowblok', '--node', disabled.url])
    await disabled.close()
    expect(same.stderr).toBe(misspelt.stderr)
    const away = await ethgate(['wallet', 'getnowblock', '--rpc', server.url])
    expect(away.stderr).toContain('give a node with --node')
    await server.close()

    const refusal = await startReplayNode({
      intercept: () => ({
        text: '{"Error":"class org.tron.core.exception.ContractValidateException : Invalid ownerAddress!"}',
      }),
    })
    const refused = await ethgate(['wallet', 'createtransaction', '{}', '--node', refusal.url])
    await refusal.close()
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ethgate: createtransaction: Invalid ownerAddress!\n',
    })
  })

  test('error: a constant call that reverts prints its answer and exits with 3', async () => {
    const answer = `{"result":{"result":true,"message":"524556455254206f70636f6465206578656375746564"},"constant_result":["${CUSTOM_ERROR.slice(2)}"],"transaction":{"ret":[{"ret":"FAILED"}]}}`
    const reverting = await startReplayNode({ intercept: () => ({ text: answer }) })
    const run = await ethgate(['wallet', 'triggerconstantcontract', '{}', '--node', reverting.url])
    await reverting.close()
    expect(run.code).toBe(3)
    expect(run.stdout).toBe(`${answer}\n`)
    expect(run.stderr).toContain('triggerconstantcontract: execution reverted')
  })
})

describe('account', () => {
  test('default: convert from every spelling', async () => {
    for (const spelling of Object.values(ALICE)) {
      const run = await ethgate(['account', 'convert', spelling])
      expect(JSON.parse(run.stdout)).toEqual(ALICE)
    }
  })

  test('behavior: a key is saved for its owner only and never printed', async () => {
    const file = join(folder, 'new.key')
    const made = await ethgate(['account', 'new', '--save', file])
    const { mode } = await stat(file)
    expect(mode & 0o777).toBe(0o600)
    const key = (await readFile(file, 'utf8')).trim()
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(made.stdout + made.stderr).not.toContain(key)

    const { base58 } = JSON.parse(made.stdout) as { base58: string }
    const converted = await ethgate(['account', 'convert', '--key-file', file])
    expect(JSON.parse(converted.stdout)).toMatchObject({ base58 })
    expect(converted.stdout).not.toContain(key)

    const again = await ethgate(['account', 'new', '--save', file])
    expect(again.code).toBe(1)
    expect((await readFile(file, 'utf8')).trim()).toBe(key)
  })

  test('behavior: show reads a node', async () => {
    const run = await ethgate(['account', 'show', ALICE.base58, '--node', node.url, '--table'])
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(/^ethereum +0xab9d99702700d5cb9e1309374606fe24a4fdf8ba$/m)
    expect(run.stdout).toMatch(/^staked for energy +196,500 coin$/m)
    expect(run.stdout).toMatch(/^token 1000001 +99,999,998,998,446$/m)
    expect(run.stdout).toMatch(/^permission 2 \(active\) +1 of TRcdM4/m)
  })

  test('behavior: show reads a gateway alone', async () => {
    const gateway = await startRpc((method) => {
      if (method === 'eth_getBalance') return { result: '0x12017bae15fc' }
      if (method === 'eth_getCode') return { result: '0x' }
      return { error: { code: -32601, message: 'no such method' } }
    })
    const run = await ethgate(['account', 'show', ALICE.eth, '--rpc', gateway.url, '--table'])
    await gateway.close()
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(/^balance +19,797,579.273724 coin$/m)
    expect(run.stderr).toContain('--node')
  })

  test('error: a wrong checksum', async () => {
    for (const wrong of [
      'TRcdM4KTpBzgJHbwU7yRhbPratNVK829an',
      '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    ]) {
      const run = await ethgate(['account', 'convert', wrong])
      expect(run.code).toBe(2)
      expect(run.stderr).toContain('checksum')
    }
  })
})

describe('decode', () => {
  test('default: a native transaction', async () => {
    const run = await ethgate(['decode', TRANSFER, '--table'])
    expect(run.code).toBe(0)
    expect(run.stdout).toMatchInlineSnapshot(`
      "native transaction, not signed
      id          6303c7639f591407ef9f34a7ac8c9c9a21151f5a6af21924502515734fc267ab
      type        Transfer
      from        TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp
      to          TPLkz8rzTT7gKRS1bUm3hBcvw1EExAbKTV
      amount      1 coin
      expires     2026-04-29 07:25:27Z
      signatures  0
      "
    `)
  })

  test('args: --sig, --topic, --returns, a log from stdin', async () => {
    const custom = await ethgate(['decode', CUSTOM_ERROR, '--sig', 'error Custom(uint256,string)'])
    expect(JSON.parse(custom.stdout)).toMatchObject({
      kind: 'revert',
      decoded: { name: 'Custom', args: { 0: '42', 1: 'custom why' } },
    })
    const log = {
      topics: [
        '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
        `0x${'0'.repeat(64)}`,
        `0x${'0'.repeat(24)}${ALICE.eth.slice(2)}`,
      ],
      data: '0x00000000000000000000000000000000000000000000000000038d7ea4c68000',
    }
    const fromStdin = await ethgate(['decode', '-'], { input: JSON.stringify(log) })
    const fromArgs = await ethgate([
      'decode',
      log.data,
      ...log.topics.flatMap((topic) => ['--topic', topic]),
    ])
    expect(fromArgs.stdout).toBe(fromStdin.stdout)
    expect(JSON.parse(fromStdin.stdout)).toMatchObject({
      kind: 'log',
      decoded: { name: 'Transfer', args: { to: ALICE.eth, value: '1000000000000000' } },
    })
    const returned = await ethgate(['decode', log.data, '--returns', 'uint256'])
    expect(JSON.parse(returned.stdout)).toEqual({
      kind: 'returned values',
      values: ['1000000000000000'],
    })
  })

  test('behavior: reverts, calls, messages, addresses', async () => {
    const panic = `0x4e487b71${'0'.repeat(62)}11`
    const transfer = `0xa9059cbb${'0'.repeat(24)}${ALICE.eth.slice(2)}${'0'.repeat(62)}64`
    const findings = await Promise.all(
      [panic, transfer, '524556455254206f70636f6465206578656375746564', ALICE.hex].map((input) =>
        ethgate(['decode', input]),
      ),
    )
    expect(findings.map(({ stdout }) => JSON.parse(stdout) as unknown)).toMatchObject([
      { kind: 'revert', text: 'arithmetic underflow or overflow' },
      { kind: 'call', decoded: { name: 'transfer', args: { to: ALICE.eth, value: '100' } } },
      { kind: 'text', text: 'REVERT opcode executed' },
      { kind: 'address', address: ALICE },
    ])
  })

  test('error: no bytes', async () => {
    const run = await ethgate(['decode', '0xabc'])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('odd')
  })
})

describe('help', () => {
  test('default: every command, each with examples', async () => {
    const all = await ethgate(['--help'])
    expect(all.code).toBe(0)
    const names = [...all.stdout.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        'serve',
        'dev',
        'call',
        'wallet',
        'account',
        'send',
        'decode',
        'watch',
        'logs',
        'doctor',
      ]),
    )
    const helps = await Promise.all(
      ['serve', 'call', 'wallet', 'account', 'send', 'decode', 'watch', 'logs', 'doctor'].map(
        (name) => ethgate([name, '--help']),
      ),
    )
    for (const help of helps) expect(help.stdout).toContain('Examples:\n  $ ethgate ')
  })

  test('error: an unknown command', async () => {
    const run = await ethgate(['cal'])
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/^ethgate: unknown command 'cal' \(Did you mean call\?\).*\n$/)
  })
})

test('behavior: a reader that leaves ends the command quietly', async () => {
  const server = await startRpc(() => ({ result: 'x'.repeat(4_000_000) }))
  const shell = spawn('sh', [
    '-c',
    `"$0" "$1" call x --rpc "$2" | head -c 5; echo`,
    process.execPath,
    commandFile(),
    server.url,
  ])
  let output = ''
  shell.stdout.on('data', (text: Buffer) => (output += text.toString()))
  shell.stderr.on('data', (text: Buffer) => (output += text.toString()))
  await once(shell, 'close')
  await server.close()
  expect(output).toBe('"xxxx\n')
})

// util-linux's script gives a command a terminal; elsewhere it is missing or takes other options.
const recorder = 'script'
const hasScript = spawnSync(recorder, ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
)

test.skipIf(!hasScript)(
  `behavior: a terminal gets tables and colours${hasScript ? '' : ' (skipped: no util-linux script)'}`,
  () => {
    const command = `"${process.execPath}" "${commandFile()}" account convert ${ALICE.base58}`
    const run = (env: Record<string, string>) =>
      spawnSync(recorder, ['-qec', command, '/dev/null'], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ...env },
      }).stdout
    expect(run({})).toContain('\u001B[1mbase58\u001B[22m')
    expect(run({ NO_COLOR: '1' })).toContain(`base58      ${ALICE.base58}`)
  },
)
