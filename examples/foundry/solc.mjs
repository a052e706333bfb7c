#!/usr/bin/env node
// The command line of the compiler as forge uses it, on the JavaScript build that comes as a package.
import { readFileSync } from 'node:fs'

import solc from 'solc'

const args = process.argv.slice(2)
if (args.includes('--version')) {
  const version = solc.version().replace('.Emscripten.clang', '.Linux.g++')
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${version}\n`)
} else if (args.includes('--standard-json')) {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write(`unknown arguments: ${args.join(' ')}\n`)
  process.exitCode = 1
}
