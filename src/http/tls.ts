import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

import { type Config, ConfigError } from '../config/config.ts'
import { watchSettled } from '../lib/watchSettled.ts'

/** The certificate of a server and its private key, in PEM. */
type TlsFiles = { cert: string; key: string }

/** The TLS files of the configuration; undefined without. @throws ConfigError when they cannot be used */
export function openTlsFiles(
  { tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>,
  onError: (error: unknown, message: string) => void,
) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined)
    throw new ConfigError('--tls-cert', 'needs --tls-key, and --tls-key needs --tls-cert')
  const paths = [tlsCert, tlsKey]

  function read(): TlsFiles {
    const [cert = '', key = ''] = paths.map((path) => readFileSync(path, 'utf8'))
    // Checks that they belong together.
    createSecureContext({ cert, key })
    return { cert, key }
  }

  try {
    read()
  } catch (error) {
    throw new ConfigError('--tls-cert', `cannot be used: ${(error as Error).message}`)
  }
  let unwatch: (() => void)[] = []
  return {
    read,
    /** Calls back with the new content when a file changes. Content that is not valid is reported and not used. */
    watch(onChange: (files: TlsFiles) => void) {
      const changed = () => {
        try {
          onChange(read())
        } catch (error) {
          onError(error, 'the TLS certificate cannot be read; the old one stays in use')
        }
      }
      unwatch = paths.map((path) => watchSettled(path, changed))
    },
    stop() {
      for (const stop of unwatch) stop()
    },
  }
}
