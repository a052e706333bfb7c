import { startRedis, type TestRedis } from '../test/redis.ts'

/** A redis-server for one case, on a free port. */
export async function startDrillRedis(): Promise<TestRedis> {
  const redis = await startRedis()
  await redis.start()
  return redis
}
