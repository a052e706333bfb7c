import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { compileModule } from '../../../test/support/compileModule.ts'
import { runOnSmallDisk } from '../../../test/support/smallDisk.ts'

test.skipIf(process.platform === 'win32')(
  'error: rows that the disk takes only in part',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ethgate-export-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const script = `
      const { openExport } = await import('${await compileModule('cli/output/exportFile.ts')}')
      const path = ${JSON.stringify(join(folder, 'logs.jsonl'))}
      const file = await openExport(path, { search: 'all', from: 0, force: false })
      await file.append(['a'], 1)
      await file.append(['b'.repeat(2_000)], 2).catch((error) => console.log(error.code))
      await file.save()
      console.log(JSON.stringify(file.state))`
    const [error, state = ''] = (await runOnSmallDisk(script)).split('\n')
    expect(error).toBe('EFBIG')
    expect(JSON.parse(state)).toMatchObject({ next: 1, bytes: 2, logs: 1 })
  },
)
