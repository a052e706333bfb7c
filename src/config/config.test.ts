import { describe, expect, test } from 'vitest'

import { createConfig, options, readConfig } from './config.ts'

const read = (flags: Record<string, string>, env: Record<string, string> = {}) =>
  readConfig({ env, flags })

test('default', () => {
  const config = read({})
  expect(config).toEqual(createConfig())
  expect(config.port).toBe(8545)
  expect(Object.isFrozen(config)).toBe(true)
})

test('behavior: flags override the environment, empty variables count as absent', () => {
  expect(read({}, { ETHGATE_PORT: '1' }).port).toBe(1)
  expect(read({ port: '2' }, { ETHGATE_PORT: '1' }).port).toBe(2)
  expect(read({}, { ETHGATE_PORT: '' }).port).toBe(8545)
})

test('behavior: the parser of each option returns its default unchanged', () => {
  const given = Object.values(options).filter((option) => option.default !== undefined)
  expect(given.map((option) => option.parse(String(option.default)))).toEqual(
    given.map((option) => option.default),
  )
})

test('behavior: the names of flags and variables follow from the key', () => {
  for (const [key, { env, flag }] of Object.entries(options)) {
    const words = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    expect([flag, env]).toEqual([
      `--${words}`,
      `ETHGATE_${words.toUpperCase().replaceAll('-', '_')}`,
    ])
  }
})

test('args: a slash at the end of a path is left out, one in a query is not', () => {
  const read = (upstream: string) => readConfig({ env: {}, flags: { upstream } }).upstream
  expect(read('http://a/b//')).toBe('http://a/b')
  expect(read('http://a/?key=b/')).toBe('http://a?key=b/')
})

test('args: origins of pages and of apps', () => {
  const cors = 'https://app.example,http://[::1]:3000,capacitor://localhost'
  expect(read({ cors: cors.replaceAll(',', ', ') }).cors).toBe(cors)
  expect(read({ cors: '*' }).cors).toBe('*')
})

describe('error', () => {
  test.each<[Record<string, string>, Record<string, string>, string]>([
    [{ port: 'x' }, {}, '--port: expected a whole number from 0 to 65535, got "x"'],
    [
      { drain: '2000000001' },
      {},
      '--drain: expected a whole number from 0 to 2000000000, got "2000000001"',
    ],
    [{ port: '65536' }, {}, '--port: expected a whole number from 0 to 65535, got "65536"'],
    [{}, { ETHGATE_PORT: '-1' }, 'ETHGATE_PORT: expected a whole number from 0 to 65535, got "-1"'],
    [
      { upstream: 'localhost:8090' },
      {},
      '--upstream: expected an http(s) URL such as http://127.0.0.1:8090',
    ],
    [
      { redis: 'http://x' },
      {},
      '--redis: expected an address such as redis://127.0.0.1:6379, rediss://, redis+unix://, redis+sentinel:// or redis+cluster://',
    ],
    [
      { upstream: 'http://me:secret@x' },
      {},
      '--upstream: expected an address without user and password: give them as a header',
    ],
    [
      { upstream: 'ftp://me:secret@x' },
      {},
      '--upstream: expected an address without user and password: give them as a header',
    ],
    [
      { upstream: 'http://a', upstreamRpc: 'node/secret' },
      {},
      '--upstream-rpc: expected an http(s) URL such as http://127.0.0.1:8090',
    ],
    [{ upstreamHeader: 'x' }, {}, '--upstream-header: expected a header such as "x-api-key: 0123"'],
    [
      { logLevel: 'loud' },
      {},
      '--log-level: expected one of trace, debug, info, warn, error, fatal, silent, got "loud"',
    ],
    [{ cors: 'me' }, {}, '--cors: expected * or origins such as https://app.example, got "me"'],
    // Browsers send no path, so such an origin would never match.
    ...[
      'https://app.example/',
      'https://App.example',
      'https://a.example, https://b.example/x',
    ].map((cors): [Record<string, string>, Record<string, string>, string] => [
      { cors },
      {},
      `--cors: expected * or origins such as https://app.example, got "${cors}"`,
    ]),
  ])('%o %o', (flags, env, message) => {
    expect(() => read(flags, env)).toThrow(expect.objectContaining({ message }))
  })
})
