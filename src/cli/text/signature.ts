import type { Abi, AbiFunction } from 'viem'

import { usageError } from '../base/errors.ts'
import { loadAbi, signatures } from './abi.ts'

/**
 * The function that a word names: a signature such as `transfer(address,uint256)`, with the returned types behind it
 * (`balanceOf(address)(uint256)`), or a name in the ABI.
 *
 * @throws CommandError (usage)
 */
export async function functionOf(
  word: string,
  args: readonly string[],
  abiFile: string | undefined,
): Promise<AbiFunction> {
  if (word.includes('(')) return readFunction(word)
  if (abiFile === undefined)
    throw usageError(
      `"${word}" is not a signature such as 'transfer(address,uint256)'; a name alone needs --abi FILE`,
    )
  const candidates = (await loadAbi(abiFile)).filter(
    (item): item is AbiFunction => item.type === 'function' && item.name === word,
  )
  const item = candidates.find(({ inputs }) => inputs.length === args.length) ?? candidates[0]
  if (!item) throw usageError(`the function ${word} is not in --abi ${abiFile}`)
  return item
}

/** Reads the signature of a function. @throws CommandError (usage) */
export function readFunction(text: string): AbiFunction {
  return readItem(text, 'function') as AbiFunction
}

/** Reads a signature of one kind, with or without the word `event`, `error` or `function`. @throws CommandError (usage) */
export function readItem(text: string, kind: 'function' | 'event' | 'error'): Abi[number] {
  const bare = text.trim().replace(new RegExp(`^${kind}\\s+`), '')
  const named = bare.startsWith('(') ? `f${bare}` : bare
  const [item] = signatures([`${kind} ${kind === 'function' ? withReturns(named) : named}`], text)
  if (!item) throw usageError(`"${text}" is not the signature of a ${kind}`)
  return item
}

/** cast writes the returned types in a second pair of parentheses: `f(address)(uint256)`. */
function withReturns(signature: string): string {
  let depth = 0
  for (const [at, letter] of signature.split('').entries()) {
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (letter !== ')' || depth !== 0) continue
    const rest = signature.slice(at + 1).trim()
    return rest.startsWith('(') ? `${signature.slice(0, at + 1)} returns ${rest}` : signature
  }
  return signature
}
