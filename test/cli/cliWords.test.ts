import { mkdtempSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { ethgate, type RunningCommand, startDev } from '../support/cli.ts'

// The first accounts of the development chain; their keys are public.
const FIRST = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const SECOND = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const TOKEN = new URL('../../docs/examples/Token.json', import.meta.url).pathname

describe.each([6, 18])('a chain with %i decimals', (decimals) => {
  let chain: RunningCommand
  let url = ''
  let token = ''

  beforeAll(async () => {
    const started = await startDev('--decimals', String(decimals))
    chain = started.command
    url = started.url
  })
  afterAll(async () => {
    chain.process.kill('SIGTERM')
    await chain.ended
  })

  const run = (...words: string[]) => ethgate(words, { env: { ETH_RPC_URL: url } })
  const print = async (...words: string[]) => {
    const { code, stderr, stdout } = await run(...words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.trimEnd()
  }

  test('behavior: amounts follow the decimals of the chain', async () => {
    const unit = 10n ** BigInt(decimals)
    const before = BigInt(await print('balance', SECOND))
    const shown = await print('send', SECOND, '--value', '1.5coin', '--from', FIRST, '--table')
    expect(shown).toMatch(/^amount +1.5 coins$/m)
    expect(shown).toMatch(/^transaction +0x[0-9a-f]{64}$/m)
    expect(shown).toMatch(/^fee +\S+ coins$/m)
    const ether = await run('send', SECOND, '--value', '0.1ether', '--from', FIRST, '--dry-run')
    expect(ether.code).toBe(decimals === 18 ? 0 : 2)
    expect(BigInt(await print('balance', SECOND)) - before).toBe((unit * 15n) / 10n)
    const age = Number(await print('age'))
    expect(age).toBe(Number(await print('block', 'latest', 'timestamp')))
    expect(Date.now() / 1000 - age).toBeLessThan(3_600)
    for (const option of ['--coin', '--ether'])
      expect(await print('balance', SECOND, option)).toBe(`${before / unit + 1n}.5`)
    expect(await print('account', 'show', SECOND, '--table')).toMatch(/^balance +10,001.5 coins$/m)
    const wei = ['--rpc-url', `${url}/wei`]
    expect(await print('balance', SECOND, '--coin', ...wei)).toBe(`${before / unit + 1n}.5`)
    const toWei = await print('estimate', SECOND, '--value', '1coin', '--from', FIRST, ...wei)
    expect(toWei).toBe(await print('estimate', SECOND, '--value', '1coin', '--from', FIRST))
  })

  test('default: a deployment, a call, a transaction, its receipt and its calls', async () => {
    const deployed = await print('send', '--create', TOKEN, '1000', '--from', FIRST)
    token = (JSON.parse(deployed) as { contractAddress: string }).contractAddress
    expect(await print('call', token, 'balanceOf(address)(uint256)', FIRST)).toBe('1000')
    expect(await print('call', token, 'balanceOf', FIRST, '--abi', TOKEN)).toBe('1000')
    const sent = await print(
      'send',
      token,
      'transfer(address,uint256)',
      SECOND,
      '7',
      '--from',
      FIRST,
    )
    const { hash } = JSON.parse(sent) as { hash: string }
    expect(await print('receipt', hash, 'status')).toBe('1')
    expect(await print('receipt', hash, '-f', 'logs[0].address')).toBe(getAddress(token))
    expect(await print('tx', hash, 'to')).toBe(getAddress(token))
    expect(await print('tx', hash, 'state', '--status')).toBe('mined')
    expect(await print('tx', `0x${'11'.repeat(32)}`, 'state', '--status')).toBe('unknown')
    expect(await print('tx', hash, 'to', '--json')).toBe(`"${token}"`)
    expect(await print('tx', hash, '--table')).toMatch(
      new RegExp(`^to +${getAddress(token)}$`, 'm'),
    )
    expect(await print('run', hash, '--table')).toContain(
      'transfer(to: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8, value: 7)',
    )
    const block = await print('block')
    expect(JSON.parse(block)).toMatchObject({ transactions: [hash] })
    expect(await print('block', '-f', 'transactions[0]')).toBe(hash)
    expect(await print('block', 'latest', '--table')).toMatch(/^timestamp +\d+ \(20.*Z\)$/m)
  })

  test('error: a signature for an address without a contract; a field that does not exist', async () => {
    const nonce = await print('nonce', FIRST)
    const refused = await run(
      'send',
      SECOND,
      'transfer(address,uint256)',
      FIRST,
      '1',
      '--from',
      FIRST,
    )
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('there is no contract at TLEaY8XoqpBmndLsjcfThgdKLN1ssNuUcF')
    expect(refused.stderr).toContain('give only --value to send coins')
    expect(await print('nonce', FIRST)).toBe(nonce)
    for (const word of ['call', 'estimate'])
      expect((await run(word, SECOND, 'f()')).stderr).toMatch(/: f\(\) cannot be called\n$/)
    const field = await run('block', '-f', 'hsh')
    expect(field).toMatchObject({ code: 2, stdout: '' })
    expect(field.stderr).toContain('there is no field hsh; the fields are')
    const missing = await run('tx', `0x${'11'.repeat(32)}`)
    expect(missing).toMatchObject({ code: 1, stdout: '' })
  })

  test('behavior: a transaction that reverts prints its hash', async () => {
    const options = ['--from', FIRST, '--fee-limit', decimals === 6 ? '50coin' : '0.001coin']
    const words = ['transferFrom(address,address,uint256)', SECOND, FIRST, '900']
    const failed = await run('send', token, ...words, ...options, '--table')
    expect(failed.code).toBe(3)
    expect(failed.stderr).toMatch(/^ethgate: transaction 0x[0-9a-f]{64} is in a block and failed/)
  })
})

describe('words without a request', () => {
  const print = async (...words: string[]) => (await ethgate(words)).stdout.trimEnd()

  test('default: encode and decode', async () => {
    const data = await print('encode', 'calldata', 'transfer(address,uint256)', SECOND, '100000')
    expect(data).toBe(`0xa9059cbb${'0'.repeat(24)}${SECOND.slice(2)}${'186a0'.padStart(64, '0')}`)
    const words = ['decode', 'calldata', 'transfer(address,uint256)', data]
    expect(await print(...words)).toBe('0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n100000')
    expect(await print(...words, '--table')).toBe(
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n100000 [1e5]',
    )
    const tuple = ['f((uint256,string),uint8[])', '[100000,"a"]', '[1,2]'] as const
    const values = await print('encode', 'abi', ...tuple)
    expect(await print('decode', 'abi', tuple[0], values, '--input', '--table')).toBe(
      '(100000 [1e5], "a")\n[1, 2]',
    )
    const event = 'Transfer(address indexed from, address indexed to, uint256 value)'
    const log = JSON.parse(await print('encode', 'event', event, FIRST, SECOND, '5')) as {
      topics: string[]
      data: string
    }
    const topics = log.topics.flatMap((topic) => ['--topic', topic])
    expect(JSON.parse(await print('decode', 'event', event, log.data, ...topics))).toMatchObject({
      kind: 'log',
      decoded: { args: { from: FIRST, to: SECOND, value: '5' } },
    })
    const noted =
      'LogNote(bytes4 indexed sig, address indexed who, string indexed text, uint indexed n, bytes data) anonymous'
    const note = JSON.parse(
      await print('encode', 'event', noted, '0x12345678', FIRST, 'hello', '7', '0xabcd'),
    ) as { topics: string[]; data: string }
    expect(note.topics).toHaveLength(4)
    expect(note.topics[0]).toBe(`0x12345678${'0'.repeat(56)}`)
    const noteTopics = note.topics.flatMap((topic) => ['--topic', topic])
    for (const words of [
      ['decode', 'event', noted, note.data, ...noteTopics],
      ['decode', note.data, '--sig', `event ${noted}`, ...noteTopics],
      ['decode', JSON.stringify(note), '--sig', `event ${noted}`],
    ])
      expect(JSON.parse(await print(...words))).toMatchObject({
        kind: 'log',
        decoded: {
          args: { sig: '0x12345678', who: FIRST, text: note.topics[2], n: '7', data: '0xabcd' },
        },
      })
    const empty = 'Plain(uint256 n) anonymous'
    const plain = JSON.parse(await print('encode', 'event', empty, '5')) as { data: string }
    expect(JSON.parse(await print('decode', 'event', empty, plain.data))).toMatchObject({
      decoded: { args: { n: '5' } },
    })
    const error = await print('encode', 'error', 'Custom(uint256,string)', '42', 'why')
    expect(await print('decode', 'error', 'Custom(uint256,string)', error)).toBe('42\nwhy')
  })

  test('default: selectors, hashes and units', async () => {
    const swap = 'swap(tuple(uint256, tuple(address,bool)[] parts) order, uint8)'
    expect(await print('sig', swap)).toBe(
      await print('sig', 'swap((uint256,(address,bool)[]),uint8)'),
    )
    expect(await print('sig', 'transfer(address,uint256)')).toBe('0xa9059cbb')
    expect(await print('4byte', '0xa9059cbb')).toBe('transfer(address,uint256)')
    const topic = await print('keccak', 'Transfer(address,address,uint256)')
    expect(await print('4byte', topic)).toBe('Transfer(address,address,uint256)')
    expect(await print('to-unit', '1.5coin')).toBe('1500000')
    expect(await print('to-unit', '1500000sun', 'coin')).toBe('1.5')
    expect(await print('to-unit', '1coin', 'gwei')).toBe('1000000000')
    expect(await print('from-unit', '1500000')).toBe('1.5')
    expect(await print('from-unit', '9223372036854775807')).toBe('9223372036854.775807')
  })

  test('error: other selectors, other units, other bytes', async () => {
    const cases: [string[], number, string][] = [
      [['4byte', '0x00000001'], 1, 'not in the bundled table'],
      [['4byte', 'transfer'], 2, 'a selector is 0x and 8 hex digits'],
      [['to-unit', '1'], 2, 'has no unit: write 1coin'],
      [['to-unit', 'abc'], 2, '"abc" is not an amount with its unit, such as 1.5coin'],
      [['to-unit', '1.5'], 2, '"1.5" has no unit: write 1.5coin\n'],
      [['keccak', '0x1'], 2, '"0x1" is not bytes'],
      [['keccak', '0xzz'], 2, '"0xzz" is not bytes'],
      [['encode', 'abi', 'f(uint8)', '256'], 2, 'f: argument 1 (uint8) needs an integer within'],
      [['to-unit', '1coin', 'trx'], 2, 'there is no unit trx'],
      [['from-unit', 'x'], 2, 'is not a number'],
      [['decode', 'calldata', 'f(uint256)', '0xa9059cbb'], 2, 'the selector of f(uint256) is'],
      [['decode', 'abi', 'f()(uint256)', '0x00'], 2, '1 byte cannot be read as (uint256)'],
      [['decode', 'abi', 'f()(uint25)', '0x00'], 2, 'is not a signature'],
      [['encode', 'topic', 'f()'], 2, 'encode takes calldata, abi, error or event'],
    ]
    for (const [words, code, text] of cases) {
      const run = await ethgate(words)
      expect({ words, code: run.code }).toEqual({ words, code })
      expect(run.stderr).toContain(text)
    }
  })
})

describe('words of earlier versions and of cast', () => {
  test.each([
    [['to-wei', '1.5'], '1500000000000000000'],
    [['to-wei', '2', 'gwei'], '2000000000'],
    [['from-wei', '1500000000000000000'], '1.5'],
    [['from-wei', '2000000000', 'gwei'], '2'],
    [
      ['calldata', 'transfer(address,uint256)', FIRST, '5'],
      `0xa9059cbb${FIRST.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}`,
    ],
    [['abi-encode', 'f(uint8)', '1'], `0x${'1'.padStart(64, '0')}`],
  ])('behavior: %s is an alias', async (words, expected) => {
    const { code, stderr, stdout } = await ethgate(words)
    expect({ code, stderr, stdout }).toMatchObject({ code: 0, stderr: '' })
    expect(stdout.trim()).toBe(expected)
  })

  test('behavior: the answer names the present word', async () => {
    const cases: [string[], string][] = [
      [['wallet', 'getnowblock'], 'native OPERATION'],
      [['account', 'new'], 'ethgate keys new'],
      [['account', 'convert', FIRST], 'ethgate address ADDRESS'],
      [['call', 'eth_chainId'], 'use "ethgate rpc eth_chainId"'],
      [['send', '--to', SECOND], 'the receiver is the first argument'],
      [['send', SECOND, '--amount', '1coin'], 'it is now --value'],
      [['logs', '--topic', 'any'], 'topics are arguments'],
      [['rpc', 'eth_chainId', '--rpc', 'http://127.0.0.1:9'], 'it is now --rpc-url'],
      [['blok'], 'Did you mean block?'],
      [['basefee'], 'use "ethgate block BLOCK -f baseFeePerGas"'],
      [['tx-pool'], 'use "ethgate rpc txpool_content"'],
      [['to-hex', '10'], 'use "cast to-hex"'],
      [['send', SECOND, '--unlocked'], 'without a key the gateway signs'],
      [['dev', '--hardfork', 'prague'], 'use --energy'],
      [['dev', '--no-mining'], 'use --no-automine'],
      [['dev', '--free-bandwidth'], 'it is now --fees gas'],
      [['dev', '--steps-tracing'], 'debug_traceTransaction'],
      [['-a', '3'], 'use --accounts'],
      [['dev', '-m', 'x'], 'use --mnemonic'],
      [['dev', '-b', '3'], 'use --block-time'],
    ]
    for (const [words, text] of cases) {
      const run = await ethgate(words)
      expect(run).toMatchObject({ code: 2, stdout: '' })
      expect(run.stderr).toContain(text)
      expect(run.stderr.trim().split('\n')).toHaveLength(1)
    }
    const env = await ethgate(['block'], { env: { ETHGATE_RPC: 'http://127.0.0.1:9' } })
    expect(env).toMatchObject({
      code: 2,
      stderr: 'ethgate: ETHGATE_RPC is now ETH_RPC_URL, as in cast\n',
    })
  })

  test('args: -v and -V print the version', async () => {
    const { version } = JSON.parse(
      await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { version: string }
    for (const flag of ['-v', '-V', '--version'])
      expect(await ethgate([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('behavior: after a subcommand -v is an option of that one', async () => {
    const run = await ethgate(['dev', '-v', '--upstream', 'http://127.0.0.1:9'])
    expect(run).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('dev runs its own chain'),
    })
  })
})

test('error: a creation from a file that has no code', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'ethgate-words-')), 'typo.yaml')
  await writeFile(file, 'port: 1\n')
  const run = await ethgate(['send', '--create', file, '--from', FIRST])
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toContain('is neither an artifact (JSON) nor creation code (hex)')
})

test('behavior: a creation from bare code takes the signature of its constructor', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'ethgate-words-')), 'code.hex')
  await writeFile(file, '0x00')
  const run = await ethgate(
    ['send', '--create', file, 'constructor(uint256)', 'x', '--from', FIRST],
    {
      env: { ETH_RPC_URL: 'http://127.0.0.1:9' },
    },
  )
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toContain('needs an integer')
})
