import { expect, test } from 'vitest'

import { keyInPath } from './callers.ts'

test.each([
  ['/k/secret', { key: 'secret', url: '/' }],
  ['/k/secret/', { key: 'secret', url: '/' }],
  ['/k/secret?explain=1', { key: 'secret', url: '/?explain=1' }],
  ['/k/secret/page/state?of=/a', { key: 'secret', url: '/page/state?of=/a' }],
  ['/k/secret?of=/a', { key: 'secret', url: '/?of=/a' }],
])('args: the path %s has a key', (url, found) => {
  expect(keyInPath(url)).toEqual(found)
})

test.each(['/', '/k', '/k/', '/k//secret', '/k/?key=secret', '/key/secret'])(
  'args: the path %s has no key',
  (url) => {
    expect(keyInPath(url)).toBeUndefined()
  },
)
