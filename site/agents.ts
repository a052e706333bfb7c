// What programs that read text find on the site: each page as Markdown, their list and all of them in one file.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { ENTRIES } from './api.ts'
import { groups } from './pages.ts'

/**
 * Writes each page as Markdown beside its HTML, `llms.txt` (the list) and `llms-full.txt` (the text of all pages). Links begin with
 * `base`, the path of the site on its host.
 */
export function writeForAgents(site: {
  base: string
  outDir: string
  pages: string[]
  srcDir: string
}): void {
  const textOf = (page: string) =>
    readFileSync(join(site.srcDir, page), 'utf8').replaceAll('](/', `](${site.base}`)
  for (const page of site.pages) {
    mkdirSync(dirname(join(site.outDir, page)), { recursive: true })
    writeFileSync(join(site.outDir, page), textOf(page))
  }
  const lines = groups().flatMap(({ title, entries }) => [
    `## ${title}`,
    '',
    ...entries.map(
      (entry) =>
        `- [${entry.title}](${site.base}${entry.path})${entry.about && `: ${entry.about}`}`,
    ),
    '',
  ])
  lines.push('## What programs import', '')
  lines.push(...ENTRIES.map((name) => `- [ethgate/${name}](${site.base}api/${name}/index.md)`), '')
  const about =
    '> An Ethereum JSON-RPC gateway for java-tron chains. Each page is Markdown at the path in its link.'
  writeFileSync(join(site.outDir, 'llms.txt'), ['# ethgate', '', about, '', ...lines].join('\n'))
  const listed = groups().flatMap(({ entries }) => entries.map(({ path }) => path))
  const others = site.pages.filter((page) => !listed.includes(page)).toSorted()
  const texts = [...listed, ...others].map(
    (page) => `<!-- ${site.base}${page} -->\n\n${textOf(page).trim()}\n`,
  )
  writeFileSync(join(site.outDir, 'llms-full.txt'), texts.join('\n'))
}
