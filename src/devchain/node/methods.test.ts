import { expect, test } from 'vitest'

import { methods } from '../../rpc/methods/index.ts'
import { createDevChain } from '../index.ts'
import { createAnnouncer } from './announce.ts'
import { devMethods } from './methods.ts'

/** Methods that this folder still defines beside those of `rpc/methods`. The list only gets shorter: a chain implements `Execution`. */
const TWICE = `
  eth_feeHistory eth_fillTransaction eth_maxPriorityFeePerGas eth_mining eth_pendingTransactions eth_sendRawTransaction
  eth_sendTransaction eth_signTransaction`

test('default: no other method is defined in two places', async () => {
  const chain = await createDevChain({ accounts: 1, ethereum: { energy: 'cancun' } })
  const own = devMethods(chain, createAnnouncer(chain))
  const twice = Object.entries(methods).filter(
    ([name, { kind }]) => kind !== 'refused' && name in own && own[name]?.kind !== 'refused',
  )
  expect(twice.map(([name]) => name).toSorted()).toEqual(TWICE.trim().split(/\s+/))
})
