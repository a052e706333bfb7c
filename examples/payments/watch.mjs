// Writes each transfer of a token to a file once, through crashes of this program, of the gateway and of Redis. The gateway keeps
// the position. The file has the position up to which it is complete, so that a page is never written twice.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const { FILE = 'payments.json', NAME = 'payments', RPC_URL, TOKEN } = process.env
if (!TOKEN) throw new Error('TOKEN is missing')
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

async function call(method, ...params) {
  const response = await fetch(RPC_URL ?? 'http://127.0.0.1:8545', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { error, result } = await response.json()
  if (error) throw Object.assign(new Error(`${method}: ${error.message}`), { code: error.code })
  return result
}

const idOf = ({ blockHash, logIndex }) => `${blockHash}:${logIndex}`
const file = await readFile(FILE, 'utf8').catch(() => '{"payments":[]}')
let { cursor, payments } = JSON.parse(file)

async function readPage() {
  const filter = { address: TOKEN, topics: [TRANSFER] }
  await call('ethgate_openCursor', { name: NAME, filter, from: 'earliest' })
  if (cursor) await call('ethgate_ack', { name: NAME, cursor })
  const page = await call('ethgate_next', { name: NAME })
  if (page.logs.length === 0) return sleep(500)
  for (const log of page.logs)
    if (log.removed) payments = payments.filter(({ id }) => id !== idOf(log))
    else payments.push({ id: idOf(log), hash: log.transactionHash, amount: `${BigInt(log.data)}` })
  cursor = page.cursor
  await writeFile(`${FILE}.new`, JSON.stringify({ cursor, payments }))
  await rename(`${FILE}.new`, FILE)
  console.log(`${payments.length} payments`)
}

for (;;)
  await readPage().catch((error) => {
    // The request is wrong, such as the name of a cursor with another filter: repeating it cannot help.
    if (error.code === -32602) throw error
    console.error(error.message)
    return sleep(500)
  })
