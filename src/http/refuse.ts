import { errorAnswer } from '../rpc/jsonrpc/answer.ts'

/** A rejected request, with a readable reason. */
export type Refusal = {
  status: number
  reason: string
  /** Code of the JSON-RPC error. @default -32600 */
  code?: number
  /** Whether a person in a browser reads it. */
  isPage?: boolean
}

/**
 * Answers without reading the body, so the connection cannot be reused and is closed.
 *
 * @param headers - a name and a value in turn
 */
export function refused(refusal: Refusal, headers: readonly string[] = []): Response {
  const { code = -32600, isPage, reason, status } = refusal
  const type = isPage ? 'text/html; charset=utf-8' : 'application/json'
  const all = new Headers({ connection: 'close', 'content-type': type })
  for (let at = 0; at < headers.length; at += 2)
    all.append(headers[at] ?? '', headers[at + 1] ?? '')
  const { parts } = errorAnswer('null', { code, message: reason })
  return new Response(isPage ? pageOf(refusal) : String(parts[0]), { status, headers: all })
}

/** The reason contains no text of the request. */
function pageOf({ reason, status }: Refusal): string {
  const why = `${reason.replaceAll(/[<&]/g, '')}${status === 401 ? '. Load it again, and enter “key” as user name and the key as password' : ''}`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${status}</title><p>The gateway refused this page: ${why}.</p></html>`
}
