import { relative } from 'node:path'

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, longest first. */
const SLOW = [
  'test/replicas.test.ts',
  'test/logIndex.test.ts',
  'test/logIndexKill.test.ts',
  'test/cliWatch.test.ts',
  'test/conformance/walk.test.ts',
  'src/native/pool/pool.test.ts',
  'test/e2e/watch.test.ts',
  'test/e2e/send.test.ts',
  'src/filters/filters.test.ts',
  'test/devchainFaithful.test.ts',
  'test/replicas.model.test.ts',
  'test/e2e/shutdown.test.ts',
  'src/chain/head/replication.test.ts',
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
