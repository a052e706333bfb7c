import * as served from './served.ts'
import { unsupported } from './unsupported.ts'

/** Every method. The key is the wire name. */
export const methods = { ...served, ...unsupported }
