import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

const UNIT = new URL('../../deploy/systemd/ethgate.service', import.meta.url)

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
if (process.env['TEST_TOOLS'] && !hasSystemd)
  process.stderr.write('skipped: the systemd unit needs systemd-analyze on the PATH\n')

test.runIf(process.env['TEST_TOOLS'] && hasSystemd)(
  'default: systemd accepts the unit and rates its exposure as low',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'ethgate-unit-'))
    onTestFinished(() => rmSync(folder, { force: true, recursive: true }))
    const file = join(folder, 'ethgate.service')
    // The command exists only where the package is installed.
    writeFileSync(
      file,
      readFileSync(UNIT, 'utf8').replace('env ethgate serve', 'env node --version'),
    )
    const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    expect([verified.status, verified.stderr]).toEqual([0, ''])
    const rated = spawnSync('systemd-analyze', ['security', '--offline=true', file], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', SYSTEMD_PAGER: '' },
    })
    const [, level] =
      /Overall exposure level for ethgate\.service: ([\d.]+)/.exec(rated.stdout) ?? []
    expect(Number(level)).toBeLessThan(2)
  },
)
