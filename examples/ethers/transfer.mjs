// Sends one coin from the first account that the gateway manages, and waits for the receipt.
import { JsonRpcProvider, parseUnits } from 'ethers'

const url = process.env.RPC_URL ?? 'http://127.0.0.1:8545'
// By default ethers repeats an answer that is younger than 250 ms.
const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1 })
const [account] = await provider.listAccounts()
if (!account) throw new Error('the gateway manages no account')

const to = process.env.RECEIVER ?? '0x00000000000000000000000000000000000000aa'
const before = await provider.getBalance(to)
const sent = await account.sendTransaction({ to, value: parseUnits('1', 6) })
const receipt = await sent.wait()
const after = await provider.getBalance(to)
console.log(`${receipt.status === 1 ? 'success' : 'reverted'}: ${to} received ${after - before}`)
provider.destroy()
