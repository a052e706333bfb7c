// Reads the texts of all errors out of the source: what each `new …Error(…)` and each error object says.
import { readdirSync, readFileSync } from 'node:fs'

import { JSONRPCErrorCode } from 'json-rpc-2.0'
import { type ESTree, parseSync } from 'rolldown/utils'

const SOURCE = new URL('../../src/', import.meta.url)

/** Where a value is that only a run knows. */
const UNKNOWN = '…'

/** An error of the source. `code` is the JSON-RPC code, empty when there is none. `file` is relative to src/. */
export type ErrorText = { code: string; file: string; text: string }

/** The errors of Node and of the EVM library. Their first argument is the message. */
const BUILT_IN = /^(Error|TypeError|RangeError|SyntaxError|EVMError)$/

type Node = ESTree.Node
type Identifier = Extract<Node, { type: 'Identifier' }>

type Class = { base: string; params: string[]; passed: Node[] | undefined }

/** Constants by name: those of each file, and those that others can import. */
type Constants = {
  exported: Map<string, Node>
  ofFile: Map<string, Map<string, Node>>
}

/** What the source declares, by name: classes, constants, and functions that return a new error. */
type Declared = {
  classes: Map<string, Class>
  constants: Constants
  makers: Map<string, { made: ESTree.NewExpression; params: string[] }>
}

/** The possible texts of an expression, when its parameters have these texts. */
type Values = ReadonlyMap<string, string[]>

/** The file and the text of a parsed file. */
const sources = new WeakMap<Node, { code: string; file: string }>()

