import { createRequire } from 'node:module'

/** Number and hash of the commit, such as `1134+b7803a22`, which the build of a version in development writes here. */
declare const BUILD: string | undefined

const { version } = createRequire(import.meta.url)('ethgate/package.json') as { version: string }

/** The version of this package. One in development says which commit runs: `0.5.0-dev.1134+b7803a22`. */
export const VERSION = typeof BUILD === 'undefined' ? version : `${version}.${BUILD}`
