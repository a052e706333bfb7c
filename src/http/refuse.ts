import { errorAnswer } from '../rpc/jsonrpc/answer.ts'

/** A rejected request, with a readable reason. */
export type Refusal = {
  status: number
  reason: string
  /** Code of the JSON-RPC error. @default -32600 */
  code?: number
}

/**
 * Answers a program without reading the body, so the connection cannot be reused and is closed.
 *
 * @param headers - a name and a value in turn
 */
export function refused(refusal: Refusal, headers?: readonly string[]): Response {
  const { code = -32600, reason } = refusal
  const text = String(errorAnswer('null', { code, message: reason }).parts[0])
  return response(refusal, 'application/json', text, headers)
}

/** The same for a person in a browser. The reason contains no text of the request. */
export function refusedPage(refusal: Refusal, headers?: readonly string[]): Response {
  const { status } = refusal
  const reason = `${refusal.reason.replaceAll(/[<&]/g, '')}${status === 401 ? '. Load it again, and enter “key” as user name and the key as password' : ''}`
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${status}</title><p>The gateway refused this page: ${reason}.</p></html>`
  return response(refusal, 'text/html; charset=utf-8', page, headers)
}

function response(
  { status }: Refusal,
  type: string,
  text: string,
  more: readonly string[] = [],
): Response {
  const headers = new Headers({ connection: 'close', 'content-type': type })
  for (let at = 0; at < more.length; at += 2) headers.append(more[at] ?? '', more[at + 1] ?? '')
  return new Response(text, { status, headers })
}
