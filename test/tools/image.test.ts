import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { freePort } from '../support/freePort.ts'
import { wanted } from './project.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** The steps of a Dockerfile, one line each. */
const steps = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line))

/** Without a Docker daemon: the same copies and commands in folders. */
test.runIf(wanted)(
  'behavior: the program runs with the files of the image alone, and its health check tells',
  { timeout: 900_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ethgate-image-'))
    onTestFinished(() => rmSync(folder, { force: true, recursive: true }))
    const stages = { build: join(folder, 'build'), final: join(folder, 'final') }
    for (const stage of Object.values(stages)) mkdirSync(stage)

    const second = steps.findLastIndex((step) => step.startsWith('FROM '))
    for (const step of steps.slice(0, second)) {
      const [instruction, ...words] = step.split(' ')
      if (instruction === 'COPY') {
        const target = words.pop() ?? ''
        for (const source of words)
          cpSync(
            join(root, source),
            join(stages.build, target, target.endsWith('/') ? basename(source) : ''),
            { recursive: true },
          )
      }
      if (instruction === 'RUN')
        await run('bash', ['-c', words.join(' ')], { cwd: stages.build, maxBuffer: 2 ** 26 })
    }
    for (const step of steps.slice(second)) {
      const [, source = '', target = ''] =
        /^COPY --from=build (?:--chown=\S+ )?\/app\/(\S+) (\S+)$/.exec(step) ?? []
      if (source === '') continue
      const place =
        target === './' ? join('app', source) : join(target.startsWith('/') ? '' : 'app', target)
      cpSync(join(stages.build, source), join(stages.final, place), {
        recursive: true,
        verbatimSymlinks: true,
      })
    }
    rmSync(stages.build, { recursive: true })
    expect(existsSync(join(stages.final, 'data'))).toBe(true)

    const port = await freePort()
    const options = {
      cwd: join(stages.final, 'app'),
      env: { NODE_ENV: 'production', ETHGATE_PORT: `${port}`, PATH: process.env['PATH'] },
      stdio: 'ignore',
    } as const
    const exitOf = async (args: readonly string[]) => {
      const [code] = (await once(spawn(process.execPath, args, options), 'exit')) as [number | null]
      return code
    }
    const check = steps.find((step) => step.startsWith('HEALTHCHECK ')) ?? ''
    const [, ...healthy] = JSON.parse(check.slice(check.indexOf('["node"'))) as string[]
    expect(await exitOf(healthy)).toBe(1)
    const child = spawn(process.execPath, ['dist/main.js', 'dev'], options)
    const ended = once(child, 'exit')
    try {
      await expect.poll(() => exitOf(healthy)).toBe(0)
    } finally {
      child.kill('SIGTERM')
    }
    expect((await ended)[0]).toBe(0)
  },
)
