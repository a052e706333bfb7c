import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread from a module beside the one that asks for it. TypeScript sources need a loader first.
 *
 * @param beside - `import.meta.url` of that module.
 * @param name - the name of the file without its ending; `scripts/build.mjs` lists the files that are built.
 */
export function startThread(
  beside: string,
  name: string,
  options: Pick<WorkerOptions, 'resourceLimits' | 'transferList' | 'workerData'>,
): Worker {
  // V8 applies these options of the process, as from NODE_OPTIONS, to a new thread and ignores the limits of the thread. The main thread
  // keeps its limit, because V8 has read it already.
  if (options.resourceLimits) {
    setFlagsFromString('--max-old-space-size=0')
    setFlagsFromString('--max-heap-size=0')
  }
  const isSource = beside.endsWith('.ts')
  const url = new URL(`./${name}.${isSource ? 'ts' : 'js'}`, beside)
  // Threads get none of the process flags, such as `--import`.
  if (!isSource) return new Worker(url, { execArgv: [], ...options })
  const loader = import.meta.resolve('tsx/esm/api')
  const code = `import(${JSON.stringify(loader)}).then((tsx) => { tsx.register(); return import(${JSON.stringify(url.href)}) })`
  return new Worker(code, { eval: true, ...options })
}
