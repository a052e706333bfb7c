/** The streams and environment of a command. Tests run commands in their own process with other streams. */
export type Io = {
  readonly stdin: AsyncIterable<Uint8Array | string>
  readonly stdout: Output
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
}

/** A stream that may be a terminal. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean }

/** The streams and the environment of this process. */
export function processIo(): Io {
  const { env, stderr, stdin, stdout } = process
  return { env, stderr, stdin, stdout }
}
