import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import type { Abi, AbiFunction, AbiParameter, Hex } from 'viem'
import { decodeAbiParameters, toFunctionSelector } from 'viem/utils'

import type { Compilation } from '../http/page/reads/source.ts'

/** What is known about contracts from the artifacts of their compilers. */
export type Artifacts = ReturnType<typeof createArtifacts>

/** What a compiler returned. */
export type CompilerOutput = {
  contracts?: Record<string, Record<string, CompiledContract | null> | null>
}

type CompiledContract = { abi?: unknown; evm?: { deployedBytecode?: { object?: string } } }

/** A compiled contract. `code` is its runtime code; where an immutable value will be, it has zeros. */
type Compiled = { code: Buffer; name: string; abi: Abi }

type CustomError = { name: string; inputs: readonly AbiParameter[] }

/** Maximum numbers of compiled contracts and of errors. The oldest are dropped first. */
const MAX_CONTRACTS = 5_000
const MAX_ERRORS = 20_000
/** Compilations that are kept. Each has all sources of a project. */
const MAX_COMPILATIONS = 1_000

/** Milliseconds between two scans of the folder for new artifacts. */
const SCAN_INTERVAL = 1_000

/**
 * Creates a table of the custom errors of contracts.
 *
 * @param folder - Build folder of Hardhat or Foundry. Its artifacts are read now, and those that changed when an error is unknown.
 * @throws Error when the folder cannot be read
 */
export function createArtifacts(folder?: string) {
  const errors = new Map<string, CustomError>()
  /** By the file that has it. */
  const contracts = new Map<string, Compiled>()
  const compilations = new Map<string, { code: Buffer; compilation: Compilation }>()
  /** Time of the last change of each artifact that was read. */
  const seen = new Map<string, number>()
  let lastScan = 0
  if (folder !== undefined)
    try {
      scan(folder)
    } catch (error) {
      throw new Error(`the artifacts in ${folder} cannot be read`, { cause: error })
    }

  /** Adds the errors of an ABI. Entries that are no errors are ignored. */
  function addAbi(abi: unknown): void {
    if (!Array.isArray(abi)) return
    for (const item of abi as Partial<CustomError & { type: string }>[]) {
      if (item?.type !== 'error' || typeof item.name !== 'string') continue
      const { inputs = [], name } = item
      try {
        const selector = toFunctionSelector({ type: 'function', name, inputs } as AbiFunction)
        errors.set(`${selector}${JSON.stringify(inputs)}`, { name, inputs })
      } catch {
        // An entry that is not a valid ABI has no selector.
      }
    }
    dropOldest(errors, MAX_ERRORS)
  }

  /** Adds the errors and contracts of a compiler's output. */
  function addOutput(compiler: string, input: Compilation['input'], output: CompilerOutput): void {
    for (const { abi, compiled, file } of contractsIn(output)) {
      addAbi(abi)
      if (!compiled) continue
      contracts.set(`${file}:${compiled.name}`, compiled)
      addCompilation(compiled, { compiler, file, input })
    }
    dropOldest(contracts, MAX_CONTRACTS)
  }

  function addCompilation({ code }: Compiled, compilation: Compilation): void {
    compilations.set(code.toString('hex'), { code, compilation })
    dropOldest(compilations, MAX_COMPILATIONS)
  }

  /** Reads the compilations in the build folder, which are large, as far as they are new. */
  function readCompilations(folder: string): void {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.parentPath.includes('build-info') || !/^[^.]+\.json$/.test(entry.name)) continue
      const path = join(entry.parentPath, entry.name)
      const { mtimeMs } = statSync(path)
      if (seen.get(path) === mtimeMs) continue
      const info: BuildInfo = jsonIn(path) ?? {}
      // Hardhat 3 writes the output beside it.
      const beside: BuildInfo = jsonIn(path.replace(/json$/, 'output.json')) ?? {}
      const output = info.output ?? beside.output
      if (output) seen.set(path, mtimeMs)
      const { input = {}, solcLongVersion: compiler = '' } = info
      for (const { compiled, file } of contractsIn(output ?? {}))
        if (compiled) addCompilation(compiled, { compiler, file, input })
    }
  }

  function scan(folder: string): void {
    lastScan = performance.now()
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name)
      if (!entry.isFile() || !entry.name.endsWith('.json')) continue
      // The inputs and outputs of whole compilations have no ABI of their own.
      if (entry.parentPath.includes('build-info') || entry.name.endsWith('.dbg.json')) continue
      const { mtimeMs } = statSync(file)
      if (seen.get(file) === mtimeMs) continue
      seen.set(file, mtimeMs)
      const artifact: Artifact | undefined = jsonIn(file)
      addAbi(artifact?.abi)
      const compiled = compiledOf(artifact, entry.name.replace(/\.json$/, ''))
      if (compiled) contracts.set(file, compiled)
    }
    dropOldest(contracts, MAX_CONTRACTS)
  }

  function find(data: Hex): string | undefined {
    const selector = data.slice(0, 10)
    for (const [key, { inputs, name }] of errors) {
      if (!key.startsWith(selector)) continue
      try {
        const values = inputs.length === 0 ? [] : decodeAbiParameters(inputs, `0x${data.slice(10)}`)
        return `${name}(${values.map(valueText).join(', ')})`
      } catch {
        // Another error has the same selector.
      }
    }
    return undefined
  }

  /** The result of a search, which is repeated after a scan of the folder when it finds nothing. */
  function afterScan<found>(search: () => found | undefined): found | undefined {
    const known = search()
    if (known !== undefined || folder === undefined) return known
    if (performance.now() - lastScan < SCAN_INTERVAL) return undefined
    try {
      scan(folder)
    } catch {
      // A compiler that runs now replaces the folder.
    }
    return search()
  }

  function contractOf(code: Uint8Array): { name: string; abi: Abi } | undefined {
    return afterScan(() => [...contracts.values()].find((one) => isCompiled(one.code, code)))
  }

  return {
    addOutput,
    /** The name and the values of a custom error in revert data, such as `TooLow(1, 2)`; undefined for an unknown one. */
    describeError(data: Hex): string | undefined {
      return data.length < 10 ? undefined : afterScan(() => find(data))
    },
    /** The compiled contract with this runtime code; undefined for an unknown one. */
    contractOf,
    /** What the compiler of this runtime code was given; undefined where no build folder and no call says it. */
    compilationOf(code: Uint8Array): Compilation | undefined {
      const given = () => [...compilations.values()].find((one) => isCompiled(one.code, code))
      // The folder is read for its own contracts only.
      if (!given() && folder !== undefined && contractOf(code))
        try {
          readCompilations(folder)
        } catch {
          // A compiler that runs now replaces the folder.
        }
      return given()?.compilation
    },
  }
}

