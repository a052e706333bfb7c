import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'

import { describe, expect, test } from 'vitest'

import { startHttpServer } from '../../test/support/httpServer.ts'
import { readTarget, targetOf } from './target.ts'

const read = (url: string) => {
  const incoming = { url, headers: {} } as IncomingMessage
  readTarget(incoming)
  const { malformed, ...target } = targetOf(incoming)
  return { refusal: malformed, url: incoming.url, target }
}

test('default', () => {
  expect(read('/jsonrpc?a=b')).toEqual({ refusal: undefined, url: '/jsonrpc?a=b', target: {} })
})

test.each([
  ['/', '/'],
  ['/?', '/?'],
  ['/a/?b=%20', '/a/?b=%20'],
  ['/./a', '/a'],
  ['/a/..', '/'],
  ['/a/../b', '/b'],
  ['/a/%2e%2E/b', '/b'],
  ['/%61', '/a'],
  ['/a%2fb', '/a%2fb'],
  ['/\\a', '//a'],
  ['//a', '//a'],
  ['/é', '/%C3%A9'],
  ['/%ff', '/%ff'],
  ['/...', '/...'],
  ['/a b', '/a%20b'],
  ['http://x/a', '/a'],
  ['HTTPS://x:1/k/KEY/%61?b', '/a?b'],
  ['/k/KEY/a', '/a'],
  ['/k/KEY', '/'],
  ['/k/KEY?a', '/?a'],
  ['/%6b/KEY/%77allet/a', '/wallet/a'],
  ['/k/KEY/k/OTHER/a', '/k/OTHER/a'],
])('behavior: %s is %s', (sent, url) => {
  expect(read(sent)).toMatchObject({ refusal: undefined, url })
})

test('behavior: the key and the host stay known', () => {
  expect(read('http://x:1/k/KEY/a').target).toEqual({ key: 'KEY', host: 'x:1' })
})

test.each(['/a#', '/#a', '/a?b#c', 'http://x/a#b', '*', 'a', 'x:1', 'ftp://x/', 'http://', ''])(
  'error: %s',
  (sent) => {
    expect(read(sent).refusal).toMatchObject({ status: 400 })
  },
)

/** The status line and the body for a target as it is: clients would write it in the usual way. */
async function ask(port: number, target: string, headers = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: localhost:${port}\r\n${headers}Connection: close\r\n\r\n`,
    'latin1',
  )
  let text = ''
  for await (const part of socket.setEncoding('latin1')) text += part as string
  return text
}

const spellings = (path: string) => [
  path,
  `${path}/`,
  `${path}?`,
  `${path}?x=1`,
  `${path}#`,
  `${path}#x`,
  `${path}/.`,
  `${path}/./`,
  `${path}/x/..`,
  `${path}%23`,
  `${path}%3f`,
  `${path}%2f`,
  `${path}%00`,
  `${path};x`,
  `/.${path}`,
  `/x/..${path}`,
  `/${path}`,
  `\\${path.slice(1)}`,
  path.replace(/^\/(.)/, (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`),
  path.replace(/^\/(.)/, (_, letter: string) => `/%25${letter.charCodeAt(0).toString(16)}`),
  path.replace(/^\/(.)/, '/$1\t'),
  path.toUpperCase(),
  `http://localhost${path}`,
  `http://other${path}`,
  `HTTP://localhost/.${path}`,
]

const withKeys = (path: string) =>
  spellings(path).flatMap((each) =>
    each.startsWith('/') ? [each, `/k/any${each}`, `/%6b/any${each}`, `/k/a%2fb${each}`] : [each],
  )

describe('every spelling that two readers could read differently', () => {
  test.each(['/metrics', '/state', '/page/state'])(
    'error: %s is served at the admin port alone',
    async (path) => {
      const { port } = await startHttpServer({ adminPort: 0 })
      for (const target of withKeys(path))
        expect([target, await ask(port, target)]).toEqual([
          target,
          expect.stringMatching(/^(?:HTTP\/1.1 (?:400|404) |$)/),
        ])
    },
  )

  test('error: /wallet from a navigation of another site', async () => {
    const { port } = await startHttpServer({}, {}, { canSpend: true })
    const link = 'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n'
    for (const target of withKeys('/wallet/getnowblock'))
      expect([target, await ask(port, target, link)]).toEqual([
        target,
        expect.not.stringMatching(/"blockID"/),
      ])
  })
})
