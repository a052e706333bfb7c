import type { RedisLink } from './redis.ts'

/**
 * Calls a function every so many milliseconds, and whenever Redis can be used again.
 *
 * @param look.isConnected - whether Redis has just become usable; the connection may lead to another server.
 * @returns a function that stops it.
 */
export function watchRedis(
  redis: Pick<RedisLink, 'onStatus'>,
  every: number,
  look: (isConnected: boolean) => void,
): () => void {
  const unsubscribe = redis.onStatus((status) => status === 'up' && look(true))
  const timer = setInterval(() => look(false), every)
  timer.unref()
  return () => {
    unsubscribe()
    clearInterval(timer)
  }
}
