import { createRequire } from 'node:module'

const { optionalDependencies } = createRequire(import.meta.url)('ethgate/package.json') as {
  optionalDependencies: Record<string, string>
}

/**
 * Loads a part whose packages are optional, so that an installation without them works as long as nobody uses the part.
 *
 * @throws Error that names the package which is not installed
 */
export async function loadOptionalPart<part>(load: () => Promise<part> | part): Promise<part> {
  try {
    return await load()
  } catch (error) {
    const name = missingPackage(error)
    if (name === undefined || !Object.hasOwn(optionalDependencies, name)) throw error
    throw new Error(
      `the package ${name} is not installed; run npm install ${name}@${optionalDependencies[name]}`,
      { cause: error },
    )
  }
}

/** The package that an import did not find, without the path inside it. */
function missingPackage(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined
  return /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^/']+)/.exec(message)?.[1]
}
