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
  // Threads would have the limits of the process, as of NODE_OPTIONS=--max-old-space-size=4096, in place of their own. The main thread, whose
  // heap is there already, keeps them.
  if (options.resourceLimits)
    for (const name of ['old-space', 'heap']) setFlagsFromString(`--max-${name}-size=0`)
  const isSource = beside.endsWith('.ts')
  const url = new URL(`./${name}.${isSource ? 'ts' : 'js'}`, beside)
  // Threads get none of the process flags, such as `--import`.
  if (!isSource) return new Worker(url, { execArgv: [], ...options })
  const loader = import.meta.resolve('tsx/esm/api')
  const code = `import(${JSON.stringify(loader)}).then((tsx) => { tsx.register(); return import(${JSON.stringify(url.href)}) })`
  return new Worker(code, { eval: true, ...options })
}
