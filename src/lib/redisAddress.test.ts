import { expect, test } from 'vitest'

import { parseRedisAddress } from './redisAddress.ts'

const plain = { kind: 'single', db: 0, family: 0, wait: 0 }

test('default: one server', () => {
  expect(parseRedisAddress('redis://127.0.0.1')).toEqual({
    ...plain,
    hosts: [{ host: '127.0.0.1', port: 6379 }],
  })
  expect(
    parseRedisAddress('valkeys://me:p%40ss@cache.example:7000/4?family=6&servername=a'),
  ).toEqual({
    ...plain,
    db: 4,
    family: 6,
    hosts: [{ host: 'cache.example', port: 7000 }],
    password: 'p@ss',
    tls: { servername: 'a' },
    username: 'me',
  })
  expect(parseRedisAddress('redis://:secret@[::1]:7000')).toMatchObject({
    hosts: [{ host: '::1', port: 7000 }],
    password: 'secret',
  })
})

test('args: Unix socket', () => {
  expect(parseRedisAddress('redis+unix://me:secret@/run/redis%20a.sock?db=2')).toEqual({
    ...plain,
    db: 2,
    hosts: [],
    password: 'secret',
    path: '/run/redis a.sock',
    username: 'me',
  })
})

test('args: Sentinels', () => {
  expect(
    parseRedisAddress('redis+sentinel://me:secret@a,b:7000/main/5?sentinel_password=other'),
  ).toEqual({
    db: 5,
    family: 0,
    hosts: [
      { host: 'a', port: 26379 },
      { host: 'b', port: 7000 },
    ],
    kind: 'sentinel',
    master: 'main',
    password: 'secret',
    sentinelPassword: 'other',
    username: 'me',
    wait: 1,
  })
})

test('args: a cluster', () => {
  expect(parseRedisAddress('rediss+cluster://a,[::1]:7001?wait=0')).toEqual({
    ...plain,
    hosts: [
      { host: 'a', port: 6379 },
      { host: '::1', port: 7001 },
    ],
    kind: 'cluster',
    tls: {},
  })
  expect(parseRedisAddress('redis+cluster://a?filters=spread').isSpread).toBe(true)
})

test.each([
  ['http://127.0.0.1', /expected an address such as redis:/],
  ['127.0.0.1:6379', /expected an address such as redis:/],
  ['redis://', 'the host is missing'],
  ['redis://:secret@a b', 'the host is not a name or address'],
  ['redis://:secret@a:70000', 'the port of the host is not a number in range'],
  ['redis+cluster://a,b:x', 'the port of host 2 is not a number in range'],
  ['redis+cluster://a,,b', 'host 2 is not a name or address'],
  ['redis+cluster://a?filters=apart', 'the parameter filters has one value: spread'],
  ['redis://a?filters=spread', /^there is no parameter filters here/],
  ['redis+cluster://a/1', 'a cluster has only database 0'],
  ['redis://a,b', 'several hosts need redis+sentinel:// or redis+cluster://'],
  ['redis://a/x', 'the database is not a number in range'],
  ['redis://a/1/2', 'expected one database number after the last /'],
  ['redis://:%zz@a', /^the user and password has a %/],
  ['redis://a?family=5', 'the family is not one of 0, 4, 6'],
  ['redis://a?ca=x', 'there is no parameter ca here; there are db, family, wait'],
  ['rediss://a?ca=/nowhere', 'the file of the parameter ca cannot be read (ENOENT)'],
  ['redis+sentinel://a', /^the name of the master is missing/],
  ['redis+unix://host/a.sock', /^expected redis\+unix:/],
  ['rediss+unix:///a.sock', /^expected redis\+unix:/],
])('error: %s', (address, message) => {
  expect(() => parseRedisAddress(address)).toThrow(message)
  expect(() => parseRedisAddress(address)).not.toThrow(/secret/)
})
