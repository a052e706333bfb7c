/** An answer of the gateway, with the time that it took in milliseconds. */
export type RpcAnswer = {
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
  ms: number
}

/** One call over HTTP to the gateway that served the page; at `/wei` amounts have 18 decimals. @throws Error when it is unreachable */
export async function rpc(
  method: string,
  params: readonly unknown[],
  path: '/' | '/wei' = '/',
): Promise<RpcAnswer> {
  const started = performance.now()
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { error, result } = (await response.json()) as Pick<RpcAnswer, 'error' | 'result'>
  return { ms: performance.now() - started, ...(error ? { error } : { result }) }
}

/** The same, for code that throws errors with their code. A revert says what it is. */
export const requestAt =
  (path: '/' | '/wei') =>
  async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const { error, result } = await rpc(method, params, path)
    if (!error) return result
    const text = error.code === 3 ? `It would fail: ${error.message}` : error.message
    throw Object.assign(new Error(text), { code: error.code })
  }
