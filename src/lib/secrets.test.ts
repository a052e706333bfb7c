import { expect, test } from 'vitest'

import { shownUrl, withoutSecrets } from './secrets.ts'

test.each([
  ['http://127.0.0.1:8545', '', 'http://127.0.0.1:8545'],
  ['http://127.0.0.1:8545/wei/', '', 'http://127.0.0.1:8545/wei'],
  ['https://rpc.example/k/eg_0123/jsonrpc', '', 'https://rpc.example/k/…/jsonrpc'],
  [
    'https://rpc.example/tron/abc?key=0123#x',
    '/wallet/getnowblock',
    'https://rpc.example/…/…/wallet/getnowblock',
  ],
])('behavior: of %s only what is no key is shown', (address, below, shown) => {
  expect(shownUrl(address, below)).toBe(shown)
})

test('behavior: a text has no secrets of an address', () => {
  expect(
    withoutSecrets(
      'Cannot POST /01234567/jsonrpc?key=abcdefgh&v=1',
      'HTTP://a/01234567/jsonrpc?key=abcdefgh&v=1',
    ),
  ).toBe('Cannot POST /…/jsonrpc?key=…&v=1')
})
