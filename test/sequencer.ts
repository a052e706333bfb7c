import { relative } from 'node:path'

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files, slowest first. */
const SLOW = [
  'test/logIndexKill.test.ts',
  'src/native/pool/pool.test.ts',
  'test/logIndex.test.ts',
  'test/replicas.test.ts',
  'test/cliWatch.test.ts',
  'test/e2e/sendDocs.test.ts',
  'test/e2e/send.test.ts',
  'test/e2e/sendLibrary.test.ts',
  'test/devchainCommand.test.ts',
  'test/conformance/walk.test.ts',
  'test/cliLogs.test.ts',
  'test/e2e/serve.test.ts',
  'src/chain/head/replication.test.ts',
  'test/e2e/watch.test.ts',
  'test/replicas.model.test.ts',
  'src/methods/eth_sendRawTransaction.test.ts',
  'src/filters/redisRefusal.test.ts',
  'src/http/ws.test.ts',
  'src/chain/head/replicationFaults.test.ts',
  'test/e2e/sendReplicas.test.ts',
  'test/e2e/sendRestart.test.ts',
]

/** Starts the slowest files first, also on a machine that has not run them before, so that the workers end together. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = SLOW.indexOf(relative(this.ctx.config.root, moduleId))
      return index === -1 ? SLOW.length : index
    }
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}
