import { EventEmitter } from 'node:events'

import { expect, test } from 'vitest'

import { onShutdown } from './shutdown.ts'

function setup(stop: () => Promise<void>) {
  const signals = new EventEmitter()
  const exits: number[] = []
  const shutdown = onShutdown({ exit: (code) => exits.push(code), signals, stop })
  return { exits, shutdown, signals }
}

test('default', async () => {
  const reasons: string[] = []
  const signals = new EventEmitter()
  const exits: number[] = []
  const shutdown = onShutdown({
    exit: (code) => exits.push(code),
    signals,
    stop: async (reason) => void reasons.push(reason),
  })
  signals.emit('SIGTERM')
  await shutdown.run('again')
  expect([reasons, exits]).toEqual([['SIGTERM'], [0]])
})

test('behavior: a second signal does not wait', () => {
  const { exits, signals } = setup(() => new Promise(() => {}))
  signals.emit('SIGINT')
  signals.emit('SIGINT')
  expect(exits).toEqual([1])
})

test('error: what fails exits with 1', async () => {
  const { exits, shutdown } = setup(() => Promise.reject(new Error('no')))
  await shutdown.run('test')
  expect(exits).toEqual([1])
})
