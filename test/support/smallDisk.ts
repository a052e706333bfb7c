import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * Runs a module script in a process whose files have at most a kilobyte, so that one write ends in the middle of what it writes, as on a
 * full disk. Needs `bash`.
 *
 * @returns what it printed
 */
export async function runOnSmallDisk(script: string): Promise<string> {
  const node = [process.execPath, '--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    'ulimit -f 1; exec "$@"',
    'bash',
    ...node,
  ])
  return stdout.trim()
}
