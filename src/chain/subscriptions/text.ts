/** One notification frame; `payload` is JSON text. */
export function notification(id: string, payload: string): string {
  return `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${payload}}}`
}
