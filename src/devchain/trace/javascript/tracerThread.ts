import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'

import { loadOptionalPart } from '../../../lib/optionalPart.ts'
import { createChannel } from './channel.ts'
import { GUEST } from './guest.ts'

/** What the thread is started with. */
export type ThreadData = { port: MessagePort; shared: SharedArrayBuffer }

/** From the owner: a call of the tracer, or the answer to a question. Both texts are JSON. */
export type ToThread =
  | { call: string; text: string }
  /** Without an answer the tracer must end. */
  | { answer: string | undefined }

/** The first message of the thread: it has started, or what it lacks. */
export type Started = { error?: string }

/** From the thread: a question, the text that the call returned, or its error. */
export type FromThread = { ask: string } | { text: string | undefined } | { error: string }

/** Bytes that a tracer may use, and its stack. */
const MEMORY = 64 * 1024 * 1024
const STACK = 256 * 1024

/** Most characters of an error. */
const LONGEST = 1_000

const { port, shared } = workerData as ThreadData
const channel = createChannel<FromThread, ToThread>(port, shared, 1)

const engine = await loadOptionalPart(loadEngine).catch((error: Error) => {
  start({ error: error.message })
})
if (engine) {
  // Made before it is needed, because the time of the tracer counts.
  let next: Sandbox | undefined = engine.openSandbox()
  let sandbox: Sandbox | undefined
  start({})
  for (;;) {
    const message = channel.receive()
    if (!message || !('call' in message)) continue
    const { call, text } = message
    if (call === 'open') {
      sandbox?.close()
      sandbox = next ?? engine.openSandbox()
      next = undefined
    }
    channel.send(sandbox?.call(call, text) ?? { error: 'no tracer is open' })
    if (call === 'result') next ??= engine.openSandbox()
  }
}

function start(started: Started): void {
  parentPort?.postMessage(started, [])
}

/** One tracer. */
type Sandbox = { call(name: string, text: string): FromThread; close(): void }

async function loadEngine(): Promise<{ openSandbox(): Sandbox }> {
  const { newQuickJSWASMModuleFromVariant } = await import('quickjs-emscripten-core')
  // The library of large numbers that geth gives to tracers too.
  const require = createRequire(import.meta.url)
  const bigInt = readFileSync(require.resolve('big-integer/BigInteger.min.js'), 'utf8')
  const engine = await newQuickJSWASMModuleFromVariant(
    import('@jitl/quickjs-wasmfile-release-sync'),
  )

  function openSandbox(): Sandbox {
    const runtime = engine.newRuntime({ memoryLimitBytes: MEMORY, maxStackSizeBytes: STACK })
    let isEnded = false
    // The owner ends the thread when a call takes too long: loops inside functions of the engine do not ask here.
    runtime.setInterruptHandler(() => isEnded)
    const context = runtime.newContext()
    context.unwrapResult(context.evalCode(bigInt, 'bigInt.js')).dispose()
    const guest = context.unwrapResult(context.evalCode(GUEST, 'tracer.js'))
    const ask = context.newFunction('ask', (question) => {
      channel.send({ ask: context.getString(question) })
      const message = channel.receive()
      const answer = message && 'answer' in message ? message.answer : undefined
      if (answer !== undefined) return context.newString(answer)
      isEnded = true
      throw new Error('the tracer was ended')
    })
    const run = context.unwrapResult(context.callFunction(guest, context.undefined, ask))
    return {
      call(name, text) {
        const words = [context.newString(name), context.newString(text)] as const
        const result = context.callFunction(run, context.undefined, ...words)
        for (const word of words) word.dispose()
        if (result.error) {
          const error = context.dump(result.error) as unknown
          result.error.dispose()
          return { error: textOf(error) }
        }
        const { value } = result
        const returned = context.typeof(value) === 'string' ? context.getString(value) : undefined
        value.dispose()
        return { text: returned }
      },
      close() {
        for (const handle of [run, ask, guest]) handle.dispose()
        context.dispose()
        runtime.dispose()
      },
    }
  }

  return { openSandbox }
}

/** The text of what a tracer threw. */
function textOf(thrown: unknown): string {
  const { message, name } = Object(thrown) as { message?: unknown; name?: unknown }
  const text = typeof message === 'string' ? `${String(name)}: ${message}` : String(thrown)
  return text.slice(0, LONGEST)
}
