import { getContractAddress } from 'viem/utils'
import { expect, test } from 'vitest'

import { startDevGateway } from '../../../test/support/devGateway.ts'
import { CREATE2_DEPLOYER } from './deployer.ts'

const from = `0x${CREATE2_DEPLOYER.address.slice(2)}` as const
const salt = `0x${'07'.padStart(64, '0')}` as const

/** Creation code of a contract whose code is one STOP. */
const bytecode = '0x60016000f3'

test('default: creates contracts at the same addresses as on Ethereum', async () => {
  const dev = await startDevGateway()
  const [account] = (await dev.rpc('eth_accounts')) as string[]
  const data = salt + bytecode.slice(2)
  await dev.rpc('eth_sendTransaction', { from: account, to: from, data })
  const at = getContractAddress({ opcode: 'CREATE2', bytecode, from, salt })
  expect(await dev.rpc('eth_getCode', at, 'latest')).toBe('0x00')
  await dev.close()
})

test('args: absent with the native rule for addresses', async () => {
  const dev = await startDevGateway({ profile: 'native' })
  expect(await dev.rpc('eth_getCode', from, 'latest')).toBe('0x')
  await dev.close()
})
