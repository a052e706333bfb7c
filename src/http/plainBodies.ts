import type { Middleware } from './env.ts'
import { refused } from './refuse.ts'

/** Pages and operations take bodies without a coding only; one with a coding would be read as text. */
export const onlyPlainBodies: Middleware = async (c, next) => {
  const coding = c.req.header('content-encoding')
  if (coding === undefined || coding.toLowerCase() === 'identity') return next()
  return refused({ reason: 'a body with a content-encoding is not supported here', status: 415 }, [
    'accept-encoding',
    'identity',
  ])
}
