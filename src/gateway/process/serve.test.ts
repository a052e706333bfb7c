import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { createConfig } from '../../config/config.ts'
import { readConfigFile } from '../../config/file.ts'
import { createLog } from '../log.ts'
import { listenError, secretsOf, waitingFor } from './serve.ts'

test('secretsOf: keys of all nodes, from flags', () => {
  const config = createConfig({
    redis: 'redis://:redis-password@10.0.0.9:6379',
    upstream: 'http://a.example/first-api-key http://b.example/second-api-key?token=third-api-key',
    upstreamHeader: 'x-api-key: fourth-api-key',
  })
  const secrets = secretsOf(config)
  for (const secret of ['redis-password', 'first-api-key', 'second-api-key', 'third-api-key'])
    expect(secrets).toContain(secret)
  expect(secrets).toContain('fourth-api-key')
})

test('secretsOf: keys of all nodes, from the configuration file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'ethgate.yaml')
  writeFileSync(join(folder, 'key.txt'), 'key-of-a-file\n')
  writeFileSync(
    path,
    `upstreams:
  - { name: own, wallet: 'http://10.0.0.1:8090' }
  - name: hosted
    url: https://b.example/key-of-wallet
    solidity: https://c.example/key-of-solidity
    rpc: https://d.example/key-of-rpc
    headers: { x-api-key: { file: key.txt }, x-other: key-of-header }
`,
  )
  const secrets = secretsOf(createConfig(readConfigFile(path, {})))
  expect(secrets.toSorted()).toEqual(
    ['a-file', 'header', 'rpc', 'solidity', 'wallet'].map((what) => `key-of-${what}`),
  )
})

test('createLog: secrets that are added later are redacted too', () => {
  const lines: string[] = []
  const secrets: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) }, secrets)
  log.info({ path: '/a-new-key/wallet' }, 'before')
  secrets.push('a-new-key')
  log.info({ path: '/a-new-key/wallet' }, 'after')
  expect(lines[0]).toContain('a-new-key')
  expect(lines[1]).not.toContain('a-new-key')
  expect(lines[1]).toContain('[secret]')
})

describe('listenError', () => {
  const config = createConfig({ adminHost: '10.0.0.8', adminPort: 9545, host: '10.0.0.9' })

  test.each([
    ['EADDRINUSE', { address: '10.0.0.9', port: 8545 }, 'port 8545 of 10.0.0.9', '--port'],
    ['EADDRINUSE', { address: '10.0.0.8', port: 9545 }, 'port 9545 of 10.0.0.8', '--admin-port'],
    ['EACCES', { address: '10.0.0.8', port: 9545 }, 'on port 9545', '--admin-port'],
    ['EADDRNOTAVAIL', { address: '10.0.0.9', port: 8545 }, '10.0.0.9 is not', '--host'],
    ['ENOTFOUND', { hostname: '10.0.0.8' }, '10.0.0.8 is not', '--admin-host'],
  ])('%s of %o names the address and its option', (code, fields, place, option) => {
    const { message } = listenError(Object.assign(new Error(code), { code, ...fields }), config)
    expect(message).toContain(place)
    expect(message).toMatch(new RegExp(`with ${option}$`))
  })

  test('behavior: any other error is as it was', () => {
    const error = Object.assign(new Error('no permission to read a file'), { code: 'EACCES' })
    expect(listenError(error, config)).toBe(error)
  })
})

describe('waitingFor', () => {
  const reasons = ['waiting for the node: it does not answer']

  test('default: one node names the option of its address', () => {
    const config = createConfig({ upstream: 'http://a.example:8090/key-of-a' })
    expect(waitingFor({ reasons }, config)).toBe(
      'waiting for http://a.example:8090 (--upstream) and http://a.example:8091 (--upstream-solidity): it does not answer; check the address',
    )
  })

  test('behavior: all of several nodes are named, without keys', () => {
    const config = createConfig({ upstream: 'http://a.example/key-of-a http://b.example' })
    expect(waitingFor({ reasons }, config)).toBe(
      'waiting for http://a.example, http://b.example: it does not answer; check the addresses',
    )
  })

  test('behavior: nodes of the configuration file are named as there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ethgate-waiting-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'ethgate.yaml')
    writeFileSync(path, "upstreams: [{ name: own, wallet: 'http://10.0.0.1' }]\n")
    expect(waitingFor({ reasons: [] }, createConfig(readConfigFile(path, {})))).toBe(
      'waiting for own at http://10.0.0.1: no answer yet; check the address',
    )
  })
})
