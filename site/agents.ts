// What programs that read text find on the site: each page as Markdown, their list and all of them in one file.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { ENTRIES } from './api.ts'
import { groups } from './pages.ts'

/** Writes each page as Markdown beside its HTML, `llms.txt` (the list) and `llms-full.txt` (the text of all pages). */
export function writeForAgents(site: { outDir: string; pages: string[]; srcDir: string }): void {
  for (const page of site.pages) {
    mkdirSync(dirname(join(site.outDir, page)), { recursive: true })
    copyFileSync(join(site.srcDir, page), join(site.outDir, page))
  }
  const lines = groups().flatMap(({ title, entries }) => [
    `## ${title}`,
    '',
    ...entries.map(
      (entry) => `- [${entry.title}](/${entry.path})${entry.about && `: ${entry.about}`}`,
    ),
    '',
  ])
  lines.push('## What programs import', '')
  lines.push(...ENTRIES.map((name) => `- [ethgate/${name}](/api/${name}/index.md)`), '')
  const about =
    '> An Ethereum JSON-RPC gateway for java-tron chains. Each page is Markdown at the path in its link.'
  writeFileSync(join(site.outDir, 'llms.txt'), ['# ethgate', '', about, '', ...lines].join('\n'))
  const listed = groups().flatMap(({ entries }) => entries.map(({ path }) => path))
  const others = site.pages.filter((page) => !listed.includes(page)).toSorted()
  const texts = [...listed, ...others].map(
    (page) => `<!-- /${page} -->\n\n${readFileSync(join(site.srcDir, page), 'utf8').trim()}\n`,
  )
  writeFileSync(join(site.outDir, 'llms-full.txt'), texts.join('\n'))
}
