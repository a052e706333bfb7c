import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

const linesOf = (name: string) =>
  readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')

test('behavior: .dockerignore lets through every file that the Dockerfile copies', () => {
  const [everything, ...exceptions] = linesOf('.dockerignore')
  expect(everything).toBe('*')
  const copied = linesOf('Dockerfile')
    .filter((line) => /^COPY (?!--from)/.test(line))
    .flatMap((line) => line.split(' ').slice(1, -1))
  expect(copied).toContain('src')
  expect(copied.filter((path) => !exceptions.includes(`!${path}`))).toEqual([])
})
