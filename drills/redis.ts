import { startRedis, type TestRedis } from '../test/redis.ts'

/** A redis-server for one case, on a free port. */
export function startDrillRedis(): Promise<TestRedis> {
  return startRedis()
}
