import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { createRedisLink } from '../../src/lib/redis.ts'
import { createFileUsageStore, createRedisUsageStore, createUsage } from '../../src/limits/usage.ts'
import { ethgate } from '../support/cli.ts'
import { startGateway } from '../support/gateway.ts'
import { explainSkip, redisMissing, someRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

explainSkip(redisMissing)

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'ethgate-api-keys-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

describe('ethgate api-keys', () => {
  test('default', async () => {
    const file = join(folder(), 'keys.yaml')
    writeFileSync(file, '# our partners\nkeys: []\n')
    const made = await ethgate([
      'api-keys',
      'create',
      'partner',
      '--rate',
      '50',
      '--api-keys',
      file,
    ])
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const { key } = JSON.parse(made.stdout) as { key: string }
    expect(key).toMatch(/^eg_[\w-]{32}$/)
    expect(readFileSync(file, 'utf8')).toContain('# our partners')
    expect(readFileSync(file, 'utf8')).not.toContain(key)

    const started = await startGateway({
      config: {
        anonymous: 'off',
        apiKeys: file,
        dataDir: folder(),
      },
    })
    const { url } = started
    const call = () =>
      fetch(url, {
        method: 'POST',
        headers: { 'x-api-key': key },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
      })
    expect((await call()).status).toBe(200)

    const list = await ethgate(['api-keys', 'list'], { env: { ETHGATE_API_KEYS: file } })
    expect(JSON.parse(list.stdout)).toEqual([{ name: 'partner', rate: 50 }])
    expect((await ethgate(['api-keys', 'revoke', 'partner', '--api-keys', file])).code).toBe(0)
    await expect.poll(async () => (await call()).status).toBe(401)
  })

  test('behavior: usage from the data directory', async () => {
    const dataDir = folder()
    const usage = createUsage({
      onError() {},
      store: createFileUsageStore(join(dataDir, 'usage.json')),
    })
    usage.add('a', 'eth_call', 2.5)
    usage.add('a', 'eth_call', 2.5)
    usage.add('a', 'eth_chainId', 0.05)
    await usage.flush()
    usage.add('b', 'eth_call', 1)
    await usage.stop()
    const { stdout } = await ethgate(['api-keys', 'usage', '--data-dir', dataDir])
    expect(JSON.parse(stdout)).toMatchObject([
      { key: 'a', method: 'eth_call', calls: 2, cost: 5 },
      { key: 'a', method: 'eth_chainId', calls: 1 },
      { key: 'b', method: 'eth_call', calls: 1, cost: 1 },
    ])
  })

  test.skipIf(redisMissing)('behavior: usage from Redis', async () => {
    const redis = await someRedis()
    const prefix = `test-${process.pid}-usage`
    const link = createRedisLink({ prefix: `${prefix}:limits`, url: redis.url })
    await until(() => expect(link.status()).toBe('up'))
    const usage = createUsage({ onError() {}, store: createRedisUsageStore({ link }) })
    usage.add('a', 'eth_call', 2.5)
    await usage.flush()
    usage.add('a', 'eth_call', 1)
    await usage.stop()
    const args = ['api-keys', 'usage', '--redis', redis.url, '--redis-prefix', prefix]
    // The option overrides the environment.
    const { stdout } = await ethgate(args, { env: { ETHGATE_REDIS_PREFIX: 'other' } })
    expect(JSON.parse(stdout)).toMatchObject([
      { key: 'a', method: 'eth_call', calls: 2, cost: 3.5 },
    ])
    await link.close()
    await redis.close()
  })

  test.each([
    [['create', 'partner'], 2, 'the API keys file is missing'],
    [['create', 'bad name', '--api-keys', 'FILE'], 1, 'expected up to 64 letters'],
    [['create', 'a', '--rate', 'much', '--api-keys', 'FILE'], 1, 'rate: expected a number'],
    [['revoke', 'a', '--api-keys', 'FILE'], 2, 'there is no key a'],
    [['list', '--api-keys', '/nowhere/keys.yaml'], 1, 'cannot be read'],
  ])('error: %s', async (args, code, message) => {
    const file = join(folder(), 'keys.yaml')
    const run = await ethgate(['api-keys', ...args.map((arg) => arg.replace('FILE', file))])
    expect(run.code).toBe(code)
    expect(run.stderr).toContain(message)
  })
})

describe('ethgate validate and config', () => {
  test('default', async () => {
    const path = folder()
    const config = join(path, 'ethgate.yaml')
    writeFileSync(
      config,
      `upstream: http://127.0.0.1:8090/secret-in-path\nport: 9000\napi-keys: ${path}/keys.yaml\n`,
    )
    writeFileSync(join(path, 'keys.yaml'), `keys: [{name: a, sha256: ${'ab'.repeat(32)}}]\n`)
    const valid = await ethgate(['validate', '--config', config])
    expect(valid).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(valid.stdout)).toMatchObject({ valid: true, upstreams: 1, apiKeys: 1 })
    const shown = await ethgate(['config', '--config', config, '--host', '::1'], {
      env: { ETHGATE_SLOW: '5', ETHGATE_KEYS: 'not-shown' },
    })
    expect(shown.stdout).not.toContain('secret-in-path')
    expect(shown.stdout).not.toContain('not-shown')
    expect(JSON.parse(shown.stdout)).toEqual(
      expect.arrayContaining([
        { option: 'host', value: '::1', source: '--host' },
        { option: 'slow', value: '5', source: 'ETHGATE_SLOW' },
        { option: 'port', value: '9000', source: config },
        { option: 'upstream', value: 'http://127.0.0.1:8090/[hidden]', source: config },
        { option: 'keys', value: '[hidden]', source: 'ETHGATE_KEYS' },
        { option: 'batch-limit', value: '1000', source: 'default' },
        { option: 'redis', value: null, source: 'default' },
      ]),
    )
  })

  test('error: a wrong value, with file, line and key', async () => {
    const path = folder()
    const config = join(path, 'ethgate.yaml')
    writeFileSync(config, 'slow: 5\nport: high\n')
    const wrong = await ethgate(['validate', '--config', config])
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain(`${config}:2: port: expected a whole number`)
    const shown = await ethgate(['config', '--config', config])
    expect(shown).toEqual({ ...wrong, code: 2 })
    writeFileSync(join(path, 'keys.yaml'), 'keys:\n  - name: a\n')
    const keys = await ethgate(['validate', '--api-keys', join(path, 'keys.yaml')])
    expect(keys.code).toBe(1)
    expect(keys.stderr).toContain('keys.yaml:2: keys[0].sha256: is missing')
  })

  test('error: no node, as serve says it; API keys alone need none', async () => {
    const path = folder()
    const config = join(path, 'ethgate.yaml')
    writeFileSync(config, '')
    const served = await ethgate(['serve', '--config', config])
    expect(served).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the node is missing'),
    })
    expect(await ethgate(['validate', '--config', config])).toEqual({ ...served, code: 1 })
    expect(await ethgate(['validate'])).toEqual({ ...served, code: 1 })
    const file = join(path, 'keys.yaml')
    writeFileSync(file, `keys: [{name: a, sha256: ${'ab'.repeat(32)}}]\n`)
    const keys = await ethgate(['validate', '--api-keys', file])
    expect(keys).toMatchObject({ code: 0, stderr: '' })
  })
})
