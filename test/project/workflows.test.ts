import { readdirSync, readFileSync } from 'node:fs'

import { expect, test } from 'vitest'
import { parse } from 'yaml'

/** The workflow files, which no machine of this project runs. */

const root = new URL('../../', import.meta.url)
const folder = new URL('.github/workflows/', root)

type Step = { run?: string; uses?: string }
type Job = { needs?: string; steps: Step[]; strategy?: { matrix: { node: number[] } } }
type Workflow = { jobs: Record<string, Job> }

const workflows = Object.fromEntries(
  readdirSync(folder).map((file) => [
    file,
    parse(readFileSync(new URL(file, folder), 'utf8')) as Workflow,
  ]),
)
const commands = Object.values(workflows)
  .flatMap(({ jobs }) => Object.values(jobs))
  .flatMap(({ steps }) => steps)
  .flatMap(({ run }) => run ?? [])

test('behavior: each npm script that a workflow runs exists', () => {
  const scripts = (file: string) =>
    Object.keys(
      (JSON.parse(readFileSync(new URL(file, root), 'utf8')) as { scripts: object }).scripts,
    )
  const known = { root: scripts('package.json'), site: scripts('site/package.json') }
  const used = commands.flatMap((text) => [
    ...text.matchAll(/npm run (?:-s )?([\w:]+)( --prefix site)?/g),
  ])
  expect(used.map(([, name]) => name)).toContain('build')
  const missing = used.filter(
    ([, name = '', site]) => !known[site ? 'site' : 'root'].includes(name),
  )
  expect(missing.map(([whole]) => whole)).toEqual([])
})

test('behavior: CI and the release run .ci/run, CI on every supported version of Node', () => {
  expect(commands.filter((text) => text === 'bash .ci/run')).toHaveLength(2)
  expect(workflows['ci.yml']?.jobs['all']?.strategy?.matrix.node).toEqual([20, 22, 24])
  const { image, package: npm } = workflows['release.yml']?.jobs ?? {}
  expect([image?.needs, npm?.needs]).toEqual(['test', 'test'])
})

test('behavior: the workflow of the site runs commands of .ci/run', () => {
  const script = readFileSync(new URL('.ci/run', root), 'utf8')
  const run = workflows['site.yml']?.jobs['build']?.steps.flatMap((step) => step.run ?? []) ?? []
  expect(run).toContain('npm run build --prefix site')
  expect(run.filter((command) => !script.includes(command))).toEqual([])
})
