import { existsSync, readFileSync } from 'node:fs'

import { expect, test } from 'vitest'
import { parse } from 'yaml'

const urlOf = (name: string) => new URL(`../../${name}`, import.meta.url)
const linesOf = (name: string) => readFileSync(urlOf(name), 'utf8').trim().split('\n')

test('behavior: .dockerignore lets through every file that the Dockerfile copies', () => {
  const [everything, ...exceptions] = linesOf('.dockerignore')
  expect(everything).toBe('*')
  const copied = linesOf('Dockerfile')
    .filter((line) => /^COPY (?!--from)/.test(line))
    .flatMap((line) => line.split(' ').slice(1, -1))
  expect(copied).toContain('src')
  expect(copied.filter((path) => !exceptions.includes(`!${path}`))).toEqual([])
  const build = readFileSync(urlOf('scripts/build.mjs'), 'utf8')
  const used = [...build.matchAll(/'\.\/(\w+\.mjs)'/g)].map(([, file = '']) => `scripts/${file}`)
  expect(used).toContain('scripts/entries.mjs')
  expect(used.filter((path) => !copied.includes(path))).toEqual([])
})

type Service = {
  depends_on?: Record<string, unknown>
  environment?: Record<string, string>
  ports?: string[]
  profiles?: string[]
  volumes?: string[]
}

test('behavior: the compose file names services and files that exist, and publishes ports to this machine only', () => {
  const { services, volumes } = parse(readFileSync(urlOf('docker-compose.yml'), 'utf8'), {
    merge: true,
  }) as { services: Record<string, Service>; volumes: Record<string, unknown> }
  const all = Object.values(services)
  expect(Object.keys(services)).toEqual(
    expect.arrayContaining(all.flatMap((service) => Object.keys(service.depends_on ?? {}))),
  )
  const sources = all.flatMap(({ volumes: mounted = [] }) =>
    mounted.map((one) => one.split(':')[0]),
  )
  const isFile = (source = '') => source.startsWith('.')
  expect(sources.filter((source = '') => isFile(source) && !existsSync(urlOf(source)))).toEqual([])
  expect(Object.keys(volumes)).toEqual(
    expect.arrayContaining(sources.filter((source) => !isFile(source))),
  )
  const ports = all.flatMap((service) => service.ports ?? [])
  expect(ports.length).toBeGreaterThan(0)
  expect(
    ports.filter((port) => !/^(127\.0\.0\.1|\$\{ETHGATE_LISTEN:-127\.0\.0\.1\}):/.test(port)),
  ).toEqual([])
  // Without a node the file is refused with words that say what to set, and no development chain starts in its place.
  const upstream = services['gateway-1']?.environment?.['ETHGATE_UPSTREAM'] ?? ''
  const [, devchain = ''] =
    /^\$\{ETHGATE_UPSTREAM:\?names no node.*http:\/\/([^:]+):/.exec(upstream) ?? []
  expect(services[devchain]?.profiles).toEqual(['dev'])
})
