import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * The folder that `--data-dir` names. The default is `ethgate` in `$XDG_STATE_HOME`, or in `~/.local/state` if that is not set. Undefined
 * for `none`: nothing is kept on disk.
 */
export function stateFolder(dataDir: string | undefined): string | undefined {
  if (dataDir === 'none') return undefined
  return (
    dataDir ?? join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'ethgate')
  )
}
