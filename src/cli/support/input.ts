import { open, readFile } from 'node:fs/promises'

import { type CommandError, usageError } from './errors.ts'
import type { Io } from './io.ts'

/** All of standard input as text. */
export async function readStdin({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * The text of a file.
 *
 * @throws CommandError (usage) that names the option and the file.
 */
export async function readText(path: string, option: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw unreadable(path, option, error)
  }
}

/**
 * Checks that a file can be opened, without reading it.
 *
 * @throws CommandError (usage) that names the option and the file.
 */
export async function requireFile(path: string, option: string): Promise<void> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadable(path, option, error)
  })
  await file.close()
}

function unreadable(path: string, option: string, error: unknown): CommandError {
  const { code } = error as NodeJS.ErrnoException
  const reason = code === 'ENOENT' ? 'there is no such file' : (code ?? 'not readable')
  return usageError(`${option} ${path}: ${reason}`)
}
