import { eth_getHeaderByNumber } from './eth_getHeaderByNumber.ts'

export const erigon_getHeaderByNumber = {
  ...eth_getHeaderByNumber,
  summary: 'header of a block; the first call of Otterscan',
}
