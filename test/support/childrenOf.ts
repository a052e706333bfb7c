import { existsSync, readFileSync } from 'node:fs'

/** The ids of the child processes of a process; none where there is no /proc. */
export function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}
