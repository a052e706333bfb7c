/** The requests to compare, chosen from the node's chain. */
export type Requests = {
  /** By name: requests that a gateway answers from memory the second time. */
  hot: Record<string, string>
  /** Full blocks with transactions, each once. */
  blocks: { number: number; body: string }[]
  /** A contract call for the gateway and for the node; absent without a contract on the chain. */
  call: { body: string; native: string } | undefined
}

type Block = { transactions: { hash: string; to: string | null; input: string }[] }
type Receipt = { transactionHash: string; logs: unknown[]; contractAddress: string | null }

/** Walks at most this many blocks from the head back. */
const WALK = 300

/** Bytes of an ordinary full block. */
const BLOCK_BYTES = 8_000

/** Looks for an ordinary full block, the largest receipt and the block with the most logs. */
export async function findRequests(url: string): Promise<Requests> {
  const head = Number(await result(url, 'eth_blockNumber', []))
  const blocks: { bytes: number; number: number }[] = []
  let receipt = { bytes: 0, hash: '' }
  let logs = { count: 0, number: 0 }
  let contract: string | undefined
  for (let number = head; number > Math.max(0, head - WALK); number--) {
    const tag = hex(number)
    const block = (await result(url, 'eth_getBlockByNumber', [tag, true])) as Block
    if (block.transactions.length === 0) continue
    blocks.push({ bytes: JSON.stringify(block).length, number })
    const receipts = (await result(url, 'eth_getBlockReceipts', [tag])) as Receipt[]
    let count = 0
    for (const entry of receipts) {
      const bytes = JSON.stringify(entry).length
      if (bytes > receipt.bytes) receipt = { bytes, hash: entry.transactionHash }
      count += entry.logs.length
    }
    if (count > logs.count) logs = { count, number }
    contract ??=
      block.transactions.find(({ input, to }) => to !== null && input.length >= 10)?.to ?? undefined
  }
  const ordinary = blocks.toSorted(
    (a, b) => Math.abs(a.bytes - BLOCK_BYTES) - Math.abs(b.bytes - BLOCK_BYTES),
  )[0]
  if (!ordinary) throw new Error('the last blocks of this chain are all empty')
  const range = { fromBlock: hex(logs.number), toBlock: hex(logs.number) }
  const blockBody = (number: number) => body('eth_getBlockByNumber', [hex(number), true])
  return {
    hot: {
      eth_chainId: body('eth_chainId', []),
      eth_blockNumber: body('eth_blockNumber', []),
      'full block': blockBody(ordinary.number),
      receipt: body('eth_getTransactionReceipt', [receipt.hash]),
      eth_getLogs: body('eth_getLogs', [range]),
      'batch of 30': batchOf(30, [
        body('eth_chainId', []),
        body('eth_blockNumber', []),
        blockBody(ordinary.number),
      ]),
    },
    blocks: blocks.map(({ number }) => ({ number, body: blockBody(number) })),
    call: contract === undefined ? undefined : callTo(contract),
  }
}

/** `decimals()`: cheap where it exists, and an ordinary revert where it does not. */
function callTo(contract: string) {
  return {
    body: body('eth_call', [{ to: contract, data: '0x313ce567' }, 'latest']),
    native: JSON.stringify({
      owner_address: `41${'0'.repeat(40)}`,
      contract_address: `41${contract.slice(2)}`,
      data: '313ce567',
    }),
  }
}

/** Calls in turn, as clients send them that collect what is asked at the same time. */
function batchOf(size: number, calls: string[]): string {
  const entries = Array.from({ length: size }, (_, id) => ({
    ...(JSON.parse(calls[id % calls.length] ?? '') as object),
    id,
  }))
  return JSON.stringify(entries)
}

function body(method: string, params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}

async function result(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', body: body(method, params) })
  const answer = (await response.json()) as { error?: { message: string }; result?: unknown }
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}
