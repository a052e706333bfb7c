import type { Abi } from 'viem'

import { usageError } from '../base/errors.ts'
import { isRecord } from '../base/json.ts'
import { readText } from '../text/input.ts'

/** Creation code; with the ABI and the name of its contract if they are known. */
export type Artifact = { bytecode: string; abi: Abi | undefined; name: string }

/** Reads `--create`: creation code, a file with it, or a compiler's artifact. @throws CommandError (usage) */
export async function readArtifact(
  source: string,
  contract: string | undefined,
): Promise<Artifact> {
  const text = /^0x[0-9a-f]+$/i.test(source) ? source : (await readText(source, '--create')).trim()
  const where = `--create ${source.slice(0, 60)}`
  if (!text.startsWith('{')) return { bytecode: codeOf(text, where), abi: undefined, name: '' }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw usageError(`${where} is not JSON: ${(error as Error).message}`)
  }
  const found = findArtifacts(
    json,
    (source.split(/[/\\]/).at(-1) ?? '').replace(/\.\w+$/, ''),
  ).filter(({ name }) => contract === undefined || name === contract)
  const [artifact, other] = found
  if (!artifact) throw usageError(`${where}: no contract with bytecode in this file`)
  if (other)
    throw usageError(
      `${where} has several contracts; choose one with --contract: ${found.map(({ name }) => name).join(', ')}`,
    )
  return artifact
}

// Compilers write the code as text or as { object }, in `bytecode` or `evm.bytecode`, and one or several contracts to a file.
function findArtifacts(json: unknown, name: string, depth = 0): Artifact[] {
  if (!isRecord(json) || depth > 4) return []
  const evm = json['evm']
  const code = json['bytecode'] ?? (isRecord(evm) ? evm['bytecode'] : undefined)
  const text = isRecord(code) ? code['object'] : code
  if (typeof text === 'string' && text.length > 2) {
    const abi: unknown = typeof json['abi'] === 'string' ? JSON.parse(json['abi']) : json['abi']
    const named = json['contractName'] ?? json['name']
    return [
      {
        bytecode: codeOf(text, `bytecode of ${name}`),
        abi: Array.isArray(abi) ? (abi as Abi) : undefined,
        name: typeof named === 'string' ? named : name,
      },
    ]
  }
  return Object.entries(json).flatMap(([key, member]) => findArtifacts(member, key, depth + 1))
}

function codeOf(text: string, where: string): string {
  const hex = text.replace(/^0x/i, '').toLowerCase()
  if (/^([0-9a-f]{2})+$/.test(hex)) return hex
  if (hex === '') throw usageError(`${where} is empty`)
  if (/__\$?\w+/.test(text)) throw usageError(`${where} has unlinked libraries: link them first`)
  throw usageError(
    /^[0-9a-f]*$/.test(hex)
      ? `${where} needs an even number of hex digits`
      : `${where} is neither an artifact (JSON) nor creation code (hex)`,
  )
}
