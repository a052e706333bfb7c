import type { Case } from '../case.ts'
import { callText } from '../requests.ts'

const KEY = '11'.repeat(32)
const ACCOUNT = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'

/** Sends inputs that would take long to decode, recover or hash, one at a time. The gateway rejects them before. */
export const oversizedInput: Case = {
  name: 'oversized-input',
  what: 'long base58, thousands of signatures, typed data that grows when it is encoded, deep and wide JSON',
  env: { ETHGATE_KEYS: KEY },
  async run({ url }) {
    const bodies = [
      callText('eth_getBalance', [`T${'2'.repeat(100_000)}`, 'latest']),
      callText('eth_getBalance', [`T${'2'.repeat(1_000_000)}`, 'latest']),
      callText('eth_getBalance', [`0x${'f'.repeat(3_000_000)}`, 'latest']),
      callText('eth_getBlockByNumber', [`0x${'f'.repeat(3_000_000)}`, false]),
      callText('eth_getBlockByNumber', ['9'.repeat(3_000_000), false]),
      callText('eth_feeHistory', [`0x${'f'.repeat(3_000_000)}`, 'latest', []]),
      callText('eth_feeHistory', ['0x1', 'latest', Array.from({ length: 500_000 }, () => 50)]),
      callText('eth_sendRawTransaction', [manySignatures(28_000)]),
      callText('eth_signTypedData_v4', [ACCOUNT, typedData({ length: 1e9 }, [])]),
      callText('eth_signTypedData_v4', [ACCOUNT, typedData('x', nested(40))]),
      `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`,
      `[${Array.from({ length: 100_000 }, () => '{}').join(',')}]`,
    ]
    let wrong = 0
    let slowest = 0
    for (const body of bodies) {
      const began = performance.now()
      const response = await fetch(url, { method: 'POST', body })
      const answer = JSON.parse(await response.text()) as unknown
      slowest = Math.max(slowest, performance.now() - began)
      const [first] = [answer].flat() as { error?: { code: number } }[]
      if (first?.error === undefined || first.error.code === -32603) wrong++
    }
    return { note: `slowest ${slowest.toFixed(0)} ms`, tried: bodies.length, wrong }
  },
}

/** A native transaction with an empty body and many signatures, as hex. */
function manySignatures(count: number): string {
  return `0x0a00${`1241${'01'.repeat(65)}`.repeat(count)}`
}

function typedData(name: unknown, more: [string, unknown][]) {
  return {
    domain: { name },
    message: { constructor: {} },
    primaryType: 'T0',
    types: {
      EIP712Domain: [{ name: 'name', type: 'string' }],
      T0: [{ name: 'constructor', type: more.length > 0 ? 'T1' : 'string' }],
      ...Object.fromEntries(more),
    },
  }
}

/** Types that name each other twice. If members of a prototype counted, each would double the text of the hash. */
function nested(depth: number): [string, unknown][] {
  return Array.from({ length: depth }, (_, index) => [
    `T${index + 1}`,
    [
      { name: 'constructor', type: `T${index + 2}` },
      { name: 'toString', type: index + 1 === depth ? 'string' : `T${index + 2}` },
    ],
  ])
}
