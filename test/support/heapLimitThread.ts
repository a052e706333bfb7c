import { getHeapStatistics } from 'node:v8'
import { parentPort } from 'node:worker_threads'

/** What the thread posts: the limit of its heap in bytes. */
export type HeapLimit = number

parentPort?.postMessage(getHeapStatistics().heap_size_limit satisfies HeapLimit, [])
