import { defineMethod } from '../method.ts'

/** Version of Otterscan's interface. */
const API_LEVEL = 8

export const ots_getApiLevel = defineMethod({
  params: [],
  kind: 'fixed',
  result: { type: 'integer' },
  summary: 'version of Otterscan’s interface',
  handler: () => API_LEVEL,
})
