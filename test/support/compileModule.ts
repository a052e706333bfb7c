import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { build, stop } from 'esbuild'
import { inject } from 'vitest'

/**
 * Compiles a module of `src` with what it imports, for a process without a TypeScript loader. Packages stay separate.
 *
 * @returns the URL to import.
 */
export async function compileModule(path: string): Promise<string> {
  // A folder of the package, so that its modules find `ethgate/package.json`.
  const outdir = join(inject('package'), 'modules', path.replaceAll('/', '-'))
  await build({
    bundle: true,
    entryPoints: [fileURLToPath(new URL(`../../src/${path}`, import.meta.url))],
    format: 'esm',
    outdir,
    packages: 'external',
    platform: 'node',
    splitting: true,
  })
  // Otherwise its process, of up to 90 MB, ends with the worker.
  await stop()
  return pathToFileURL(join(outdir, basename(path).replace('.ts', '.js'))).href
}
