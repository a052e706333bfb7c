import type { Hash } from 'viem'
import { describe, expect, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import type { RpcSocket } from './socket.ts'
import { createStatuses, type StatusSubscription } from './statuses.ts'

type Open = StatusSubscription & { id: string; socket: RpcSocket; started: boolean }

const hash = (name: string): Hash => `0x${name}`

/** Statuses over subscriptions whose reads end when the test says so. */
function setup() {
  const all = new Set<Open>()
  const reads: {
    client: string
    transaction: Hash
    end: (isFinal?: boolean) => void
    fail: () => void
  }[] = []
  const told: string[] = []
  const inDebt = new Set<string>()
  const statuses = createStatuses({
    isOpen: (subscription) => all.has(subscription as Open),
    log: { warn() {} },
    subscriptions: () => all,
  })
  let next = 0
  return {
    inDebt,
    reads,
    statuses,
    told,
    subscribe: (client: string, name: string) => {
      const id = `${client} ${name}`
      const subscription: Open = {
        id,
        isOver: false,
        kind: 'transactionStatus',
        read: () =>
          new Promise((resolve, reject) => {
            reads.push({
              client,
              transaction: hash(name),
              end: (isFinal = false) => resolve({ isFinal, status: { at: next++ } }),
              fail: () => reject(new Error('gone')),
            })
          }),
        since: 0,
        socket: {
          buffered: () => 0,
          client,
          close() {},
          id: client,
          onClose: () => () => {},
          send: () => void told.push(id),
          settle: () => !inDebt.has(client),
        },
        started: true,
        told: '',
        transaction: hash(name),
      }
      all.add(subscription)
      return subscription
    },
  }
}

describe('createStatuses', () => {
  test('default: a transaction is read once for a block, for all that follow it', async () => {
    const { reads, statuses, subscribe, told } = setup()
    for (const client of ['a', 'b', 'c']) statuses.add(subscribe(client, 'x'))
    await until(() => expect(reads).toHaveLength(1))
    reads[0]?.end()
    await until(() => expect(told).toEqual(['a x', 'b x', 'c x']))
    statuses.addAll()
    await until(() => expect(reads).toHaveLength(2))
    reads[1]?.end(true)
    await until(() => expect(told).toHaveLength(6))
    statuses.addAll()
    await new Promise(setImmediate)
    expect(reads).toHaveLength(2)
  })

  test('behavior: a client with many does not delay the first status of another', async () => {
    const { reads, statuses, subscribe } = setup()
    for (let count = 0; count < 100; count++) statuses.add(subscribe('a', `a${count}`))
    statuses.add(subscribe('b', 'b'))
    await until(() => expect(reads.map(({ client }) => client)).toContain('b'))
    expect(reads.length).toBeLessThan(10)
  })

  test('behavior: a client in debt reads nothing until a block after it has paid', async () => {
    const { inDebt, reads, statuses, subscribe, told } = setup()
    inDebt.add('a')
    statuses.add(subscribe('a', 'x'))
    statuses.addAll()
    await new Promise(setImmediate)
    expect(reads).toEqual([])
    statuses.add(subscribe('b', 'x'))
    await until(() => expect(reads.map(({ client }) => client)).toEqual(['b']))
    reads[0]?.end()
    await until(() => expect(told).toEqual(['b x']))
    inDebt.clear()
    statuses.addAll()
    await until(() => expect(reads).toHaveLength(2))
  })

  test('error: the read of a client that leaves is made again for another', async () => {
    const { reads, statuses, subscribe, told } = setup()
    for (const client of ['a', 'b']) statuses.add(subscribe(client, 'x'))
    await until(() => expect(reads).toHaveLength(1))
    reads[0]?.fail()
    await until(() => expect(reads).toHaveLength(2))
    reads[1]?.end()
    await until(() => expect(told).toEqual(['b x']))
  })
})
