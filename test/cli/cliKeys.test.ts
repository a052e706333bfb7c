import { scryptSync as nativeScrypt } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { encryptKeystoreJsonSync, hexlify, scryptSync, Wallet } from 'ethers'
import { expect, test } from 'vitest'

import { decryptKey, encryptKey } from '../../src/cli/wallet/keystore.ts'
import { ethgate } from '../support/cli.ts'
import { hasTerminal, onTerminal, terminalSkip } from '../support/terminal.ts'
import { useFolder } from './cliSetup.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const PASSWORD = 'a password with ünïcode'

/** A keystore that cast 1.7.1 wrote for this key and the password "pw". It has no address. */
const FROM_CAST =
  '{"crypto":{"cipher":"aes-128-ctr","cipherparams":{"iv":"53efe03c0f13995e00e240c15f50ad3b"},"ciphertext":"9f97482de567c24c27fa7eba293f1d699a14c677bdf99c52d923225fb1c03df4","kdf":"scrypt","kdfparams":{"dklen":32,"n":8192,"p":1,"r":8,"salt":"af60a3e61533a6c54aeb121bc9f00a13735e0ad1defcb801c00758ffab6e758a"},"mac":"e74f6eba238f8c14a42d1558a70e71cd24720092021f22983f3e039a43ad86e6"},"id":"fb847552-6b04-4fd9-981a-940519025341","version":3}'

// The scrypt of ethers in JavaScript takes many seconds.
scryptSync.register((password, salt, N, r, p, length) =>
  hexlify(nativeScrypt(password, salt, length, { N, r, p, maxmem: 2 ** 30 })),
)

const folder = useFolder()
const keys = join(folder, 'keys')
const plain = join(folder, 'plain.key')
const password = join(folder, 'password')
writeFileSync(plain, KEY, { mode: 0o600 })
writeFileSync(password, `${PASSWORD}\n`)
mkdirSync(keys)

const store = ['--keystore-dir', keys, '--password-file', password]

test('default: a keystore that ethers reads', async () => {
  const run = await ethgate(['keys', 'import', 'first', '--key-file', plain, ...store])
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(run.stdout).not.toContain(KEY.slice(2))
  const file = join(keys, 'first')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const text = readFileSync(file, 'utf8')
  expect(text).not.toContain(KEY.slice(2))
  expect(Wallet.fromEncryptedJsonSync(text, PASSWORD).privateKey).toBe(KEY)

  const again = await ethgate(['keys', 'import', 'first', '--key-file', plain, ...store])
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('behavior: reads keystores of ethers and cast', async () => {
  const options = { scrypt: { N: 1024, r: 8, p: 1 } }
  const account = { address: ADDRESS, privateKey: KEY }
  writeFileSync(join(keys, 'ethers'), encryptKeystoreJsonSync(account, PASSWORD, options))
  const ethers = await ethgate(['keys', 'show', '--account', 'ethers', ...store, '-f', 'eth'])
  expect(ethers.stdout).toBe(`${ADDRESS}\n`)
  writeFileSync(join(keys, 'cast'), FROM_CAST)
  writeFileSync(join(folder, 'pw'), 'pw')
  const cast = await ethgate(['keys', 'show', '--key-file', join(keys, 'cast'), '-f', 'eth'], {
    env: { ETH_PASSWORD: join(folder, 'pw') },
  })
  expect(cast.stdout).toBe(`${ADDRESS}\n`)
  const list = await ethgate(['keys', 'list', '--keystore-dir', keys])
  expect(JSON.parse(list.stdout)).toMatchObject([
    { name: 'cast' },
    { name: 'ethers', address: { eth: ADDRESS.toLowerCase() } },
    { name: 'first', address: { eth: ADDRESS.toLowerCase() } },
  ])
})

test('behavior: other work goes on while a key is derived', async () => {
  const meanwhile = async <result>(deriving: Promise<result>) => {
    let isOver = false
    setImmediate(() => (isOver = true))
    const result = await deriving
    expect(isOver).toBe(true)
    return result
  }
  const secret = KEY.slice(2)
  const text = await meanwhile(encryptKey(secret, ADDRESS.slice(2), PASSWORD))
  expect(await meanwhile(decryptKey(text, PASSWORD, 'it'))).toBe(secret)
})

test('behavior: signs as ethers does, and verifies', async () => {
  for (const message of ['I am first', '0x00ff']) {
    const { stdout } = await ethgate(['keys', 'sign', message, '--key-file', plain])
    const signature = stdout.trim()
    const bytes = message.startsWith('0x') ? Uint8Array.of(0, 255) : message
    expect(signature).toBe(await new Wallet(KEY).signMessage(bytes))
    const verify = ['keys', 'verify', message, signature]
    expect((await ethgate([...verify, '--address', ADDRESS])).code).toBe(0)
    expect((await ethgate(verify)).stdout).toBe(`${ADDRESS}\n`)
    const other = await ethgate([...verify, '-a', `0x${'11'.repeat(20)}`])
    expect(other).toMatchObject({ code: 1, stdout: '' })
    expect(other.stderr).toContain('did not sign this message')
  }
  const invalid = await ethgate(['keys', 'verify', 'I am first', `0x${'00'.repeat(65)}`])
  expect(invalid).toMatchObject({ code: 1, stdout: '' })
})

test('behavior: signs typed data as ethers does, with every digit, and verifies', async () => {
  const domain = { name: 'Token', version: '1', chainId: 31337, verifyingContract: ADDRESS }
  const types = {
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'value', type: 'uint256' },
    ],
  }
  const message = { owner: ADDRESS, value: 12345678901234567890n }
  const EIP712Domain = [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ]
  const json = JSON.stringify({
    types: { ...types, EIP712Domain },
    primaryType: 'Permit',
    domain,
    message: { ...message, value: 0 },
  }).replace('"value":0', '"value":12345678901234567890')
  const file = join(folder, 'permit.json')
  writeFileSync(file, json)
  const expected = await new Wallet(KEY).signTypedData(domain, types, message)
  for (const input of [json, file]) {
    const { stdout } = await ethgate(['keys', 'sign', '--data', input, '--key-file', plain])
    expect(stdout).toBe(`${expected}\n`)
    const verify = await ethgate(['keys', 'verify', '--data', input, expected])
    expect(verify.stdout).toBe(`${ADDRESS}\n`)
  }
})

