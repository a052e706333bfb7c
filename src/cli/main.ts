#!/usr/bin/env node
import { runEthgate } from './program.ts'

process.exitCode = await runEthgate(process.argv.slice(2))
