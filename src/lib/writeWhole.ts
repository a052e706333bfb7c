import type { FileHandle } from 'node:fs/promises'

/** Writes all bytes at a position. One write may take only some of them, without an error, as on a full disk. */
export async function writeWhole(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}
