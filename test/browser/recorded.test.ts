import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startGateway, type TestGateway } from '../support/gateway.ts'
import { labels } from '../support/recordedChain.ts'
import { hasChromium, launchChromium } from './chromium.ts'

/** A node with the recorded chain. Without it the recorded answers are replayed. */
const UPSTREAM = process.env['NATIVE_RECORDED_URL']
const SOLIDITY = process.env['NATIVE_RECORDED_SOLIDITY_URL']

/** The sentence of the transactions with a label. Sentences of other labels begin with an account and a verb. */
const SENTENCES: Record<string, RegExp> = {
  'activate alice': /^0x.* “Zion” transferred 5,000,000 coins to 0x/,
  'transfer exact int64 9007199254740993':
    / transferred 9,007,199,254.740993 coins to 0x.* “Zion”$/,
  'freeze energy': / staked 100,000 coins for energy$/,
  'freeze bandwidth bob': / staked 10,000 coins for bandwidth$/,
  Token: / deployed 0x.* “Token”$/,
  BadCtor: / tried to deploy a contract, but it failed$/,
  'Child payable': / deployed 0x1631…4Ce8 with 0\.001 coins$/,
  'token transfer': / transferred 0\.000777 “MyTok” to 0x/,
  'delegate energy': / delegated the energy of 1,000 coins to 0x/,
  'unfreeze part': / unstaked 1,000 coins from energy$/,
  'proposal create energy fee': / proposed to change the energy price \(parameter 11\) to 210$/,
  'erc20 transfer': / transferred 0\.001 “TUSD” to 0x/,
  'erc20 transfer insufficient (custom error)':
    / tried to transfer 0\.001 “TUSD” to 0x.*, but it failed$/,
  'erc20 approve': / allowed 0x.* to spend 0\.005 “TUSD”$/,
  'erc20 transferFrom': / transferred 0\.\d+ “TUSD” from 0x.* to 0x/,
  'tx reverts rCustom()': / called rCustom of 0x.* “Kitchen”, but it failed$/,
  'pay value': / called pay of 0x.* “Kitchen” with 0\.012345 coins$/,
  'pay token': / called pay of 0x.* “Kitchen” with 0\.000077 “MyTok”$/,
  'update setting': / set the share of energy that callers of 0x.* “Kitchen” pay to 30 %$/,
  'approve sr1': / approved proposal 2$/,
  'permission update':
    / changed its permissions to owner \(1 key, threshold 1\), active0 \(2 keys, threshold 2\)$/,
  'exchange create': / created an exchange of 1 “MyTok” and 1 coin$/,
  undelegate: / ended the delegation of energy of 500 coins to 0x/,
  'clear abi': / removed the ABI of 0x.* “Token” from the chain$/,
  bulk: / transferred 0\.\d+ “TUSD” to 0x/,
  'many logs': / called events of 0x.* “Kitchen”$/,
}

describe.skipIf(!hasChromium)('the recorded chain in Chromium', () => {
  let browser: Browser
  let gateway: TestGateway

  beforeAll(async () => {
    gateway = await startGateway({
      config: {
        ...(UPSTREAM && { upstream: UPSTREAM }),
        ...(SOLIDITY && { upstreamSolidity: SOLIDITY }),
      },
    })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  test('default: every labelled transaction has its sentence, no script error, and fits a phone', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    const wrong: string[] = []
    let label = ''
    page.on('pageerror', ({ message }) => wrong.push(`${label}: ${message}`))
    for (const transaction of labels.transactions) {
      ;({ label } = transaction)
      await page.goto(`${gateway.url}/tx/0x${transaction.id}`)
      const { overflow, text } = await page.evaluate<{ overflow: number; text: string }>(`({
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        text: document.querySelector('.sentence')?.innerText ?? '',
      })`)
      if (overflow > 0) wrong.push(`${label}: scrolls sideways by ${overflow} pixels`)
      const sentence = text.replaceAll(/\s+/g, ' ').replaceAll(' ,', ',').trim()
      const expected = transaction.accepted
        ? (SENTENCES[label] ?? /^\S+ (?:“[^”]*” )?(?!ran )[a-z]+ /)
        : /^Transaction 0x\S+ is in no block\. Its state is unknown: /
      if (!expected.test(sentence)) wrong.push(`${label}: ${sentence}`)
    }
    await page.close()
    expect(wrong).toEqual([])
  }, 300_000)
})
