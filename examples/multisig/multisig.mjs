// An account that two of three keys control, without a contract: the chain itself checks the signatures of an account's permissions.
// The script makes an account, gives its control to three owners, and sends a coin from it with the signatures of two of them.
import { createPublicClient, createWalletClient, http, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'

const url = process.env.RPC_URL ?? 'http://127.0.0.1:8545'
const client = createPublicClient({ transport: http(url) })
const wallet = createWalletClient({ transport: http(url) })
const [funder] = await wallet.getAddresses()
if (!funder) throw new Error('the gateway manages no account')

const native = (address) => `41${address.slice(2).toLowerCase()}`
const newKey = () => {
  const key = generatePrivateKey()
  return { key, address: native(privateKeyToAccount(key).address) }
}
const safe = newKey()
const owners = [newKey(), newKey(), newKey()]
const receiver = native('0x00000000000000000000000000000000000000aa')

// The change of permissions burns 100 coins on the real chain.
const to = `0x${safe.address.slice(2)}`
const funding = await wallet.sendTransaction({
  account: funder,
  chain: null,
  to,
  value: parseUnits('200', 6),
})
await client.waitForTransactionReceipt({ hash: funding })

const ofThree = (type, permission_name, threshold, more) => ({
  type,
  permission_name,
  threshold,
  keys: owners.map(({ address }) => ({ address, weight: 1 })),
  ...more,
})
const { active_permission } = await post('/wallet/getaccount', { address: safe.address })
const update = await post('/wallet/accountpermissionupdate', {
  owner_address: safe.address,
  owner: ofThree(0, 'owner', 2),
  // The operations that the new permission allows are those of the old one.
  actives: [ofThree(2, 'spend', 2, { operations: active_permission[0].operations })],
})
await broadcast(await signed(update, safe))
console.log(`${safe.address} belongs to ${owners.length} owners, two of which must sign`)

const transfer = {
  owner_address: safe.address,
  to_address: receiver,
  amount: 1_000_000,
  Permission_id: 2,
}
const one = await signed(await post('/wallet/createtransaction', transfer), owners[0])
const weight = await post('/wallet/getsignweight', one)
console.log(`one signature: ${weight.result.code ?? weight.result.message}`)
const refusal = await post('/wallet/broadcasttransaction', one)
console.log(`sent with one signature: ${refusal.code}`)
const hash = await broadcast(await signed(one, owners[2]))
const { status } = await client.waitForTransactionReceipt({ hash: `0x${hash}` })
console.log(`sent with two signatures: ${status}`)

/** Adds a signature: 65 bytes over the id of the transaction. */
async function signed(transaction, { key }) {
  const signature = await sign({ hash: `0x${transaction.txID}`, privateKey: key, to: 'hex' })
  return { ...transaction, signature: [...(transaction.signature ?? []), signature.slice(2)] }
}

async function broadcast(transaction) {
  const { code, message, result } = await post('/wallet/broadcasttransaction', transaction)
  if (!result) throw new Error(`${code}: ${Buffer.from(message ?? '', 'hex')}`)
  await client.waitForTransactionReceipt({ hash: `0x${transaction.txID}` })
  return transaction.txID
}

async function post(path, body) {
  const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) })
  const answer = await response.json()
  if (answer.Error) throw new Error(`${path}: ${answer.Error}`)
  return answer
}
