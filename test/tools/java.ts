import { spawnSync } from 'node:child_process'

import { wanted } from './project.ts'

/** Whether Java and Maven are on the PATH. They are looked for only when the projects are tested. */
export const hasJava =
  wanted && ['java', 'mvn'].every((name) => spawnSync(name, ['-version']).status === 0)
if (wanted && !hasJava)
  process.stderr.write(
    'skipped: the Helm chart and the example of web3j need java and mvn on the PATH\n',
  )
