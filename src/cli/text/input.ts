import { readFile } from 'node:fs/promises'

import { usageError } from '../base/errors.ts'
import type { Io } from '../base/io.ts'

/** All of standard input as text. */
export async function readStdin({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

/** The text of a file. @throws CommandError (usage) that names the option and the file. */
export async function readText(path: string, option: string): Promise<string> {
  return (await readBytes(path, option)).toString('utf8')
}

/** The bytes of a file. @throws CommandError (usage) that names the option and the file. */
export async function readBytes(path: string, option: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'there is no such file' : (code ?? 'not readable')
    throw usageError(`${option} ${path}: ${reason}`)
  }
}
