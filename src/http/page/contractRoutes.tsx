import { type Context, Hono } from 'hono'
import type { Child } from 'hono/jsx'
import type { AbiFunction, Hex } from 'viem'

import { decodeRevert } from '../../codec/abi.ts'
import { parseAddress } from '../../lib/address.ts'
import { textOf } from '../../lib/bodyText.ts'
import type { Hold } from '../../lib/heldBytes.ts'
import { MOST_DECODED, readAbi } from './abi.ts'
import { callFunction, encodeText, givenFunctions } from './reads/contract.ts'
import { type Source, tokenInList } from './reads/source.ts'
import { decodedText } from './reads/transaction.ts'
import { Functions } from './views/contract.tsx'
import type { Senders } from './views/senders.tsx'

/** Bytes of an ABI that a visitor gives. */
const MOST_BYTES = 512 * 1024

/**
 * What the client script of a contract page asks for: the forms of a pasted ABI, the value of a read function, call data for
 * the wallet. The ABI comes from a visitor, so each is read with the same limits as one of the chain.
 */
export function contractRoutes({ part, sendersFor, sourceOf }: contractRoutes.Options): Hono {
  const app = new Hono()

  /** Answers POST at a path. A text that is too large is refused. */
  function post(path: string, answer: (c: Context, text: string) => Promise<Response>): void {
    app.post(path, async (c) => {
      const text = await textOf(c.req.raw, MOST_BYTES, (c.var as { body?: Hold }).body)
      return text === undefined ? tooLarge(c) : answer(c, text)
    })
  }

  post('/page/functions/:address', async (c, text) => {
    const address = parseAddress(c.req.param('address') ?? '')
    const functions = givenFunctions(text)
    if (!address || !functions)
      return c.json({ error: 'This is no ABI: expected JSON with functions.' }, 400)
    const senders = await sendersFor(c)
    const token = await tokenInList(address, sourceOf(c))
    return part(
      c,
      <Functions address={address} functions={functions} senders={senders} token={token} />,
    )
  })

  post('/page/call/:address', async (c, text) => {
    const address = parseAddress(c.req.param('address') ?? '')
    const { args, entry } = given(text)
    if (!address || !entry) return c.json({ error: 'expected {entry, args}' }, 400)
    const { error, value } = await callFunction(address, entry, args, sourceOf(c))
    return c.json({ error, value })
  })

  post('/page/encode', async (c, text) => {
    const { args, entry } = given(text)
    if (!entry) return c.json({ error: 'expected {entry, args}' }, 400)
    try {
      return c.json({ data: encodeText(entry, args) })
    } catch (error) {
      return c.json({ error: (error as Error).message.split('\n')[0] })
    }
  })

  post('/page/error', async (c, text) => {
    const { abi, data } = (jsonIn(text) ?? {}) as { abi?: unknown; data?: unknown }
    if (typeof data !== 'string' || !/^0x[0-9a-f]*$/.test(data))
      return c.json({ error: 'expected {abi, data}' }, 400)
    const found = decodeRevert(data as Hex, readAbi(abi), MOST_DECODED)
    return c.json(
      found ? { value: decodedText(found) } : { error: 'This ABI does not have the error.' },
    )
  })

  return app
}

export declare namespace contractRoutes {
  type Options = {
    /** Sends a part of a page. */
    part: (c: Context, element: Child) => Promise<Response>
    /** Who may send transactions of Ethereum. */
    sendersFor: (c: Context) => Promise<Senders>
    /** What the visitor of a page reads from. */
    sourceOf: (c: Context) => Source
  }
}

const tooLarge = (c: Context) =>
  c.json({ error: `A request may have at most ${MOST_BYTES} bytes.` }, 413, { connection: 'close' })

/** The function and its arguments in the text of a request; no function when they are not readable. */
function given(text: string): { entry: AbiFunction | undefined; args: string[] } {
  try {
    const { args, entry } = JSON.parse(text) as { args?: unknown; entry?: unknown }
    const [first] = readAbi([entry])
    if (first?.type !== 'function' || !Array.isArray(args)) return { entry: undefined, args: [] }
    return { entry: first, args: args.map(String) }
  } catch {
    return { entry: undefined, args: [] }
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
