// The reference of what programs import, written from the doc comments of the source.
import { fileURLToPath } from 'node:url'

import { Application } from 'typedoc'

const source = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The entries of the package that have a page, by name. */
export const ENTRIES = ['client', 'ethers', 'viem']

/** Writes a page for each entry into a folder. @throws Error when the source cannot be read */
export async function writeApi(folder: string): Promise<void> {
  const options = {
    entryPoints: ENTRIES.map((name) => source(`src/sdk/${name}.ts`)),
    tsconfig: source('tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    name: 'ethgate',
    readme: 'none',
    router: 'module',
    entryFileName: 'index',
    disableSources: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    // `npm run check` has done it, with the compiler of the project.
    skipErrorChecking: true,
    logLevel: 'Error' as const,
  }
  const app = await Application.bootstrapWithPlugins(options)
  const project = await app.convert()
  if (!project) throw new Error('typedoc: the source cannot be read')
  await app.outputs.writeOutput({ name: 'markdown', path: folder }, project)
}
