import { expect, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import { createJournalReader } from './journalReader.ts'

type Options = createJournalReader.Options

test('behavior: entries that arrive after a reset are left to the next rebuild', async () => {
  const reads: string[] = []
  let deliver: (read: { entry: undefined; position: string }[]) => void = () => {}
  const journal = {
    close: () => deliver([]),
    snapshot: async () => undefined,
    read: (from: string) => {
      reads.push(from)
      return new Promise<{ entry: undefined; position: string }[]>((resolve) => {
        deliver = resolve
      })
    },
  } as unknown as Options['journal']
  const reader = createJournalReader({
    isConnected: () => true,
    journal,
    log: { warn() {} } as unknown as Options['log'],
    own: {} as Options['own'],
    source: {} as Options['source'],
  })
  await reader.rebuild()
  const running = reader.run()
  await until(() => expect(reads).toEqual(['0-0']))
  reader.reset()
  deliver([{ entry: undefined, position: '1-0' }])
  // The position is read again only after a rebuild.
  await reader.rebuild()
  await until(() => expect(reads).toEqual(['0-0', '0-0']))
  reader.stop()
  await running
})
