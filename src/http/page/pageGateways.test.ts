// Pages of gateways with other settings: without a node, without or with artifacts, with 18 decimals.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Hash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { callRpc, openDevScene } from '../../../test/e2e/sendScenes.ts'
import { type Activity, makeActivity } from '../../../test/support/activity.ts'
import { type DevGateway, startDevGateway } from '../../../test/support/devGateway.ts'
import { startGateway } from '../../../test/support/gateway.ts'
import { pagesOf } from '../../../test/support/pages.ts'
import { artifacts } from '../../../test/support/recordedChain.ts'

let dev: DevGateway
let seen: Activity

beforeAll(async () => {
  dev = await startDevGateway()
  seen = await makeActivity(dev)
})

afterAll(() => dev.close())

test('behavior: an error of the node is shown, and not an empty answer', async () => {
  const { url } = await startGateway({ config: { upstream: 'http://127.0.0.1:9' } })
  const { open } = pagesOf(() => url)
  for (const path of ['/', '/search?q=tusd', `/tx/${seen.transfer}`])
    expect((await open(path)).text).toContain('This page could not be read')
  const { text: state } = await open('/state')
  expect(state).toMatch(/Head<\/dt><dd>unknown/)
  expect(state).not.toContain('100 %')
  const health = (await (await fetch(`${url}/health`)).json()) as {
    head: { number: number | null }
    upstream: { state: string }
    upstreams: { state: string }[]
  }
  expect(health).toMatchObject({ head: { number: null }, upstream: { state: 'down' } })
  expect(health.upstreams.map((one) => one.state)).not.toContain('healthy')
})

test('behavior: a token whose balance cannot be read stays in the list', async () => {
  const { url } = await startGateway({ config: { upstream: dev.url } })
  const { textOf } = pagesOf(() => url)
  const tokens = `/address/${dev.accountOf(1)}?tab=tokens`
  expect(await textOf(tokens)).toMatch(/“Test Dollar” .* 250 “TUSD”/)
  await dev.rpc('dev_setFaults', { dropRate: 1, operations: ['triggerconstantcontract'] })
  onTestFinished(async () => void (await dev.rpc('dev_setFaults', { dropRate: 0 })))
  expect(await textOf(tokens)).toMatch(/contract could not be read/)
})

test('behavior: without artifacts an unknown error is shown as data', async () => {
  const { url } = await startGateway({ config: { upstream: dev.url } })
  const { open } = pagesOf(() => url)
  const { text } = await open(`/tx/${seen.customError}`)
  expect(text).toContain('an error that no known ABI has: 0xf988f737<')
  // The bytes are folded.
  expect(text).toMatch(/<details><summary>Data of the error<\/summary><pre[^>]*>0xf988f737/)
  const [, data] = /data-error="(0x[0-9a-f]+)"/.exec(text) ?? []
  const decode = async (abi: unknown) =>
    (
      await fetch(`${url}/page/error`, { method: 'POST', body: JSON.stringify({ abi, data }) })
    ).json()
  expect(await decode(artifacts.Kitchen.abi)).toEqual({
    value: expect.stringMatching(/^Custom\(/) as string,
  })
  expect(await decode([])).toEqual({ error: 'This ABI does not have the error.' })
  const { text: account } = await open(`/address/${dev.accountOf(0)}`)
  expect(account).toContain('Sent')
  expect(account).toContain(seen.memo)
  const [, older = ''] = /rel="next" href="([^"]+)"/.exec(account.replaceAll('&amp;', '&')) ?? []
  const rest = older === '' ? '' : (await open(older)).text
  expect(account + rest).toContain(seen.transfer)
  const { text: other } = await open(`/address/0x${'5'.repeat(40)}`)
  // Without an index a page searches a part of the chain.
  expect(other).toMatch(/No transactions of this address in blocks \d+ to \d+\./)
})

