/** One call over HTTP to the gateway that served the page. @throws Error when it is unreachable */
export async function rpc(method, params) {
  const started = performance.now()
  const response = await fetch('/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  const ms = performance.now() - started
  const { error, result } = JSON.parse(text)
  return { text, ms, ...(error ? { error } : { result }) }
}
