import type { AskedTrace } from '../../../rpc/execution/execution.ts'
import { createTracer, type Sandbox, type Tracer, withSandbox } from '../../index.ts'

/** Traces with the requested tracer, one in JavaScript in a sandbox of its own. */
export function tracing<result>(
  { request, timeout, unit }: Omit<AskedTrace, 'call'>,
  trace: (options: { create: () => Tracer; timeout: number }) => Promise<result>,
): Promise<result> {
  const run = (sandbox?: Sandbox) =>
    trace({ create: () => createTracer(request, unit, sandbox), timeout })
  return request.tracer === 'javascript' ? withSandbox(timeout, run) : run()
}
