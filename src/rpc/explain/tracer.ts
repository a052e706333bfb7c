/** Makes spans. The OpenTelemetry SDK is behind it when traces are on (see `openTracer`). */
export type Tracer = {
  /** Starts a span. Without a parent it continues the trace that the headers name, or begins one. */
  start(name: string, options: StartOptions): Span
  /** Exports the remaining spans, within a second. */
  stop(): Promise<void>
}

/** One piece of work in a trace. */
export type Span = {
  /** The headers of a request that belongs to this span, such as `traceparent`. */
  headers(): Record<string, string>
  set(attributes: Attributes): void
  /** @param failure - a word for what failed; undefined when nothing failed. */
  end(failure?: string): void
}

/** Attributes of a span. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** Headers of a client's request, in lower case, as node gives them. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Options of a new span. */
export type StartOptions = {
  attributes?: Attributes
  headers?: Headers | undefined
  /** `server`: answers a client; `client`: waits for another process; `internal`: neither. */
  kind: 'server' | 'client' | 'internal'
  parent?: Span | undefined
}
