/** The requested tracer of geth: the struct logger if it has no name. */
export type TraceRequest =
  | { tracer?: undefined; options: StructLoggerOptions }
  | { tracer: 'callTracer'; options: CallTracerOptions }
  | { tracer: 'prestateTracer'; options: PrestateOptions }
  | ({ tracer: 'javascript' } & JavaScriptTracer)
  | { tracer: '4byteTracer' | 'noopTracer' }
  | { tracer: 'muxTracer'; tracers: readonly (readonly [name: string, request: TraceRequest])[] }

/** Options of the struct logger. */
export type StructLoggerOptions = {
  disableStack?: boolean | undefined
  disableStorage?: boolean | undefined
  enableMemory?: boolean | undefined
  enableReturnData?: boolean | undefined
  /** Maximum number of operations; 0 for all. */
  limit?: number | undefined
}

/** Options of `callTracer`. */
export type CallTracerOptions = {
  /** Prints only the outermost frame. */
  onlyTopCall?: boolean | undefined
  withLog?: boolean | undefined
}

/** Options of `prestateTracer`. */
export type PrestateOptions = {
  /** Prints changes, before and after, instead of all accounts that were read. */
  diffMode?: boolean | undefined
  disableCode?: boolean | undefined
  disableStorage?: boolean | undefined
  /** Also prints accounts that did not exist. */
  includeEmpty?: boolean | undefined
}

/** The code of a tracer, and the JSON that its `setup` gets. */
export type JavaScriptTracer = { code: string; config: string }
