import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'

import { type Config, ConfigError } from '../config/config.ts'

/** The certificate of a server and its private key, in PEM. */
export type TlsFiles = {
  read(): { cert: string; key: string }
  /** Calls back with the new content when a file changes. Content that is not valid is reported and not used. */
  watch(onChange: (files: { cert: string; key: string }) => void): void
  stop(): void
}

/** The TLS files of the configuration; undefined without. @throws ConfigError when they cannot be used */
export function openTlsFiles(
  { tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>,
  onError: (error: unknown, message: string) => void,
): TlsFiles | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined)
    throw new ConfigError('--tls-cert', 'needs --tls-key, and --tls-key needs --tls-cert')
  const paths = [tlsCert, tlsKey]

  function read() {
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
  let changed = () => {}
  return {
    read,
    watch(onChange) {
      changed = () => {
        try {
          onChange(read())
        } catch (error) {
          onError(error, 'the TLS certificate cannot be read; the old one stays in use')
        }
      }
      for (const path of paths) watchFile(path, { interval: POLL_MS, persistent: false }, changed)
    },
    stop() {
      for (const path of paths) unwatchFile(path, changed)
    },
  }
}

/** Milliseconds between two checks of the files. */
const POLL_MS = 1_000
