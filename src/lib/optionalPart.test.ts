import { expect, test } from 'vitest'

import { loadOptionalPart } from './optionalPart.ts'

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /dist/main.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })

const fail = (error: Error) => async () => {
  throw error
}

test('default: returns what was loaded', async () => {
  expect(await loadOptionalPart(() => import('./sleep.ts'))).toHaveProperty('sleep')
})

test.each(['lmdb', '@ethereumjs/evm', '@opentelemetry/api'])(
  'error: names the package %s, which is not installed',
  async (name) => {
    await expect(loadOptionalPart(fail(missing(`${name}/inside.js`)))).rejects.toThrow(
      new RegExp(
        `^the package ${name} is not installed; run npm install ${name}@\\d+\\.\\d+\\.\\d+$`,
      ),
    )
  },
)

test('error: a package that belongs to every installation, and other failures, stay as they are', async () => {
  for (const error of [missing('viem'), new Error('broken')])
    await expect(loadOptionalPart(fail(error))).rejects.toBe(error)
})
