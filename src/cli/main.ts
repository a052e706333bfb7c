#!/usr/bin/env node
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

type CompileCache = { enableCompileCache?: (folder: string) => unknown }

// From its second start on, Node 22 or newer reads the compiled program from this folder, which belongs to the user. Nothing happens
// if the folder cannot be written.
const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
const { enableCompileCache } = module as CompileCache
enableCompileCache?.(join(cache, 'ethgate'))

const { runEthgate } = await import('./program.ts')
process.exitCode = await runEthgate(process.argv.slice(2))
