import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import { serve, type ServerType } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { hasChromium, launchChromium } from './chromium.ts'

/** The documentation as a site, as `npm run build` in site/ left it. */
const SITE = fileURLToPath(new URL('../../site/dist', import.meta.url))
const built = existsSync(join(SITE, 'index.html'))
if (!built)
  process.stdout.write(
    'test/browser/site.test.ts is skipped: the site is not built (npm ci && npm run build in site/)\n',
  )

describe.skipIf(!hasChromium || !built)('the site in Chromium', () => {
  let browser: Browser
  let server: ServerType
  let url = ''

  beforeAll(async () => {
    const app = new Hono().use(serveStatic({ root: relative(process.cwd(), SITE) }))
    await new Promise<void>((resolve) => {
      server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
        url = `http://127.0.0.1:${port}`
        resolve()
      })
    })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })

  /** A browser page, and what its console, its scripts and its requests show to be wrong. */
  async function newPage(width = 1440): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 } })
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) problems.push(`asks ${request.url()}`)
    })
    return { page, problems }
  }

  /** The pages that the list for programs names, without their extension. */
  const listed = () =>
    [...readFileSync(join(SITE, 'llms.txt'), 'utf8').matchAll(/\]\(\/(\S+)\.md\)/g)].map(
      ([, page = '']) => page,
    )

  test('default: each page opens on a phone, with no error and without scrolling sideways', async () => {
    const paths = ['index', ...listed()].map((path) => `${path}.html`)
    expect(paths.length).toBeGreaterThan(20)
    const { page, problems } = await newPage(390)
    for (const path of paths) {
      await page.goto(`${url}/${path}`, { waitUntil: 'networkidle' })
      const wider = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect({ path, problems, wider }).toEqual({ path, problems: [], wider: 0 })
      expect(await page.locator('main h1').count()).toBe(1)
    }
    await page.close()
  }, 300_000)

  test('behavior: the search finds a page without another host', async () => {
    const { page, problems } = await newPage()
    await page.goto(`${url}/`, { waitUntil: 'networkidle' })
    await page.keyboard.press('Control+k')
    await page.locator('input[type=search]').fill('filter not found')
    await page.locator('.VPLocalSearchBox .result').first().click()
    await page.waitForURL(/\.html/)
    expect(problems).toEqual([])
    await page.close()
  })

  test('behavior: diagrams are drawn, and a long page lists its headings', async () => {
    const { page, problems } = await newPage()
    await page.goto(`${url}/contributors/architecture.html`)
    await page.locator('.diagram svg').first().waitFor()
    expect(await page.locator('.VPDocOutlineItem a').count()).toBeGreaterThan(3)
    expect(problems).toEqual([])
    await page.close()
  })

  test('behavior: each page is there as Markdown, and all of them in one file', () => {
    const all = readFileSync(join(SITE, 'llms-full.txt'), 'utf8')
    for (const path of listed()) {
      const heading = /^# .*$/m.exec(readFileSync(join(SITE, `${path}.md`), 'utf8'))?.[0]
      expect(all).toContain(heading ?? path)
    }
  })
})
