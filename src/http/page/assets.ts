import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'

import { Hono } from 'hono'

/** URLs of the files that pages load. Each has its content hash in the query, so browsers may cache it for a year. */
export type Assets = { icon: string; native: string; script: string; style: string }

/** The folder that `npm run build` writes. It is found from the package: the bundle has another depth than the sources. */
const FOLDER = new URL(
  'dist/assets/',
  pathToFileURL(createRequire(import.meta.url).resolve('ethgate/package.json')),
)

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f6f5c"/><path d="M9 8h14M9 16h10M9 24h14M9 8v16" stroke="#fff" stroke-width="3" fill="none" stroke-linecap="round"/></svg>'

const FILES = [
  { name: 'icon', path: '/assets/icon.svg', type: 'image/svg+xml', read: () => ICON },
  {
    name: 'script',
    path: '/assets/page.js',
    type: 'text/javascript; charset=utf-8',
    read: () => readFileSync(new URL('client/main.js', FOLDER), 'utf8'),
  },
  {
    // Loaded by the script when there is a native wallet.
    name: 'native',
    path: '/assets/native.js',
    type: 'text/javascript; charset=utf-8',
    read: () => readFileSync(new URL('client/nativeSending.js', FOLDER), 'utf8'),
  },
  {
    name: 'style',
    path: '/assets/page.css',
    type: 'text/css; charset=utf-8',
    read: () => readFileSync(new URL('style.css', FOLDER), 'utf8'),
  },
] as const

/**
 * Reads the files once and compresses them.
 *
 * @throws Error when the project was not built.
 */
export function createAssets(): { assets: Assets; app: Hono } {
  const app = new Hono()
  const urls: Record<string, string> = {}
  for (const { name, path, read, type } of FILES) {
    const text = read()
    const zipped = new Uint8Array(gzipSync(text, { level: 9 }))
    const version = createHash('sha256').update(text).digest('hex').slice(0, 12)
    urls[name] = `${path}?v=${version}`
    app.get(path, (c) => {
      const headers = {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      }
      return c.req.header('accept-encoding')?.includes('gzip')
        ? c.body(zipped, 200, { ...headers, 'content-encoding': 'gzip' })
        : c.body(text, 200, headers)
    })
  }
  return { assets: urls as Assets, app }
}
