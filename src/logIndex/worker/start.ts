import { Worker } from 'node:worker_threads'

/** Starts a thread from a module of this folder. TypeScript sources need a loader first. */
export function startThread(name: 'reader' | 'writer', workerData: unknown): Worker {
  const isSource = import.meta.url.endsWith('.ts')
  const url = new URL(`./${name}.${isSource ? 'ts' : 'js'}`, import.meta.url)
  // Threads get none of the process flags, such as `--import`.
  if (!isSource) return new Worker(url, { execArgv: [], workerData })
  const loader = import.meta.resolve('tsx/esm/api')
  const code = `import(${JSON.stringify(loader)}).then((tsx) => { tsx.register(); return import(${JSON.stringify(url.href)}) })`
  return new Worker(code, { eval: true, workerData })
}
