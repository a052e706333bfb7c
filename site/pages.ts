// Copies the Markdown pages of the repository into a folder that VitePress builds, and makes their links those of the site.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Where the pages are, relative to this folder. VitePress copies `public` in it as it is. */
export const PAGES = '.pages'
const TARGET = join(ROOT, 'site', PAGES)

/** A page: its title, its path on the site and what the index says of it. */
export type Entry = { title: string; path: string; about: string }

/** The groups of docs/README.md, which are the groups of the sidebar. */
export function groups(): { title: string; entries: Entry[] }[] {
  const [, ...sections] = read('docs/README.md').split(/^## /m)
  return sections.map((section) => ({
    title: section.split('\n')[0] ?? '',
    entries: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)(?:: (.*))?$/gm)].map(
      ([, title = '', link = '', about = '']) => ({
        title,
        path: sitePath(posix.join('docs', link)) ?? link,
        about,
      }),
    ),
  }))
}

/** Writes all pages that the index leads to, and the files that they link, anew. */
export function writePages(): void {
  rmSync(TARGET, { recursive: true, force: true })
  cpSync(join(ROOT, 'docs', 'images'), join(TARGET, 'images'), { recursive: true })
  const waiting = ['docs/README.md']
  const written = new Set<string>()
  for (const file of waiting) {
    if (written.has(file)) continue
    written.add(file)
    const path = sitePath(file)
    if (path === undefined) copy(file, join('public', file))
    else
      write(
        path,
        withSiteLinks(file, (linked) => waiting.push(linked)),
      )
  }
}

/** The path of a page of the repository on the site; undefined for a file that is not a page. */
function sitePath(file: string): string | undefined {
  if (!file.endsWith('.md')) return undefined
  const path = file.replace(/^docs\//, '').replace(/README\.md$/, 'index.md')
  return path.toLowerCase()
}

/** A page with links to paths of the site, without comments. Code blocks stay as they are. */
function withSiteLinks(file: string, found: (linked: string) => void): string {
  const blocks = read(file).split(/^(```[\s\S]*?^```)/m)
  return blocks
    .map((text) =>
      text.startsWith('```')
        ? text
        : text
            .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
            .replaceAll(
              /(?<!!)(\[[^\]]*\])\(([^)\s]+)\)/g,
              (_, label: string, link: string) => `${label}(${siteLink(file, link, found)})`,
            ),
    )
    .join('')
}

function siteLink(file: string, link: string, found: (linked: string) => void): string {
  if (/^([a-z]+:|#)/.test(link)) return link
  const [path = '', anchor] = link.split('#')
  let linked = posix.join(posix.dirname(file), path)
  if (existsSync(join(ROOT, linked)) && statSync(join(ROOT, linked)).isDirectory())
    linked = posix.join(linked, 'README.md')
  found(linked)
  return `/${sitePath(linked) ?? linked}${anchor === undefined ? '' : `#${anchor}`}`
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(TARGET, path)), { recursive: true })
  writeFileSync(join(TARGET, path), text)
}

function copy(file: string, path: string): void {
  mkdirSync(dirname(join(TARGET, path)), { recursive: true })
  cpSync(join(ROOT, file), join(TARGET, path))
}
