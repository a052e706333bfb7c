import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { compileModule } from '../../test/support/compileModule.ts'
import { runOnSmallDisk } from '../../test/support/smallDisk.ts'

/** What a journal on a small disk says to its calls, and the lines of its file. @param calls - statements of the script */
async function onSmallDisk(calls: string) {
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
      const append = (text) => journal.append({ text }).then(
        () => outcomes.push('written'),
        (error) => outcomes.push(error.message),
      )
      ${calls}
      console.log(outcomes.join())`
  const said = await runOnSmallDisk(script)
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  return { said, lines }
}

test.skipIf(process.platform === 'win32')(
  'error: an entry that the disk takes only in part',
  async () => {
    const { lines, said } = await onSmallDisk(`
      for (const text of ['a', 'b'.repeat(2_000), 'c']) {
        await journal.ensureLoaded()
        await append(text)
        outcomes.push(typeof journal.problem())
      }`)
    expect(said).toBe('written,undefined,not written,string,written,undefined')
    expect(lines).toEqual(['{"version":1}', '{"text":"a"}', '{"text":"c"}'])
  },
)

test.skipIf(process.platform === 'win32')(
  'error: an entry during a write that the disk refuses is not written behind the rest of it',
  async () => {
    const { lines, said } = await onSmallDisk(`
      const first = append('b'.repeat(2_000))
      for (let turn = 0; turn < 5; turn++) await undefined
      await Promise.all([first, append('c')])
      await journal.ensureLoaded()
      await append('d')
      await journal.load()`)
    expect(said).toBe('not written,not written,written')
    expect(lines).toEqual(['{"version":1}', '{"text":"d"}'])
  },
)
