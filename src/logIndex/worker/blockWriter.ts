// The thread that writes a store of blocks: compressing and writing do not hold calls up.
import { parentPort, workerData } from 'node:worker_threads'

import { answerCalls } from '../../lib/threadCalls.ts'
import type { Part } from '../blocks/halves.ts'
import { openBlockWriter, type Usage } from '../blocks/writer.ts'

/** The settings of the writer. */
export type BlockWriterData = Pick<
  Parameters<typeof openBlockWriter>[0],
  'address' | 'genesis' | 'limit'
>

/** Events of the writer. */
export type BlockWriterEvent =
  | { kind: 'problem'; message: string }
  | { kind: 'usage'; usage: Usage }

/** Milliseconds between reads of what other processes have stored. */
const REFRESH_EVERY = 10_000

if (parentPort) {
  const events: BlockWriterEvent[] = []
  let send = (event: BlockWriterEvent): void => void events.push(event)
  const writer = await openBlockWriter({
    ...(workerData as BlockWriterData),
    onProblem: (message) => send({ kind: 'problem', message }),
  })
  const report = () => send({ kind: 'usage', usage: writer.usage() })
  const port = answerCalls(parentPort, {
    async add({ parts, used }: { parts: Part[]; used: number[] }) {
      await writer.add(parts, used)
      report()
    },
    async dropFrom(number: number) {
      await writer.dropFrom(number)
      report()
    },
    async stop() {
      clearInterval(refreshing)
      await writer.close()
    },
  })
  const refreshing = setInterval(() => {
    // A storage that fails is reported when it is written to.
    writer.refresh().then(report, () => {})
  }, REFRESH_EVERY)
  send = (event) => port.event(event)
  for (const event of events) send(event)
  report()
}
