import { relative } from 'node:path'

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The slowest files, slowest first. Those that wait for processes and timers alternate with those that compute, so that the cores
 * always have work.
 */
const SLOW = [
  'test/logIndex/logIndexKill.test.ts',
  'test/conformance/walk.test.ts',
  'test/logIndex/logIndex.test.ts',
  'test/devchain/faithful.test.ts',
  'test/replicas/replicas.test.ts',
  'src/logIndex/search/search.test.ts',
  'test/cli/cliWatch.test.ts',
  'test/conformance/ownRpc.test.ts',
  'test/devchain/command.test.ts',
  'test/conformance/fuzz.test.ts',
  'test/cli/cliLogs.test.ts',
  'test/project/docs.test.ts',
  'test/conformance/schema.test.ts',
  'test/project/pack.test.ts',
  'test/devchain/ethereum.test.ts',
  'test/e2e/sendRestart.test.ts',
  'src/native/grpc/withGrpc.test.ts',
  'test/e2e/sendDocs.test.ts',
  'test/cli/cliPage.test.ts',
  'test/e2e/shutdown.test.ts',
  'test/logIndex/logIndexChains.test.ts',
  'test/e2e/sendLibrary.test.ts',
  'test/replicas/replicas.model.test.ts',
  'src/chain/filters/redisRefusal.test.ts',
  'test/e2e/sendReplicas.test.ts',
  'test/e2e/send.test.ts',
  'src/native/pool/poolFailures.test.ts',
  'src/devchain/node/devSending.test.ts',
  'src/gateway/parts/connectUpstreams.test.ts',
  'src/chain/head/replication.test.ts',
  'src/sending/sending.model.test.ts',
  'src/native/pool/poolChains.test.ts',
  'src/native/pool/broadcast.test.ts',
  'test/devchain/fork.test.ts',
  'test/e2e/serve.test.ts',
  'src/lib/redis.test.ts',
  'src/chain/logs/logHints.test.ts',
  'src/native/pool/poolRouting.test.ts',
  'src/native/pool/poolRpc.test.ts',
  'test/devchain/forkReads.test.ts',
  'src/native/pool/single.test.ts',
  'test/e2e/watch.test.ts',
  'src/logIndex/blocks/store.test.ts',
  'src/chain/filters/cursors.test.ts',
  'src/gateway/parts/start.test.ts',
  'test/conformance/nodeTexts.test.ts',
  'src/rpc/methods/eth_sendRawTransaction.test.ts',
  'test/conformance/openrpc.test.ts',
  'src/gateway/tracing/tracing.test.ts',
  'src/chain/head/replicationFaults.test.ts',
  'src/limits/redisStore.test.ts',
  'src/http/ws.test.ts',
  'src/chain/blocks/logBlock.test.ts',
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
