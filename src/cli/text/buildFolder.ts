import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The folders with the artifacts of a project, by the file that makes a folder a project. */
const PROJECTS: readonly { config: RegExp; folders: readonly string[] }[] = [
  { config: /^hardhat\.config\.[cm]?[jt]s$/, folders: ['artifacts', 'build/artifacts'] },
  { config: /^foundry\.toml$/, folders: ['out'] },
]

/** The build folder of the project of Hardhat or Foundry in a folder; undefined without one. */
export function findBuildFolder(project: string): string | undefined {
  const files = readdirSync(project)
  return PROJECTS.filter(({ config }) => files.some((file) => config.test(file)))
    .flatMap(({ folders }) => folders.map((folder) => join(project, folder)))
    .find((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory())
}
