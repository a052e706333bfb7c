import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { explainSkip } from './redis.ts'

const directory = process.env['NATIVE_NODE_DIR']

/** Whether `NATIVE_NODE_DIR` names the folder of `node.sh`. A suite that is skipped without it prints so. */
export const hasNodeScript = directory !== undefined

explainSkip(
  hasNodeScript
    ? undefined
    : 'NATIVE_NODE_DIR does not name the folder of node.sh, which starts real nodes',
)

/** Runs `node.sh`, which starts and stops real nodes on a recorded chain. */
export const nodeScript = (...args: string[]) =>
  promisify(execFile)(join(directory ?? '', 'node.sh'), args)
