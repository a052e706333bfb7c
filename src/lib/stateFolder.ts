import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * The folder of the option `--data-dir`, by default in the state folder of the XDG base directory specification; undefined
 * for `none`, when nothing is kept on disk.
 */
export function stateFolder(dataDir: string | undefined): string | undefined {
  if (dataDir === 'none') return undefined
  return (
    dataDir ?? join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'ethgate')
  )
}
