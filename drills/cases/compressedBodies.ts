import { brotliCompressSync, constants } from 'node:zlib'

import type { Case } from '../case.ts'
import { callText } from '../requests.ts'

const REQUESTS = 800

/** As many compressed bodies at once, each of which becomes one of 4 MB. */
export const compressedBodies: Case = {
  name: 'compressed-bodies',
  what: `${REQUESTS} bodies of some bytes at once that unpack to 4 MB each`,
  flags: ['--rate-per-client', '20', '--trust-proxy', '1'],
  growth: 300,
  async run({ url }) {
    const text = callText('eth_chainId').padEnd(4_000_000)
    const body = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
    const headers = { 'content-encoding': 'br', 'x-forwarded-for': '203.0.113.9' }
    const statuses = await Promise.all(
      Array.from({ length: REQUESTS }, async () => {
        const response = await fetch(url, { method: 'POST', body, headers })
        await response.text()
        return response.status
      }),
    )
    const of = (status: number) => statuses.filter((one) => one === status).length
    const [answered, refused, held] = [of(200), of(429), of(503)]
    // A caller has 10 s of its rate at once, and each body costs some units.
    const wrong = answered > 0 && refused > 0 ? REQUESTS - answered - refused - held : REQUESTS
    const note = `${body.length} bytes each; ${answered} answered, ${refused} refused with 429, ${held} with 503`
    return { tried: REQUESTS, wrong, note }
  },
}
