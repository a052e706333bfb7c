import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { Child } from 'hono/jsx'
import type { AbiFunction } from 'viem'

import { encodeCall } from '../../codec/abiArguments.ts'
import { parseAddress } from '../../lib/address.ts'
import { readAbi } from './abi.ts'
import { callFunction, givenFunctions } from './reads/contract.ts'
import type { Source } from './reads/source.ts'
import { Functions } from './views/contract.tsx'

/**
 * What the client script of a contract page asks for: the forms of a pasted ABI, the value of a read function, call data for
 * the wallet. The ABI comes from a visitor, so each is read with the same limits as one of the chain.
 */
export function contractRoutes({ limit, part, sourceOf }: contractRoutes.Options): Hono {
  const app = new Hono()

  app.post('/page/functions/:address', limit, async (c) => {
    const address = parseAddress(c.req.param('address'))
    const functions = givenFunctions(await c.req.text())
    if (!address || !functions)
      return c.json({ error: 'This is no ABI: expected JSON with functions.' }, 400)
    return part(c, <Functions address={address} functions={functions} />)
  })

  app.post('/page/call/:address', limit, async (c) => {
    const address = parseAddress(c.req.param('address'))
    const { args, entry } = await given(c)
    if (!address || !entry) return c.json({ error: 'expected {entry, args}' }, 400)
    const { error, value } = await callFunction(address, entry, args, sourceOf(c))
    return c.json({ error, value })
  })

  app.post('/page/encode', limit, async (c) => {
    const { args, entry } = await given(c)
    if (!entry) return c.json({ error: 'expected {entry, args}' }, 400)
    try {
      return c.json({ data: encodeCall(entry, args) })
    } catch (error) {
      return c.json({ error: (error as Error).message.split('\n')[0] })
    }
  })

  return app
}

export declare namespace contractRoutes {
  type Options = {
    /** Refuses bodies that are too large. */
    limit: MiddlewareHandler
    /** Sends a part of a page. */
    part: (c: Context, element: Child) => Promise<Response>
    /** What the visitor of a page reads from. */
    sourceOf: (c: Context) => Source
  }
}

/** The function and its arguments in a request; no function when they are not readable. */
async function given(c: Context): Promise<{ entry: AbiFunction | undefined; args: string[] }> {
  try {
    const { args, entry } = await c.req.json<{ args?: unknown; entry?: unknown }>()
    const [first] = readAbi([entry])
    if (first?.type !== 'function' || !Array.isArray(args)) return { entry: undefined, args: [] }
    return { entry: first, args: args.map(String) }
  } catch {
    return { entry: undefined, args: [] }
  }
}
