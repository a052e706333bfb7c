// Sends one coin from the first account that the gateway manages, and waits for the receipt.
import { createPublicClient, createWalletClient, http, parseUnits } from 'viem'

const transport = http(process.env.RPC_URL ?? 'http://127.0.0.1:8545')
const client = createPublicClient({ transport })
const wallet = createWalletClient({ transport })
const [account] = await wallet.getAddresses()
if (!account) throw new Error('the gateway manages no account')

const to = process.env.RECEIVER ?? '0x00000000000000000000000000000000000000aa'
const before = await client.getBalance({ address: to })
const hash = await wallet.sendTransaction({ account, chain: null, to, value: parseUnits('1', 6) })
const { blockNumber, status } = await client.waitForTransactionReceipt({ hash })
const after = await client.getBalance({ address: to })
console.log(`${status} in block ${blockNumber}: ${to} received ${after - before}`)
