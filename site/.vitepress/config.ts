import { defineConfig } from 'vitepress'

import { writeForAgents } from '../agents.ts'
import { ENTRIES, writeApi } from '../api.ts'
import { groups, PAGES, writePages } from '../pages.ts'

writePages()
await writeApi(`${PAGES}/api`)

/** The anchor that code hosts give a heading, so that links work in both places. */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\-_ ]/gu, '')
    .trim()
    .replaceAll(' ', '-')

/** For a site that is not at the root of its host: `SITE_BASE=/ethgate/`. */
const base = process.env['SITE_BASE'] ?? '/'

export default defineConfig({
  title: 'ethgate',
  description: 'An Ethereum JSON-RPC gateway for java-tron chains',
  base,
  srcDir: PAGES,
  outDir: 'dist',
  // No icon: browsers would ask for /favicon.ico.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify },
    html: false,
    config: (md) => {
      const fence = md.renderer.rules.fence
      md.renderer.rules.fence = (tokens, index, ...rest) =>
        tokens[index].info === 'mermaid'
          ? `<Diagram source="${encodeURIComponent(tokens[index].content)}" />`
          : fence(tokens, index, ...rest)
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    sidebar: [
      ...groups().map(({ title, entries }) => ({
        text: title,
        items: entries.map((entry) => ({ text: entry.title, link: `/${entry.path}` })),
      })),
      {
        text: 'What programs import',
        items: ENTRIES.map((name) => ({ text: `ethgate/${name}`, link: `/api/${name}/index.md` })),
      },
    ],
  },
  buildEnd: ({ outDir, pages, srcDir }) => writeForAgents({ base, outDir, pages, srcDir }),
})
