import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

/** The links of the documentation to files and headings of this repository. */

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The Markdown files of the repository itself and of these folders. */
function pages(): string[] {
  const inside = ['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { encoding: 'utf8', recursive: true }).map((file) =>
      join(folder, file),
    ),
  )
  return [...readdirSync(root), ...inside].filter(
    (file) => file.endsWith('.md') && !file.includes('node_modules'),
  )
}

/** A page without its code blocks. */
const textOf = (file: string) =>
  readFileSync(join(root, file), 'utf8').replace(/^```[\s\S]*?^```/gm, '')

/** The name that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\-_ ]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const anchorsOf = (file: string) =>
  [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** Whether a link of a page leads to a file, and to a heading if it names one. */
function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, file))) return false
  // VitePress takes a file of a kind that it does not know for a page.
  if (/\.(?:cfg|service)$/.test(file)) return false
  // On the site a folder is its README.
  if (statSync(join(root, file)).isDirectory()) return existsSync(join(root, file, 'README.md'))
  return anchor === undefined || !file.endsWith('.md') || anchorsOf(file).includes(anchor)
}

test('behavior: each link of a page leads to a file and a heading', () => {
  const links = pages().flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => ({ link, page }))
      .filter(({ link }) => !/^[a-z]+:/.test(link)),
  )
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter(({ link, page }) => !leadsSomewhere(page, link))).toEqual([])
})

test('behavior: docs/README.md, which groups the pages, names each of them', () => {
  const index = textOf('docs/README.md')
  const named = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
  const missing = named.filter((file) => file !== 'README.md' && !index.includes(`](${file})`))
  expect(missing).toEqual([])
})

test('behavior: a page longer than two screens has contents', () => {
  const headings = (page: string) =>
    [...textOf(page).matchAll(/^## (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
  const long = pages().filter(
    (page) =>
      page.startsWith('docs/') &&
      // Found by search: its headings lead to the chapters of another page.
      page !== 'docs/errors/README.md' &&
      readFileSync(join(root, page), 'utf8').split('\n').length > 100,
  )
  expect(long.length).toBeGreaterThan(10)
  const missing = long.flatMap((page) =>
    headings(page)
      .filter((heading) => !textOf(page).includes(`](#${heading})`))
      .map((heading) => `${page}#${heading}`),
  )
  expect(missing).toEqual([])
})
