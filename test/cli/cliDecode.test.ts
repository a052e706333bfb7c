import { describe, expect, test } from 'vitest'

import { ethgate } from '../support/cli.ts'
import { ALICE, CUSTOM_ERROR } from './cliSamples.ts'

const TRANSFER =
  '0a0229272208939ece39d08a7abe40d8c483c1dd335a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a1541dd791d6b49e190062d650e6a23c575510d35f2f912154192ad11c1bf16b3b14b0bd6b5c7e2db73a0b5e83a18c0843d70d68780c1dd33'

describe('decode', () => {
  test('default: a native transaction', async () => {
    const run = await ethgate(['decode', TRANSFER, '--table'])
    expect(run.code).toBe(0)
    expect(run.stdout).toMatchInlineSnapshot(`
      "native transaction, not signed
      id          0x6303c7639f591407ef9f34a7ac8c9c9a21151f5a6af21924502515734fc267ab
      type        Transfer
      from        0xDD791D6B49E190062d650E6A23C575510d35f2f9
      to          0x92aD11c1bf16b3B14b0Bd6B5C7e2db73a0b5E83a
      amount      1 coin
      expires     2026-04-29 07:25:27Z
      signatures  0
      "
    `)
  })

  test('args: --sig, --topic, a kind and a signature, a log from stdin', async () => {
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
    const returned = await ethgate(['decode', 'abi', 'f()(uint256)', log.data])
    expect(returned.stdout).toBe('1000000000000000\n')
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

  test('behavior: a known selector without its arguments, or with a part of them', async () => {
    const cut = `0x08c379a0${'0'.repeat(62)}2000`
    const findings = await Promise.all(
      ['0x08c379a0', '0x4e487b71', '0xa9059cbb', cut].map((input) => ethgate(['decode', input])),
    )
    expect(findings.map(({ stdout }) => JSON.parse(stdout) as unknown)).toMatchObject([
      { kind: 'words', note: 'the selector of Error(string), without arguments' },
      { kind: 'words', note: 'the selector of Panic(uint256), without arguments' },
      { kind: 'words', note: 'the selector of transfer(address,uint256), without arguments' },
      { kind: 'words', selector: '0x08c379a0', note: expect.stringContaining('cut off') },
    ])
  })

  test('error: no bytes', async () => {
    const run = await ethgate(['decode', '0xabc'])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('odd')
  })
})
