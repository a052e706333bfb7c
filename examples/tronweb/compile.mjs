import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import solc from 'solc'

const require = createRequire(import.meta.url)

/** Compiles the contracts of this project: ABI and creation code by name. */
export function compile() {
  const file = 'contracts.sol'
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(new URL(file, import.meta.url), 'utf8') } },
    settings: {
      evmVersion: 'shanghai',
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const read = (path) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read }))
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(errors[0].formattedMessage)
  return Object.fromEntries(
    Object.entries(output.contracts[file]).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` },
    ]),
  )
}
