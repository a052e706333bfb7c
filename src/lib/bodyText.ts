/** Bytes of a rejected body that are read and discarded before the connection is closed. */
export const DROP_LIMIT = 64 * 1024 * 1024

/**
 * The body of a request; undefined when it has more bytes than the limit. The rest is read and discarded, because many clients do not
 * read the answer if the connection closes at once. Hono's `bodyLimit` does not work here: without a content length it creates a new
 * Request from that of `@hono/node-server`, which Node.js does not accept.
 */
export async function textOf({ body }: Request, limit: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes <= limit) chunks.push(chunk)
    else if (bytes > limit + DROP_LIMIT) break
  }
  return bytes > limit ? undefined : Buffer.concat(chunks).toString()
}