test.each([
  ['{', 'needs typed data'],
  ['{"a":1}', 'types is no object'],
  // Without its domain a signature would be valid everywhere.
  ['{"types":{"A":[]},"primaryType":"A","message":{}}', 'domain is no object'],
  [
    '{"types":{},"primaryType":"Permit","domain":{},"message":{}}',
    'primaryType is not one of types',
  ],
  [
    '{"types":{"A":[{"name":"b","type":"address"}]},"primaryType":"A","domain":{},"message":{"b":"0x1"}}',
    'Address "0x1" is invalid',
  ],
  ['missing.json', 'there is no such file'],
])('error: %s is not typed data', async (input, text) => {
  const { code, stderr } = await ethgate(['keys', 'sign', '--data', input, '--key-file', plain])
  expect(code).toBe(2)
  expect(stderr).toContain(text)
})

test('error: a wrong password, a name that is a path, hostile parameters, no password', async () => {
  const wrong = join(folder, 'wrong')
  writeFileSync(wrong, 'not it')
  let count = 0
  const hostile = (change: (json: { crypto: { kdfparams: object } }) => void) => {
    const json = JSON.parse(FROM_CAST) as { crypto: { kdfparams: object } }
    change(json)
    const file = join(folder, `hostile${(count += 1)}`)
    writeFileSync(file, JSON.stringify(json))
    return ['keys', 'show', '--key-file', file, '--password-file', password]
  }
  const cases: [string[], string][] = [
    [
      ['keys', 'show', '--account', 'cast', '--keystore-dir', keys, '--password-file', wrong],
      'the password is wrong',
    ],
    [['keys', 'new', '../escape', ...store], 'is not a name'],
    [['keys', 'show', '--account', 'cast', '--keystore-dir', keys], 'the password is missing'],
    [['keys', 'show'], 'the key is missing'],
    [['keys', 'new', 'both', '--key-file', join(keys, 'both.key'), ...store], 'not both'],
    [['keys', 'show', '--account', 'nobody', ...store], 'the file does not exist'],
    [hostile(({ crypto }) => Object.assign(crypto.kdfparams, { n: 2 ** 30 })), 'are not usable'],
    [hostile(({ crypto }) => Object.assign(crypto, { kdf: 'none' })), 'neither scrypt nor pbkdf2'],
    [hostile((json) => Object.assign(json, { version: 1 })), 'is not a keystore of version 3'],
  ]
  for (const [words, text] of cases) {
    const run = await ethgate(words)
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain(text)
  }
  chmodSync(plain, 0o644)
  const readable = await ethgate(['keys', 'show', '--key-file', plain])
  expect(readable.stderr).toContain(`chmod 600 ${plain}`)
})

test.skipIf(!hasTerminal)(
  `behavior: a terminal asks for the password and does not show it${terminalSkip}`,
  async () => {
    const folderOption = `--keystore-dir "${join(folder, 'typed')}"`
    /** Types the password when the command asks for it. Returns the exit code and all that the terminal showed. */
    const type = (words: string, text: string, again = text) =>
      new Promise<{ code: number | null; shown: string }>((resolve) => {
        const terminal = onTerminal(`keys ${words} ${folderOption}`)
        let shown = ''
        terminal.stdout.on('data', (chunk: Buffer) => {
          const before = shown
          shown += chunk.toString()
          const asks = (prompt: string) => !before.includes(prompt) && shown.includes(prompt)
          if (asks('Password: ')) terminal.stdin.write(`${text}\n`)
          if (asks('Repeat the password: ')) terminal.stdin.write(`${again}\n`)
        })
        terminal.on('close', (code) => resolve({ code, shown }))
      })
    const mistyped = await type('new alice', 'open sesame', 'opne sesame')
    expect(mistyped.code).toBe(2)
    expect(mistyped.shown).toContain('the passwords differ; nothing was stored')
    const created = await type('new alice', 'open sesame')
    expect(created.code).toBe(0)
    const right = await type('show --account alice -f eth', 'open sesame')
    expect(right.code).toBe(0)
    expect(right.shown).toMatch(/0x[0-9a-fA-F]{40}/)
    const wrong = await type('show --account alice -f eth', 'close sesame')
    expect(wrong.code).toBe(2)
    expect(wrong.shown).toContain('the password is wrong')
    for (const { shown } of [mistyped, created, right, wrong]) expect(shown).not.toContain('sesame')
    const stopped = await type('show --account alice', '\u0003')
    expect(stopped.code).toBe(130)
    expect(stopped.shown).toContain('ethgate: stopped')
  },
)
