import {
  createCipheriv,
  createDecipheriv,
  pbkdf2,
  randomBytes,
  randomUUID,
  scrypt as nodeScrypt,
  type ScryptOptions,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'

import { keccak_256 } from '@noble/hashes/sha3.js'

import { usageError } from '../base/errors.ts'
import { get, scalar } from '../base/json.ts'

/** geth's standard cost: about a second and 256 MB. */
const SCRYPT = { n: 2 ** 18, r: 8, p: 1 }

/** The most memory that a keystore may ask for, so that a file cannot exhaust the machine. */
const MAX_MEMORY = 2 ** 30

/** Encrypts a private key as geth and cast do: JSON of version 3, scrypt and AES-128. */
export async function encryptKey(hex: string, address: string, password: string): Promise<string> {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const derived = await scrypt(password, salt, 32, SCRYPT)
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(hex, 'hex')), cipher.final()])
  return JSON.stringify({
    address,
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'scrypt',
      kdfparams: { dklen: 32, ...SCRYPT, salt: salt.toString('hex') },
      mac: macOf(derived, ciphertext).toString('hex'),
    },
    id: randomUUID(),
    version: 3,
  })
}

/** The private key (hex) in a keystore of version 3. @throws CommandError (usage) for another file or a wrong password */
export async function decryptKey(text: string, password: string, where: string): Promise<string> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw usageError(`${where} is not JSON`)
  }
  const crypto = get(json, 'crypto') ?? get(json, 'Crypto')
  const field = (...path: string[]) => scalar(get(crypto, ...path)) ?? ''
  const bytes = (...path: string[]) => Buffer.from(field(...path), 'hex')
  const cost = (name: string) => Number(field('kdfparams', name))
  if (scalar(get(json, 'version')) !== '3' || field('cipher') !== 'aes-128-ctr')
    throw usageError(`${where} is not a keystore of version 3 with aes-128-ctr`)
  const salt = bytes('kdfparams', 'salt')
  const derived = await derive()
  const ciphertext = bytes('ciphertext')
  const [mac, expected] = [bytes('mac'), macOf(derived, ciphertext)]
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected))
    throw usageError(`${where}: the password is wrong`)
  const decipher = createDecipheriv(
    'aes-128-ctr',
    derived.subarray(0, 16),
    bytes('cipherparams', 'iv'),
  )
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('hex')

  async function derive(): Promise<Buffer> {
    const length = cost('dklen')
    try {
      if (length < 32 || length > 64) throw new RangeError('dklen')
      if (field('kdf') === 'scrypt')
        return await scrypt(password, salt, length, { n: cost('n'), r: cost('r'), p: cost('p') })
      if (field('kdf') === 'pbkdf2' && field('kdfparams', 'prf') === 'hmac-sha256')
        return await derivePbkdf2(password, salt, cost('c'), length, 'sha256')
    } catch (error) {
      throw usageError(`${where}: the parameters of ${field('kdf')} are not usable`, error)
    }
    throw usageError(`${where}: the key derivation is neither scrypt nor pbkdf2`)
  }
}

// The synchronous forms block the event loop for seconds. If the server closes an idle connection meanwhile, the next request on it fails.
const derivePbkdf2 = promisify(pbkdf2)
const deriveScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(nodeScrypt)

function scrypt(
  password: string,
  salt: Buffer,
  length: number,
  { n: N, p, r }: { n: number; p: number; r: number },
): Promise<Buffer> {
  return deriveScrypt(password.normalize('NFKC'), salt, length, { N, r, p, maxmem: MAX_MEMORY })
}

function macOf(derived: Buffer, ciphertext: Buffer): Buffer {
  return Buffer.from(keccak_256(Buffer.concat([derived.subarray(16, 32), ciphertext])))
}
