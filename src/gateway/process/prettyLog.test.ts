import { expect, test } from 'vitest'

import { createLog } from '../log.ts'
import { createPrettyOutput } from './prettyLog.ts'

test('default: an entry is one line, an error too', () => {
  const lines: string[] = []
  const output = { write: (line: string) => void lines.push(line), problem: () => undefined }
  const log = createLog('info', createPrettyOutput(output, false))
  log.info({ url: 'http://127.0.0.1:8545' }, 'listening')
  log.warn({ err: new Error('connect ECONNREFUSED') }, 'Redis is down')
  expect(lines.map((line) => line.replace(/^\[[\d:]+\]/, '[time]'))).toEqual([
    '[time] INFO: listening {"url":"http://127.0.0.1:8545"}\n',
    '[time] WARN: Redis is down: connect ECONNREFUSED\n',
  ])
})
