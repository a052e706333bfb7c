import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'

import { expect, onTestFinished, test, vi } from 'vitest'

import { compileModule } from '../../../test/support/compileModule.ts'
import { onShutdown } from './shutdown.ts'

function setup(stop: (reason: string) => Promise<void>) {
  const signals = new EventEmitter()
  const exits: number[] = []
  const watchdogs: number[] = []
  const shutdown = onShutdown({
    exit: (code) => exits.push(code),
    limit: 1_000,
    signals,
    startWatchdog: (ms) => watchdogs.push(ms),
    stop,
  })
  return { exits, shutdown, signals, watchdogs }
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'])('default: %s', async (name) => {
  const reasons: string[] = []
  const { exits, shutdown, signals, watchdogs } = setup(async (reason) => void reasons.push(reason))
  signals.emit(name)
  await shutdown.run('again')
  expect([reasons, exits, watchdogs]).toEqual([[name], [0], [1_200]])
})

test('behavior: a second signal does not wait', () => {
  const { exits, signals } = setup(() => new Promise(() => {}))
  signals.emit('SIGINT')
  signals.emit('SIGINT')
  expect(exits).toEqual([1])
})

test('behavior: exits when the limit is over, without the remaining work', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { exits, signals } = setup(() => new Promise(() => {}))
  signals.emit('SIGTERM')
  vi.advanceTimersByTime(999)
  expect(exits).toEqual([])
  vi.advanceTimersByTime(1)
  expect(exits).toEqual([1])
})

test('error: what fails exits with 1', async () => {
  const { exits, shutdown } = setup(() => Promise.reject(new Error('no')))
  await shutdown.run('test')
  expect(exits).toEqual([1])
})

test('behavior: the watchdog ends a process whose event loop is blocked', async () => {
  const url = await compileModule('gateway/process/shutdown.ts')
  const script = `
    import { onShutdown, startWatchdog } from ${JSON.stringify(url)}
    onShutdown({
      limit: 50,
      startWatchdog,
      stop: () => { for (;;); },
      exit: () => {},
    })
    setInterval(() => {}, 1_000)
    process.stdout.write('ready')
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
})
