import { existsSync } from 'node:fs'

import { type Browser, chromium } from 'playwright-core'

/** Debian’s Chromium; CHROMIUM names another one. */
const PROGRAM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Whether there is a browser to test with. */
export const hasChromium = existsSync(PROGRAM)

/** Starts headless Chromium. It connects only to the addresses that a test opens. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: PROGRAM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
