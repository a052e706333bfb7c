import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Longest path of a Unix socket that every system supports. */
const MAX_SOCKET_PATH = 100

/**
 * Locks a folder for this process. The lock is a Unix socket, which the system frees when the process ends, also when it
 * is killed.
 *
 * @returns a function that releases the folder.
 * @throws FolderInUseError when another process holds the lock.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { mode: 0o700, recursive: true })
  const path = socketPath(folder)
  const server =
    (await listen(path)) ?? ((await isAlive(path)) ? undefined : await listenAnew(path))
  if (!server) throw new FolderInUseError(folder)
  server.unref()
  return () => new Promise((resolve) => server.close(() => resolve()))
}

function socketPath(folder: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\ethgate-${digest(folder)}`
  const path = join(folder, 'lock')
  return Buffer.byteLength(path) <= MAX_SOCKET_PATH
    ? path
    : join(tmpdir(), `ethgate-${digest(folder)}.lock`)
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Listens on a path; undefined when another process uses it. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen(path, () => resolve(server))
  })
}

async function listenAnew(path: string): Promise<Server | undefined> {
  await rm(path, { force: true })
  return listen(path)
}

/** Whether a process listens on a path. The socket of a killed process refuses connections. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Another process uses the folder. */
export class FolderInUseError extends Error {
  override name = 'FolderInUseError'

  constructor(folder: string) {
    super(`another process uses ${folder}`)
  }
}
