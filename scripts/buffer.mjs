// Browsers have no `Buffer`. scripts/bundle.mjs puts this one into the entries that browsers run.
import { Buffer as PortableBuffer } from 'buffer/index.js'

/** The one of Node, or a copy in JavaScript. */
export const Buffer = globalThis.Buffer ?? PortableBuffer
