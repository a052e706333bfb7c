import type { Address, Hex } from 'viem'
import { afterAll, beforeEach } from 'vitest'

import type { Config } from '../../src/config/config.ts'
import { createDevChain, type DevChain, type EthereumRules } from '../../src/devchain/index.ts'
import { createAnnouncer } from '../../src/devchain/node/announce.ts'
import { gatewayOptions } from '../../src/devchain/node/gatewayOptions.ts'
import type { Terminal } from '../../src/devchain/node/terminal/terminal.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { startGateway } from './gateway.ts'

/** A dev chain with a gateway in front, on a free port. */
export type DevGateway = {
  url: string
  chain: DevChain
  gateway: Gateway
  /** Address and private key of a funded account. */
  accountOf: (index: number) => Address
  keyOf: (index: number) => Hex
  rpc: (method: string, ...params: unknown[]) => Promise<unknown>
  /** A call of the native interface on the same port. */
  native: (path: string, body?: unknown) => Promise<Record<string, unknown>>
  close: () => Promise<void>
}

/** Starts a dev chain with a gateway for the tests of a file. It is reset before each test and ends after the last one. */
export async function startFileDevGateway(): Promise<DevGateway> {
  const dev = await startDevGateway()
  beforeEach(() => dev.rpc('hardhat_reset'))
  afterAll(() => dev.close())
  return dev
}

/** The values of `--energy`. */
export type Energy = EthereumRules['energy']

/** Runs a test on a dev chain of its own with 18 decimals. */
export async function onChain(
  energy: Energy,
  use: (node: DevGateway) => Promise<void>,
): Promise<void> {
  const node = await startDevGateway({ rules: { decimals: 18, ethereum: { energy } } })
  try {
    await use(node)
  } finally {
    await node.close()
  }
}

/** Starts a dev chain with a gateway. It makes blocks only for transactions or on request. */
export async function startDevGateway(
  options: createDevChain.Options = {},
  config: Partial<Config> = {},
  terminalOf: (chain: DevChain) => Terminal | undefined = () => undefined,
): Promise<DevGateway> {
  const chain = await createDevChain({
    ...options,
    mining: { blockTime: 0, ...options.mining },
  })
  await chain.start()
  const terminal = terminalOf(chain)
  const announcer = createAnnouncer(chain, terminal?.around)
  const connection = gatewayOptions(chain, announcer, terminal, options.rules?.decimals ?? 6)
  const account = (index: number) => {
    const found = connection.own.accounts[index]
    if (!found) throw new Error(`no account ${index}`)
    return found
  }
  const { close: closeGateway, gateway, url } = await startGateway({ config, ...connection })
  const { head } = await gateway.ready
  announcer.announceTo(head)
  return {
    url,
    chain,
    gateway,
    accountOf: (index) => account(index).address,
    keyOf: (index) => account(index).key,
    rpc: (method, ...params) => gateway.request({ method, params }),
    async native(path, body = {}) {
      const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
      return (await response.json()) as Record<string, unknown>
    },
    async close() {
      await closeGateway()
      await chain.close()
    },
  }
}
