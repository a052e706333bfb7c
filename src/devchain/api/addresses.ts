import { fromBase58 } from '../../lib/base58.ts'
import type { Operations } from './operation.ts'

function validate(address: string): { result: boolean; message: string } {
  const good = (message: string) => ({ result: true, message })
  const bad = (message: string) => ({ result: false, message })
  if (address.length === 42) {
    if (address.startsWith('0x')) return bad('Invalid address')
    if (/[^\da-f]/i.test(address))
      return bad('exception decoding Hex string: invalid characters encountered in Hex string')
    return address.startsWith('41') ? good('Hex string format') : bad('Invalid address')
  }
  if (address.length === 34) {
    try {
      return fromBase58(address).toString('hex').startsWith('41')
        ? good('Base58check format')
        : bad('Invalid address')
    } catch {
      return bad('Invalid address')
    }
  }
  if (address.length === 28) {
    const bytes = Buffer.from(address, 'base64')
    return bytes.length === 21 && bytes[0] === 0x41 ? good('Base64 format') : bad('Invalid address')
  }
  return bad('Length error')
}

/** The operations that check the format of addresses. */
export const addressOperations: Operations = {
  validateaddress: {
    prefix: 'wallet',
    strict: true,
    unreadable: () => undefined,
    run({ params }) {
      const given = params.json['address']
      const address = typeof given === 'number' ? given.toString() : given
      if (typeof address !== 'string')
        return { result: false, message: 'Cannot invoke "String.length()" because "input" is null' }
      return validate(address)
    },
  },
}
