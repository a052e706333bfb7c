import { describe, expect, test } from 'vitest'

import { ethgate } from '../support/cli.ts'

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
        'native',
        'account',
        'send',
        'decode',
        'watch',
        'logs',
        'doctor',
      ]),
    )
    const helps = await Promise.all(
      ['serve', 'call', 'native', 'account', 'send', 'decode', 'watch', 'logs', 'doctor'].map(
        (name) => ethgate([name, '--help']),
      ),
    )
    for (const help of helps) expect(help.stdout).toContain('Examples:\n  $ ethgate ')
  })

  test('behavior: the options of serve are grouped, the ten most used first', async () => {
    const { stdout } = await ethgate(['serve', '--help'])
    const groups = [...stdout.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, name]) => name)
    expect(groups.slice(0, 7)).toEqual([
      'Most used',
      'Node',
      'Listen',
      'Keys and storage',
      'Index',
      'Log',
      'Limits',
    ])
    const [, most = ''] = /^Most used:\n([\s\S]*?)\n\n/m.exec(stdout) ?? []
    expect(most.match(/^ {2}--/gm)).toHaveLength(10)
  })

  test('error: an unknown command', async () => {
    const run = await ethgate(['cal'])
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/^ethgate: unknown command 'cal' \(Did you mean call\?\).*\n$/)
  })
})