/** Every text that an error can have, in the order of the files. */
export function errorTexts(): ErrorText[] {
  const files = readdirSync(SOURCE, { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.ts') && !/\.(test|test-d|contract)\.ts$|\/gen\//.test(file))
    .toSorted()
    .map(parse)
  const declared: Declared = {
    classes: new Map(),
    constants: { exported: new Map(), ofFile: new Map() },
    makers: new Map(),
  }
  for (const file of files) for (const statement of file.body) declare(statement, declared)

  const found: ErrorText[] = []
  for (const program of files)
    walk(program, (node) => {
      for (const { code, texts } of errorsAt(node, declared))
        for (const text of texts)
          // A text without a word is that of another error, passed on.
          if (/[a-z]{3}/i.test(text))
            found.push({
              code,
              file: sourceOf(node).file,
              text: text.replaceAll(/…{2,}/g, UNKNOWN),
            })
    })
  return found
}

function parse(file: string): ESTree.Program {
  const code = readFileSync(new URL(file, SOURCE), 'utf8')
  const { errors, program } = parseSync(file, code)
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`)
  sources.set(program, { code, file })
  walk(program, (node) => {
    for (const child of childrenOf(node)) child.parent = node as never
  })
  return program
}

function sourceOf(node: Node): { code: string; file: string } {
  let top = node
  while (top.parent) top = top.parent
  return sources.get(top) ?? { code: '', file: '' }
}

function textOf(node: Node): string {
  return sourceOf(node).code.slice(node.start, node.end)
}

function declare(statement: Node, { classes, constants, makers }: Declared): void {
  const isExported = statement.type === 'ExportNamedDeclaration'
  const declared = isExported ? statement.declaration : statement
  if (declared?.type === 'ClassDeclaration' && declared.id)
    classes.set(declared.id.name, classOf(declared))
  if (declared?.type === 'VariableDeclaration') declareConstants(declared, isExported, constants)
  if (declared?.type !== 'FunctionDeclaration' || !declared.id) return
  const returned = declared.body?.body.find((inner) => inner.type === 'ReturnStatement')
  if (returned?.argument?.type === 'NewExpression')
    makers.set(declared.id.name, {
      made: returned.argument,
      params: declared.params.map((param) => nameOf(param)),
    })
}

function declareConstants(
  statement: ESTree.VariableDeclaration,
  isExported: boolean,
  { exported, ofFile }: Constants,
): void {
  const { file } = sourceOf(statement)
  const own = ofFile.get(file) ?? new Map<string, Node>()
  ofFile.set(file, own)
  for (const { id, init } of statement.declarations) {
    if (!init || id.type !== 'Identifier') continue
    own.set(id.name, init)
    if (isExported) exported.set(id.name, init)
  }
}

/** The name of a parameter, without its type and its default. */
function nameOf(param: Node): string {
  if (param.type === 'AssignmentPattern') return nameOf(param.left)
  return param.type === 'Identifier' ? param.name : textOf(param)
}

/** What a name stands for: in the functions around it, in its file, or in the file that it is imported from. */
function meaningOf(name: Identifier, { exported, ofFile }: Constants): Node | undefined {
  return localOf(name) ?? ofFile.get(sourceOf(name).file)?.get(name.name) ?? exported.get(name.name)
}

/** The error that a node of the source makes, if it makes one. */
function errorsAt(
  node: Node,
  { classes, constants, makers }: Declared,
): { code: string; texts: string[] }[] {
  const none: Values = new Map()
  const read = (expression: Node, values = none) => textsOf(expression, values, constants)
  if (node.type === 'NewExpression') return made(node, none)
  if (node.type === 'CallExpression') {
    const maker = makers.get(textOf(node.callee))
    if (!maker) return []
    const given = node.arguments.map((argument) => read(argument))
    return made(maker.made, valuesOf(maker.params, given))
  }
  if (node.type !== 'ObjectExpression') return []
  const [code, message] = ['code', 'message'].map((name) =>
    node.properties.find((member) => isAssignment(member) && textOf(member.key) === name),
  )
  if (!code || !message || !isAssignment(code) || !isAssignment(message)) return []
  return [{ code: codeOf(read(code.value)), texts: read(message.value) }]

  function made(call: ESTree.NewExpression, values: Values) {
    const name = textOf(call.callee)
    if (!/Error$|Failure$/.test(name)) return []
    const given = call.arguments.map((argument) => read(argument, values))
    return [messageOf(name, given)]
  }

  /** Follows the arguments through the constructors down to the message. */
  function messageOf(name: string, given: string[][]): { code: string; texts: string[] } {
    if (name === 'RpcError') return { code: codeOf(given[0]), texts: given[1] ?? [] }
    if (BUILT_IN.test(name)) return { code: '', texts: given[0] ?? [] }
    const known = classes.get(name)
    if (!known) return { code: '', texts: [] }
    const { base, params, passed } = known
    if (!passed) return messageOf(base, given)
    const values = valuesOf(params, given)
    return messageOf(
      base,
      passed.map((expression) => read(expression, values)),
    )
  }
}

function valuesOf(params: string[], given: string[][]): Values {
  return new Map(params.map((param, at) => [param, given[at] ?? [UNKNOWN]]))
}

/** What a class passes to its base; nothing when it has no constructor. */
function classOf(node: ESTree.Class): Class {
  const base = node.superClass ? textOf(node.superClass) : ''
  const made = node.body.body.find(
    (member) => member.type === 'MethodDefinition' && member.kind === 'constructor',
  )
  if (made?.type !== 'MethodDefinition') return { base, params: [], passed: undefined }
  let passed: Node[] | undefined
  walk(made, (inner) => {
    if (inner.type === 'CallExpression' && inner.callee.type === 'Super')
      passed = [...inner.arguments]
  })
  return { base, params: made.value.params.map((param) => nameOf(param)), passed }
}

/** `name: value` of an object. */
function isAssignment(member: Node): member is ESTree.ObjectProperty {
  return member.type === 'Property' && !member.shorthand && !member.method
}

function textsOf(expression: Node, values: Values, constants: Constants): string[] {
  const read = (inner: Node) => textsOf(inner, values, constants)
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- any other expression has no text that is known here
  switch (expression.type) {
    case 'Literal':
      return typeof expression.value === 'string' || typeof expression.value === 'number'
        ? [String(expression.value)]
        : [UNKNOWN]
    case 'UnaryExpression':
      return /^[-+!~]$/.test(expression.operator) ? [textOf(expression)] : [UNKNOWN]
    case 'ChainExpression':
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
      return read(expression.expression)
    case 'TemplateLiteral': {
      const [head = '', ...tails] = expression.quasis.map(({ value }) => value.cooked ?? '')
      return expression.expressions.reduce(
        (heads, inner, at) => joined(heads, read(inner), [tails[at] ?? '']),
        [head],
      )
    }
    case 'ConditionalExpression':
      return [...read(expression.consequent), ...read(expression.alternate)]
    case 'BinaryExpression':
      return expression.operator === '+' && !isNumber(expression.right)
        ? joined(read(expression.left), read(expression.right))
        : [UNKNOWN]
    case 'LogicalExpression':
      if (expression.operator === '&&') return ['', ...read(expression.right)]
      // A number in place of an unknown one says nothing more.
      return [
        ...new Set([
          ...read(expression.left),
          ...(isNumber(expression.right) ? [] : read(expression.right)),
        ]),
      ]
    case 'Identifier': {
      const value = values.get(expression.name)
      const named = meaningOf(expression, constants)
      return value ?? (named && named !== expression ? read(named) : [UNKNOWN])
    }
    case 'MemberExpression':
      return membersOf(expression)
    default:
      return [UNKNOWN]
  }

  function membersOf({ computed, object, property }: ESTree.MemberExpression): string[] {
    if (!computed && textOf(object) === 'JSONRPCErrorCode')
      return [String(JSONRPCErrorCode[textOf(property) as keyof typeof JSONRPCErrorCode])]
    // A table of texts, or one text of it.
    if (!computed || object.type !== 'Identifier') return [UNKNOWN]
    const table = meaningOf(object, constants)
    if (table?.type !== 'ObjectExpression') return [UNKNOWN]
    return table.properties.flatMap((member) => (isAssignment(member) ? read(member.value) : []))
  }
}

function isNumber(node: Node): boolean {
  return node.type === 'Literal' && typeof node.value === 'number'
}

/** What a name stands for in the functions around it. Parameters stand for nothing known. */
function localOf({ name, parent }: Identifier): Node | undefined {
  for (let scope: Node | null | undefined = parent; scope; scope = scope.parent) {
    if (scope.type !== 'BlockStatement') continue
    for (const statement of scope.body) {
      if (statement.type !== 'VariableDeclaration') continue
      const found = statement.declarations.find(({ id }) => nameOf(id) === name)
      if (found?.init) return found.init
    }
  }
  return undefined
}

/** Every combination of the alternatives, one after the other. */
function joined(...parts: string[][]): string[] {
  return parts.reduce((heads, tails) => heads.flatMap((head) => tails.map((tail) => head + tail)))
}

function codeOf(texts: string[] = []): string {
  return texts.filter((text) => /^-?\d+$/.test(text)).join(' or ')
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const child of childrenOf(node)) walk(child, visit)
}

/** In the order of the source. */
function childrenOf(node: Node): Node[] {
  return Object.entries(node)
    .filter(([key]) => key !== 'parent')
    .flatMap(([, value]: [string, unknown]) => value)
    .filter(
      (value): value is Node => typeof value === 'object' && value !== null && 'type' in value,
    )
    .toSorted((a, b) => a.start - b.start)
}