test('behavior: without an index older blocks are searched until a transaction is found', async () => {
  const own = await startDevGateway({ rules: { producers: 1 } })
  onTestFinished(() => own.close())
  const [from, to] = [own.accountOf(1), own.accountOf(2)]
  const hash = (await own.rpc('eth_sendTransaction', { from, to, value: '0x5' })) as string
  await own.rpc('anvil_mine', 100)
  const { url } = await startGateway({ config: { upstream: own.url } })
  const { open } = pagesOf(() => url)
  const page = `/address/${to}?tab=transactions`
  const { text } = await open(page)
  expect(text).toMatch(/No transactions of this address in blocks \d+ to \d+\./)
  const [, back = ''] = /href="([^"]+)">Search back until/.exec(text) ?? []
  const { text: found } = await open(back.replaceAll('&amp;', '&'))
  expect(found).not.toContain('No transactions')
  expect(found).toContain(hash)
})

test('behavior: artifacts of a build folder name contracts, functions and errors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-page-'))
  const { abi, runtime } = artifacts.Kitchen
  writeFileSync(join(folder, 'Kitchen.json'), JSON.stringify({ abi, deployedBytecode: runtime }))
  const own = await startDevGateway({ artifacts: folder })
  try {
    const { customError, kitchen } = await makeActivity(own)
    const { textOf } = pagesOf(() => own.url)
    expect(await textOf(`/tx/${customError}`)).toContain('Custom(code: 42, why: custom why)')
    expect(await textOf(`/address/${kitchen}?tab=contract`)).toContain('rCustom')
  } finally {
    await own.close()
    rmSync(folder, { recursive: true })
  }
})

test('behavior: with 18 decimals every amount is in that unit', async () => {
  const wei = await startDevGateway({ rules: { decimals: 18 } })
  try {
    const hash = (await wei.rpc('eth_sendTransaction', {
      from: wei.accountOf(0),
      to: wei.accountOf(1),
      value: '0x14d1120d7b160000',
    })) as Hash
    const { textOf } = pagesOf(() => wei.url)
    expect(await textOf(`/tx/${hash}`)).toMatch(/transferred\s+1\.5 coins/)
    expect(await textOf(`/address/${wei.accountOf(1)}`)).toContain('10,001.5 coins')
    expect(await textOf('/')).toMatch(/Energy price\s+[1-9][\d.]* gwei\s+per unit/)
    expect(await textOf(`/tx/${hash}`)).toMatch(
      /Energy 21,000 used of [\d,]+ Energy price\s+[\d.]+ gwei/,
    )
    expect(await textOf('/connect')).toContain('decimals: 18 }')
  } finally {
    await wei.close()
  }
})

test('behavior: the page of a transaction is the same by the hash of the wallet and by the native id', async () => {
  const scene = await openDevScene()
  onTestFinished(() => scene.stop())
  const rpc = (method: string, ...params: unknown[]) => callRpc(scene.url, method, params)
  const raw = await privateKeyToAccount(scene.keys.bob).signTransaction({
    chainId: scene.chainId,
    gas: 21_000n,
    gasPrice: 1_000n,
    nonce: 0,
    to: privateKeyToAccount(scene.keys.carol).address,
    type: 'legacy',
    value: 2_500_000n,
  })
  const hash = (await rpc('eth_sendRawTransaction', raw)) as Hash
  const { textOf } = pagesOf(() => scene.url)
  // While it waits for a block, the page names it too.
  expect(await textOf(`/tx/${hash}`)).toContain(`Hash in your wallet ${hash}`)
  await expect.poll(() => rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  const { transactionHash: id } = (await rpc('ethgate_transactionStatus', hash)) as {
    transactionHash: Hash
  }
  expect(id).not.toBe(hash)
  for (const one of [hash, id]) {
    const text = await textOf(`/tx/${one}`)
    expect(text).toContain(`Hash in your wallet ${hash}`)
    expect(text).toContain(`Native id ${id}`)
    expect(text).toMatch(/ transferred 2\.5 coins to /)
    expect(text).toMatch(/bandwidth, free or from the stake/)
    expect(text).toContain('Valid until')
  }
})
