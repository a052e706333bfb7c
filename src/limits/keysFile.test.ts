import { expect, test } from 'vitest'

import { countedAddress, isInNetworks, networksOf } from './caller.ts'
import { parseKeysFile } from './keysFile.ts'

const HASH = 'ab'.repeat(32)

test('default', () => {
  expect(parseKeysFile('')).toEqual([])
  const [key] = parseKeysFile(`
keys:
  - name: partner
    sha256: ${HASH.toUpperCase()}
    rate: 100
    burst: 200
    methods: [eth_call, eth_get*]
    contracts: ['0x${'Aa'.repeat(20)}']
    origins: [https://app.example]
    addresses: [10.0.0.0/8, '2001:db8::/32']
    expires: 2027-01-31
    weight: 2
`)
  expect(key).toMatchObject({
    name: 'partner',
    sha256: HASH,
    limits: { rate: 100, burst: 200, weight: 2 },
    methods: ['eth_call', 'eth_get*'],
    contracts: new Set([`0x${'aa'.repeat(20)}`]),
    origins: ['https://app.example'],
    expires: Date.UTC(2027, 0, 31),
  })
})

test('behavior: addresses without quotes, which YAML reads as numbers', () => {
  const [key] = parseKeysFile(
    `keys: [{name: a, sha256: ${'1'.repeat(64)}, contracts: [0x${'Aa'.repeat(20)}], accounts: [0x${'0b'.repeat(20)}]}]`,
  )
  expect(key).toMatchObject({
    sha256: '1'.repeat(64),
    contracts: new Set([`0x${'aa'.repeat(20)}`]),
    accounts: new Set([`0x${'0b'.repeat(20)}`]),
  })
})

test('behavior: a small rate still allows the most expensive call', () => {
  const [key] = parseKeysFile(`keys: [{name: a, sha256: ${HASH}, rate: 0.1}]`)
  expect(key?.limits).toEqual({ rate: 0.1, burst: 10 })
})

test.each([
  ['keys: 5', 'keys:1: keys: expected a list'],
  ['upstreams: []', 'keys:1: expected "keys:" and a list, and nothing else'],
  ['keys:\n  - name: a', 'keys:2: keys[0].sha256: is missing'],
  [
    `keys:\n  - name: a\n    sha256: ${HASH}\n    rat: 5`,
    'keys:4: keys[0].rat: unknown key; did you mean rate?',
  ],
  [
    `keys:\n  - {name: a, sha256: ${HASH}}\n  - {name: a, sha256: ${'cd'.repeat(32)}}`,
    'keys:3: keys[1].name: the name "a" is used twice',
  ],
  [
    `keys:\n  - {name: a, sha256: ${HASH}}\n  - {name: b, sha256: ${HASH}}`,
    'keys:3: keys[1].sha256: this key is listed twice',
  ],
  [
    `keys: [{name: a, sha256: ${HASH}, rate: -1}]`,
    'keys:1: keys[0].rate: expected a number from 0.001, got "-1"',
  ],
  [`keys: [{name: a, sha256: ${HASH}, methods: []}]`, 'keys:1: keys[0].methods: expected a list'],
  [
    `keys: [{name: a, sha256: ${HASH}, addresses: [10.0.0.0/33]}]`,
    'keys:1: keys[0].addresses: expected an address or a network such as 10.0.0.0/8, got "10.0.0.0/33"',
  ],
  [
    `keys: [{name: a, sha256: ${HASH}, origins: [app.example]}]`,
    'keys:1: keys[0].origins: expected an origin such as https://app.example, got "app.example"',
  ],
  ['keys: [{name: a', 'keys:1: Flow map'],
])('error: %s', (text, message) => {
  expect(() => parseKeysFile(text)).toThrow(message)
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
  ['not:an:address', 'not:an:address'],
])('args: the address %s counts as %s', (address, counted) => {
  expect(countedAddress(address)).toBe(counted)
})

test('args: networks', () => {
  const networks = networksOf(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])
  const allowed = ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203', '192.0.2.7', '2001:db8::5']
  for (const address of allowed) expect(isInNetworks(networks, address)).toBe(true)
  for (const address of ['11.0.0.1', '192.0.2.8', '::1', 'unknown'])
    expect(isInNetworks(networks, address)).toBe(false)
})
