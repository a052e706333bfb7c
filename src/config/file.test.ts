import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'

import { readConfig } from './config.ts'
import { parseConfigFile, readConfigFile } from './file.ts'
import { configSchema } from './schema.ts'

describe('parseConfigFile', () => {
  test('default', () => {
    expect(parseConfigFile('')).toEqual({})
    expect(parseConfigFile('port: 8545\nredis: redis://r\nwallet-passthrough: true\n')).toEqual({
      port: 8545,
      redis: 'redis://r',
      walletPassthrough: true,
    })
  })

  test('args: upstreams', () => {
    const text = `
upstreams:
  - name: own
    url: http://10.0.0.1:8090
  - url: https://hosted.example/v1/
    rpc: https://hosted.example/jsonrpc
    headers: { X-Key: { env: KEY }, x-plain: 7 }
    tier: 1
    weight: 2
    rate: 50
    concurrency: 8
    timeout: 5000
`
    expect(parseConfigFile(text, { env: { KEY: 'secret' } }).upstreams).toEqual([
      {
        concurrency: 40,
        headers: {},
        name: 'own',
        rate: undefined,
        rpc: undefined,
        solidity: 'http://10.0.0.1:8091',
        tier: 0,
        timeout: 10_000,
        wallet: 'http://10.0.0.1:8090',
        weight: 1,
      },
      {
        clientName: 'node 2',
        concurrency: 8,
        headers: { 'x-key': 'secret', 'x-plain': '7' },
        name: 'hosted.example',
        rate: 50,
        rpc: 'https://hosted.example/jsonrpc',
        solidity: 'https://hosted.example/v1',
        tier: 1,
        timeout: 5_000,
        wallet: 'https://hosted.example/v1',
        weight: 2,
      },
    ])
  })

  test('behavior: a value that YAML reads as a number stays as it is written', () => {
    const headers = 'headers: { a: 0123, b: 12345678901234567890, c: 1e3, d: 0x10 }'
    const [node] = parseConfigFile(`upstreams: [{ url: http://a, ${headers} }]`).upstreams ?? []
    expect(node?.headers).toEqual({ a: '0123', b: '12345678901234567890', c: '1e3', d: '0x10' })
  })

  test.each<[string, string]>([
    ['port: 1\n\nprot: 2', 'c.yaml:3: prot: unknown option; did you mean port?'],
    ['port: x', 'c.yaml:1: port: expected a whole number from 0 to 65535, got "x"'],
    ['port: [1]', 'c.yaml:1: port: expected one value'],
    ['port:', 'c.yaml:1: port: expected one value'],
    ['- a', 'c.yaml:1: expected options, such as "port: 8545"'],
    ['port: 1\nport: 2', 'c.yaml:2: Map keys must be unique'],
    ['a: "b', 'c.yaml:1: Missing closing "quote'],
    ['config: x', 'c.yaml:1: config: unknown option'],
    ['upstreams: 1', 'c.yaml:1: upstreams: expected a list of nodes'],
    ['upstreams: []', 'c.yaml:1: upstreams: expected at least one node'],
    ['upstreams:\n  - name: a', 'c.yaml:2: upstreams[0].url: is missing'],
    ['upstreams:\n  - walet: http://a', 'upstreams[0].walet: unknown key; did you mean url?'],
    ['upstreams:\n  - http: http://a', 'upstreams[0].http: unknown key; did you mean url?'],
    ['upstreams:\n  - ulr: http://a', 'upstreams[0].ulr: unknown key; did you mean url?'],
    ['upstreams:\n  - url: a', 'c.yaml:2: upstreams[0].url: expected an http(s) URL'],
    ['upstreams:\n  - wallet: a', 'c.yaml:2: upstreams[0].wallet: expected an http(s) URL'],
    ['upstreams:\n  - { url: http://a, wallet: http://a }', 'wallet: is the same as url'],
    [
      'upstreams:\n  - url: http://a\n    weight: 0',
      'c.yaml:3: upstreams[0].weight: expected a whole number from 1 to 1000, got "0"',
    ],
    [
      'upstreams:\n  - url: http://a\n  - url: http://a',
      'c.yaml:3: upstreams[1].name: "a" is already the name of another node',
    ],
    [
      'upstreams:\n  - url: http://a\n    headers:\n      x-key: { env: MISSING }',
      'c.yaml:4: upstreams[0].headers.x-key.env: the environment variable MISSING is not set',
    ],
    [
      'upstreams:\n  - url: http://a\n    headers:\n      x-key: { secret: a }',
      'c.yaml:4: upstreams[0].headers.x-key: expected {env: NAME} or {file: PATH}',
    ],
  ])('error: %j', (text, message) => {
    expect(() => parseConfigFile(text, { path: 'c.yaml' })).toThrow(message)
  })
})

test('behavior: wallet, the name of url before 0.5.0, is the same word', () => {
  const read = (key: string) => parseConfigFile(`upstreams: [{ ${key}: 'http://a:8090' }]`)
  expect(read('wallet')).toEqual(read('url'))
})

describe('readConfigFile', () => {
  test('behavior: a header from a file in the same folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ethgate-config-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'key'), 'secret\n')
    const path = join(folder, 'ethgate.yaml')
    writeFileSync(path, 'upstreams:\n  - url: http://a\n    headers:\n      x-key: { file: key }\n')
    expect(readConfigFile(path).upstreams?.[0]?.headers).toEqual({ 'x-key': 'secret' })
  })

  test('error: no such file', () => {
    expect(() => readConfigFile('/nowhere/x.yaml')).toThrow('--config: /nowhere/x.yaml cannot be')
  })
})

describe('configSchema', () => {
  const validate = new Ajv2020({ allowUnionTypes: true, formats: { uri: true } }).compile(
    configSchema(),
  )

  test('default', () => {
    const file = { port: 8545, upstreams: [{ headers: { a: { env: 'A' } }, url: 'http://a' }] }
    expect(validate(file)).toBe(true)
    expect(validate({ prot: 1 })).toBe(false)
    expect(validate({ 'admin-port': 9_545, 'daily-per-client': 1_000_000 })).toBe(true)
    expect(validate({ 'rate-per-client': 0.5, 'verify-rate': 0.01 })).toBe(true)
    expect(validate({ port: 0.5 })).toBe(false)
    expect(validate({ upstreams: [{ url: 'http://a', weight: 0 }] })).toBe(false)
  })

  test('behavior: the reader accepts each default', () => {
    const { properties } = configSchema() as { properties: Record<string, { default?: unknown }> }
    const lines = Object.entries(properties)
      .filter(([, { default: value }]) => value !== undefined)
      .map(([name, { default: value }]) => `${name}: ${JSON.stringify(value)}`)
    expect(Object.keys(parseConfigFile(lines.join('\n')))).toHaveLength(lines.length)
  })
})

describe('precedence', () => {
  const file = parseConfigFile('port: 1\nhost: 0.0.0.0\nupstreams:\n  - url: http://a')

  test('behavior: flags over environment over file', () => {
    const config = readConfig({ env: { ETHGATE_PORT: '2' }, file, flags: { host: '::1' } })
    expect(config).toMatchObject({ host: '::1', port: 2 })
    expect(config.upstreams).toHaveLength(1)
  })

  test('behavior: nodes on the command line replace those of the file', () => {
    const config = readConfig({ env: {}, file, flags: { upstream: ['http://b'] } })
    expect(config).toMatchObject({ upstream: 'http://b', upstreams: undefined })
  })
})
