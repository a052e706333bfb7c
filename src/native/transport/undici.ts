import { createRequire } from 'node:module'

import type * as Undici from 'undici'

const require = createRequire(import.meta.url)

/** The library for sockets to nodes. It is loaded with the first of them: a development chain has none. */
export function loadUndici(): typeof Undici {
  return require('undici') as typeof Undici
}
