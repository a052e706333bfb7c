import { isScalar, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml'

import { closest } from '../lib/closest.ts'
import { ConfigError } from './config.ts'

/** Throws a ConfigError with the file, the line of a node and the key. */
export type Fail = (node: Node | null | undefined, key: string, reason: string) => never

/** Parses a YAML file. @throws ConfigError naming the file and the line of an error in its syntax */
export function openYaml(text: string, path: string): { root: Node | null; fail: Fail } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const lineOf = (node: Node | null | undefined) => lines.linePos(node?.range?.[0] ?? 0).line
  const [broken] = document.errors
  if (broken) throw new ConfigError(`${path}:${broken.linePos?.[0].line ?? 1}`, headOf(broken))
  return {
    root: document.contents,
    fail: (node, key, reason) => {
      throw new ConfigError(`${path}:${lineOf(node)}`, key === '' ? reason : `${key}: ${reason}`)
    },
  }
}

/** Reads a scalar with the parser of the option, so that the file and the command line have the same meaning. */
export function readScalar<value>(
  node: Node | null | undefined,
  key: string,
  parse: (text: string) => value,
  fail: Fail,
): value {
  if (!isScalar(node) || !['string', 'number', 'boolean'].includes(typeof node.value))
    return fail(node, key, 'expected one value')
  try {
    // The text of the file: YAML reads an address as a number, and 0123 as 123.
    return parse(node.source ?? String(node.value))
  } catch (error) {
    return fail(node, key, (error as Error).message)
  }
}

/** The values of a map by key. Any other key is an error. @param at - the place of the map, for errors */
export function fieldsOf(
  map: YAMLMap,
  at: string,
  known: readonly string[],
  fail: Fail,
  otherWords: Readonly<Record<string, string>> = {},
): Map<string, Node | null> {
  const fields = new Map<string, Node | null>()
  for (const [name, value, keyNode] of entriesOf(map)) {
    if (!known.includes(name))
      fail(keyNode, `${at}.${name}`, `unknown key${hintFor(name, known, otherWords)}`)
    fields.set(name, value)
  }
  return fields
}

/** The entries of a map: key, value, and the node of the key. */
export function entriesOf(map: YAMLMap): [string, Node | null, Node][] {
  return map.items.map(({ key, value }) => [
    String(isScalar(key) ? key.value : key),
    value as Node | null,
    key as Node,
  ])
}

/** The first sentence of the library's message; the rest is an extract of the file. */
function headOf({ message }: Error): string {
  return message.split(/ at line |\n/)[0] ?? message
}

/** A hint at a name that was probably meant; empty if none is similar. @param otherWords - names that stand for a known one */
export function hintFor(
  name: string,
  known: readonly string[],
  otherWords: Readonly<Record<string, string>> = {},
): string {
  const near = closest(name, [...known, ...Object.keys(otherWords)], 2)
  return near === undefined ? '' : `; did you mean ${otherWords[near] ?? near}?`
}
