import { expect, test } from 'vitest'

import { methods } from '../../rpc/methods/index.ts'
import { createDevChain } from '../index.ts'
import { createAnnouncer } from './announce.ts'
import { createDevSending } from './devSending.ts'
import { devMethods } from './methods.ts'

test('default: no method is defined in two places: a chain implements `Execution`', async () => {
  const chain = await createDevChain({
    accounts: { count: 1 },
    rules: { ethereum: { energy: 'cancun' } },
  })
  const own = devMethods(chain, createDevSending(chain, createAnnouncer(chain)))
  const twice = Object.entries(methods).filter(
    ([name, { kind }]) => kind !== 'refused' && name in own && own[name]?.kind !== 'refused',
  )
  expect(twice.map(([name]) => name)).toEqual([])
})
