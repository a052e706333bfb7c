import type { IncomingMessage } from 'node:http'

import { isLoopback } from './access.ts'

/** Headers with which proxies say that a request comes from somebody else. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/** Whether a request comes from this machine, and no proxy says that it has passed it on. */
export function isLocal({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  if (!isLoopback(socket.remoteAddress ?? '')) return false
  return OF_PROXIES.every((name) => headers[name] === undefined)
}
