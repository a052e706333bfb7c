import type { Hash } from 'viem'

import type { LogMatch } from '../../chain/blocks/chainTypes.ts'
import type { BlockTag } from '../../codec/blockRef.ts'
import * as schemas from '../../codec/schemas.ts'
import { isObject } from '../../lib/isObject.ts'
import {
  arrayOf,
  blockNumberOrTag,
  contractAddress,
  hash,
  member,
  maybe,
  type Param,
  type ParamScope,
  PLAIN,
  show,
} from './params.ts'

/** A log filter of a client: what to match, and one block or a range with open ends. */
export type LogFilter = LogMatch &
  ({ blockHash: Hash } | { fromBlock?: number | BlockTag; toBlock?: number | BlockTag })

/** The limit of the node and of other clients. It also limits the cost of matching one log. */
const MAX_ADDRESSES = 1_000
const MAX_ALTERNATIVES = 1_000
/** LOG4 is the largest log that the EVM has. */
const MAX_TOPICS = 4

/** The filter object of `eth_getLogs`, `eth_newFilter` and the `logs` subscription. */
export const logFilter: Param<LogFilter> = (input, scope) => {
  if (!isObject(input)) throw new Error(`expected a filter object, got ${show(input)}`)
  const match = {
    addresses: member(input, 'address', addresses, scope),
    topics: member(input, 'topics', topics, scope),
  }
  const blockHash = member(input, 'blockHash', maybe(hash))
  const fromBlock = member(input, 'fromBlock', maybe(blockNumberOrTag))
  const toBlock = member(input, 'toBlock', maybe(blockNumberOrTag))
  if (blockHash === undefined)
    return {
      ...match,
      ...(fromBlock !== undefined && { fromBlock }),
      ...(toBlock !== undefined && { toBlock }),
    }
  if (fromBlock !== undefined || toBlock !== undefined)
    throw new Error('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
  return { ...match, blockHash }
}
logFilter.doc = {
  name: 'filter',
  schema: {
    title: 'filter',
    ...schemas.object(
      {
        address: {
          oneOf: [
            { type: 'null' },
            schemas.address,
            { ...schemas.listOf(schemas.address), maxItems: MAX_ADDRESSES },
          ],
        },
        blockHash: schemas.hash,
        fromBlock: blockNumberOrTag.doc?.schema ?? {},
        toBlock: blockNumberOrTag.doc?.schema ?? {},
        topics: schemas.nullable({
          type: 'array',
          maxItems: MAX_TOPICS,
          items: {
            oneOf: [
              { type: 'null' },
              schemas.hash,
              { ...schemas.listOf(schemas.hash), maxItems: MAX_ALTERNATIVES },
            ],
          },
        }),
      },
      ['address', 'blockHash', 'fromBlock', 'toBlock', 'topics'],
    ),
  },
}

const addresses: Param<string[]> = (input, scope) => {
  if (input === undefined || input === null) return []
  if (!Array.isArray(input)) return [contractAddress(input, scope)]
  if (input.length > MAX_ADDRESSES) throw new Error(`exceed max addresses: ${MAX_ADDRESSES}`)
  return arrayOf(contractAddress)(input, scope)
}

const topics: Param<(string[] | null)[]> = (input, scope) => {
  if (input === undefined || input === null) return []
  if (!Array.isArray(input)) throw new Error(`expected an array, got ${show(input)}`)
  if (input.length > MAX_TOPICS) throw new Error(`topics size should be <= ${MAX_TOPICS}`)
  return arrayOf(alternatives)(input, scope)
}

const topic: Param<Hash> = (input, scope = PLAIN) => scope.inData(hash(input))

function alternatives(input: unknown, scope?: ParamScope): string[] | null {
  if (input === undefined || input === null) return null
  if (!Array.isArray(input)) return [topic(input, scope)]
  if (input.length > MAX_ALTERNATIVES) throw new Error(`exceed max topics: ${MAX_ALTERNATIVES}`)
  // As in geth, a list that contains null matches any topic.
  if (input.includes(null)) return null
  return arrayOf(topic)(input, scope)
}
