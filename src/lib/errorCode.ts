/** The code of an error of Node.js or of a library, such as `ECONNREFUSED`; undefined when it has none. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
