/** A request as the proxy received it. `path` is with its query. */
export type ProxyRequest = { method: string; path: string; body: string }

/** An answer of the target. */
export type ProxyReply = { status: number; text: string }
