import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const text = readFileSync(`${root}SECURITY.md`, 'utf8')

/** The rows of all tables, as lists of cells, without heads and rules. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.slice(1, -1).split('|'))
  .map((cells) => cells.map((cell) => cell.trim()))
  .filter(([first = '', ...more]) => !/^-+$/.test(first) && more.at(-1) !== 'Test')

test.each(rows.map((cells) => [cells[0] ?? '', cells.at(-1) ?? '']))(
  'default: the test of “%s” exists',
  (_, cell) => {
    const named = [...cell.matchAll(/`([^`]+\.test\.ts)`([^`]*)/g)]
    expect(named).not.toHaveLength(0)
    for (const [, file = '', titles = ''] of named) {
      const source = readFileSync(root + file, 'utf8')
      for (const [, title = ''] of titles.matchAll(/“([^”]+)”/g)) expect(source).toContain(title)
    }
  },
)

test('default: no row stands outside a table, where it would be shown as text', () => {
  expect(text).not.toMatch(/^[^|\n]*\n\| (?!-)[^\n]*\n(?!\| -)/m)
})
