import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

import { packProject } from '../support/pack.ts'
import { openProject, type Project, wanted } from './project.ts'

describe.runIf(wanted)('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-publish-'))
  let project: Project
  let tarball: string

  beforeAll(async () => {
    project = await openProject('publish')
    ;({ tarball } = packProject(inject('package'), folder))
  }, 600_000)

  afterAll(() => rmSync(folder, { recursive: true }))

  test('default: publint finds no mistake', async () => {
    expect(await project.run('publint', ['--strict', tarball])).toContain('All good!')
  })

  test('default: the types of all entries resolve', async () => {
    const printed = await project.run('attw', ['--profile', 'esm-only', tarball])
    expect(printed).toContain('"ethgate/ethers"')
  })
})