/** The contracts of a compiler's output; `compiled` is absent for one without code. */
function* contractsIn({ contracts }: CompilerOutput) {
  for (const [file, found] of Object.entries(contracts ?? {}))
    for (const [name, contract] of Object.entries(found ?? {})) {
      const abi = contract?.abi
      const deployedBytecode = contract?.evm?.deployedBytecode ?? {}
      yield { abi, compiled: compiledOf({ abi, deployedBytecode }, name), file }
    }
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return
    map.delete(key)
  }
}

type Artifact = {
  abi?: unknown
  contractName?: string
  /** Hex in artifacts of Hardhat, an object in those of Foundry. */
  deployedBytecode?: string | { object?: string }
}

/** A whole compilation as Hardhat and Foundry keep it. */
type BuildInfo = {
  solcLongVersion?: string
  input?: Compilation['input']
  output?: CompilerOutput
}

function jsonIn(file: string): object | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as object | null) ?? undefined
  } catch {
    // Not an artifact, or one that a compiler writes now.
    return undefined
  }
}

function compiledOf(artifact: Artifact | undefined, file: string): Compiled | undefined {
  const { abi, contractName, deployedBytecode } = artifact ?? {}
  const hex = typeof deployedBytecode === 'string' ? deployedBytecode : deployedBytecode?.object
  // Interfaces have no code, and code with the name of a library is not linked.
  if (!Array.isArray(abi) || !/^(0x)?([\da-f]{2})+$/i.test(hex ?? '')) return undefined
  const code = Buffer.from((hex ?? '').replace(/^0x/, ''), 'hex')
  return { abi: abi as Abi, code, name: contractName ?? file }
}

/** Whether code on the chain is compiled code: the same bytes, except where an immutable value was zero. */
function isCompiled(compiled: Buffer, code: Uint8Array): boolean {
  return (
    compiled.length === code.length &&
    compiled.every((byte, index) => byte === 0 || byte === code[index])
  )
}

/** A value as Hardhat prints it: text, addresses and bytes in quotes, lists and structs in brackets. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'object' && value !== null)
    return `[${Object.values(value).map(valueText).join(', ')}]`
  return String(value)
}
