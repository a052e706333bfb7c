import { join } from 'node:path'

import { inject } from 'vitest'

// Gateways with keys lock the state folder. Each worker has its own, and none uses that of the developer.
process.env['XDG_STATE_HOME'] = join(inject('stateFolders'), String(process.pid))
