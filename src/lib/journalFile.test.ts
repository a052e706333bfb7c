import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { compileModule } from '../../test/support/compileModule.ts'
import { runOnSmallDisk } from '../../test/support/smallDisk.ts'

test.skipIf(process.platform === 'win32')(
  'error: an entry that the disk takes only in part',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ethgate-journal-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'journal.jsonl')
    const script = `
      const { createJournalFile } = await import('${await compileModule('lib/journalFile.ts')}')
      let known = []
      const journal = createJournalFile({
        file: ${JSON.stringify(file)},
        header: { version: 1 },
        isEntry: () => true,
        entries: () => known,
        restore: (entries) => (known = [...entries]),
        onFailure: (cause) => new Error('not written', { cause }),
        onHeader: (header) => new Error(header),
        onUnreadable: (place) => new Error(place),
      })
      await journal.load()
      const outcomes = []
      for (const text of ['a', 'b'.repeat(2_000), 'c']) {
        await journal.ensureLoaded()
        await journal.append({ text }).then(
          () => outcomes.push('written'),
          (error) => outcomes.push(error.message),
        )
      }
      console.log(outcomes.join())`
    expect(await runOnSmallDisk(script)).toBe('written,not written,written')
    expect((await readFile(file, 'utf8')).trim().split('\n')).toEqual([
      '{"version":1}',
      '{"text":"a"}',
      '{"text":"c"}',
    ])
  },
)
