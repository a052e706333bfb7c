/**
 * Files that `npm run test:long` runs, and CI with it, and `npm test` does not: they start many processes, run for long, or check a
 * whole package. `npx vitest run FILE` runs each of them.
 */
export const LONG = [
  'src/chain/memory.test.ts',
  'src/logIndex/search/search.test.ts',
  'src/logIndex/store/merge.test.ts',
  'src/native/grpc/answers.test.ts',
  'src/native/grpc/withGrpc.test.ts',
  'test/cli/cliLogs.test.ts',
  'test/cli/cliWatch.test.ts',
  'test/conformance/fuzz.test.ts',
  'test/conformance/ownRpc.test.ts',
  'test/conformance/schema.test.ts',
  'test/conformance/walk.test.ts',
  'test/devchain/ethereum.test.ts',
  'test/devchain/faithful.test.ts',
  'test/devchain/load.test.ts',
  'test/e2e/sendFailover.test.ts',
  'test/e2e/sendRestart.test.ts',
  'test/e2e/simulate.test.ts',
  'test/e2e/simulateLimits.test.ts',
  'test/logIndex/logIndex.test.ts',
  'test/logIndex/logIndexAccounts.test.ts',
  'test/logIndex/logIndexChains.test.ts',
  'test/logIndex/logIndexFaults.test.ts',
  'test/logIndex/logIndexKill.test.ts',
  'test/logIndex/logIndexLive.test.ts',
  'test/logIndex/postgresEngines.test.ts',
  'test/project/docs.test.ts',
  'test/project/docsBlocks.test.ts',
  'test/project/docsCommands.test.ts',
  'test/project/pack.test.ts',
  'test/replicas/cursors.test.ts',
  'test/replicas/fork.test.ts',
  'test/replicas/redisEngines.test.ts',
  'test/replicas/reload.test.ts',
  'test/replicas/replicas.model.test.ts',
  'test/replicas/replicas.test.ts',
  'test/replicas/workers.test.ts',
]

/** Files that run always, and with many more runs in `npm run test:long`. */
export const LONGER = ['src/sending/sending.model.test.ts']
