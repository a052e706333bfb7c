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

  test('error: an unknown command', async () => {
    const run = await ethgate(['cal'])
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/^ethgate: unknown command 'cal' \(Did you mean call\?\).*\n$/)
  })
})
