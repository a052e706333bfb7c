// Reads the texts of all errors out of the source: what each `new …Error(…)` and each error object says.
import { readdirSync, readFileSync } from 'node:fs'

import ts from '@typescript/typescript6'
import { JSONRPCErrorCode } from 'json-rpc-2.0'

const SOURCE = new URL('../../src/', import.meta.url)

/** Where a value is that only a run knows. */
const UNKNOWN = '…'

/** An error of the source. `code` is the JSON-RPC code, empty when there is none. `file` is relative to src/. */
export type ErrorText = { code: string; file: string; text: string }

/** The errors of Node and of the EVM library. Their first argument is the message. */
const BUILT_IN = /^(Error|TypeError|RangeError|SyntaxError|EVMError)$/

type Class = { base: string; params: string[]; passed: ts.Expression[] | undefined }

/** Constants by name: those of each file, and those that others can import. */
type Constants = {
  exported: Map<string, ts.Expression>
  ofFile: Map<string, Map<string, ts.Expression>>
}

/** What the source declares, by name: classes, constants, and functions that return a new error. */
type Declared = {
  classes: Map<string, Class>
  constants: Constants
  makers: Map<string, { made: ts.NewExpression; params: string[] }>
}

/** The possible texts of an expression, when its parameters have these texts. */
type Values = ReadonlyMap<string, string[]>

/** Every text that an error can have, in the order of the files. */
export function errorTexts(): ErrorText[] {
  const files = readdirSync(SOURCE, { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.ts') && !/\.(test|test-d|contract)\.ts$|\/gen\//.test(file))
    .toSorted()
    .map((file) =>
      ts.createSourceFile(
        file,
        readFileSync(new URL(file, SOURCE), 'utf8'),
        ts.ScriptTarget.Latest,
        true,
      ),
    )
  const declared: Declared = {
    classes: new Map(),
    constants: { exported: new Map(), ofFile: new Map() },
    makers: new Map(),
  }
  for (const file of files) for (const statement of file.statements) declare(statement, declared)

  const found: ErrorText[] = []
  for (const file of files)
    walk(file, (node) => {
      for (const { code, texts } of errorsAt(node, declared))
        for (const text of texts)
          // A text without a word is that of another error, passed on.
          if (/[a-z]{3}/i.test(text))
            found.push({ code, file: file.fileName, text: text.replaceAll(/…{2,}/g, UNKNOWN) })
    })
  return found
}

function declare(statement: ts.Statement, { classes, constants, makers }: Declared): void {
  if (ts.isClassDeclaration(statement) && statement.name)
    classes.set(statement.name.text, classOf(statement))
  if (ts.isVariableStatement(statement)) declareConstants(statement, constants)
  if (!ts.isFunctionDeclaration(statement) || !statement.name) return
  const returned = statement.body?.statements.find((inner) => ts.isReturnStatement(inner))
  if (returned?.expression && ts.isNewExpression(returned.expression))
    makers.set(statement.name.text, {
      made: returned.expression,
      params: statement.parameters.map(({ name }) => name.getText()),
    })
}

function declareConstants(statement: ts.VariableStatement, { exported, ofFile }: Constants): void {
  const { fileName } = statement.getSourceFile()
  const own = ofFile.get(fileName) ?? new Map<string, ts.Expression>()
  ofFile.set(fileName, own)
  const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  for (const { initializer, name } of statement.declarationList.declarations) {
    if (!initializer || !ts.isIdentifier(name)) continue
    own.set(name.text, initializer)
    if (isExported) exported.set(name.text, initializer)
  }
}

/** What a name stands for: in the functions around it, in its file, or in the file that it is imported from. */
function meaningOf(
  name: ts.Identifier,
  { exported, ofFile }: Constants,
): ts.Expression | undefined {
  const { fileName } = name.getSourceFile()
  return localOf(name) ?? ofFile.get(fileName)?.get(name.text) ?? exported.get(name.text)
}

/** The error that a node of the source makes, if it makes one. */
function errorsAt(
  node: ts.Node,
  { classes, constants, makers }: Declared,
): { code: string; texts: string[] }[] {
  const none: Values = new Map()
  const read = (expression: ts.Expression, values = none) => textsOf(expression, values, constants)
  if (ts.isNewExpression(node)) return made(node, none)
  if (ts.isCallExpression(node)) {
    const maker = makers.get(node.expression.getText())
    if (!maker) return []
    const given = node.arguments.map((argument) => read(argument))
    return made(maker.made, valuesOf(maker.params, given))
  }
  if (!ts.isObjectLiteralExpression(node)) return []
  const [code, message] = ['code', 'message'].map((name) =>
    node.properties.find(
      (member) => ts.isPropertyAssignment(member) && member.name.getText() === name,
    ),
  )
  if (!code || !message || !ts.isPropertyAssignment(code) || !ts.isPropertyAssignment(message))
    return []
  return [{ code: codeOf(read(code.initializer)), texts: read(message.initializer) }]

  function made(call: ts.NewExpression, values: Values) {
    const name = call.expression.getText()
    if (!/Error$|Failure$/.test(name)) return []
    const given = (call.arguments ?? []).map((argument) => read(argument, values))
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
function classOf(node: ts.ClassDeclaration): Class {
  const base = node.heritageClauses?.[0]?.types[0]?.expression.getText() ?? ''
  const made = node.members.find((member) => ts.isConstructorDeclaration(member))
  let passed: ts.Expression[] | undefined
  if (made)
    walk(made, (inner) => {
      if (ts.isCallExpression(inner) && inner.expression.kind === ts.SyntaxKind.SuperKeyword)
        passed = [...inner.arguments]
    })
  return { base, params: (made?.parameters ?? []).map(({ name }) => name.getText()), passed }
}

function textsOf(expression: ts.Expression, values: Values, constants: Constants): string[] {
  const read = (inner: ts.Expression) => textsOf(inner, values, constants)
  if (ts.isStringLiteralLike(expression) || ts.isNumericLiteral(expression))
    return [expression.text]
  if (ts.isPrefixUnaryExpression(expression)) return [expression.getText()]
  if (ts.isAsExpression(expression) || ts.isParenthesizedExpression(expression))
    return read(expression.expression)
  if (ts.isTemplateExpression(expression))
    return expression.templateSpans.reduce(
      (heads, { expression: inner, literal }) => joined(heads, read(inner), [literal.text]),
      [expression.head.text],
    )
  if (ts.isConditionalExpression(expression))
    return [...read(expression.whenTrue), ...read(expression.whenFalse)]
  if (ts.isBinaryExpression(expression)) {
    const { kind } = expression.operatorToken
    if (kind === ts.SyntaxKind.PlusToken && !ts.isNumericLiteral(expression.right))
      return joined(read(expression.left), read(expression.right))
    if (kind === ts.SyntaxKind.AmpersandAmpersandToken) return ['', ...read(expression.right)]
    if (kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken)
      return [
        ...new Set([
          ...read(expression.left),
          // A number in place of an unknown one says nothing more.
          ...(ts.isNumericLiteral(expression.right) ? [] : read(expression.right)),
        ]),
      ]
  }
  if (ts.isIdentifier(expression)) {
    const value = values.get(expression.text)
    const named = meaningOf(expression, constants)
    return value ?? (named && named !== expression ? read(named) : [UNKNOWN])
  }
  if (
    ts.isPropertyAccessExpression(expression) &&
    expression.expression.getText() === 'JSONRPCErrorCode'
  )
    return [String(JSONRPCErrorCode[expression.name.text as keyof typeof JSONRPCErrorCode])]
  // A table of texts, or one text of it.
  if (ts.isElementAccessExpression(expression) && ts.isIdentifier(expression.expression)) {
    const table = meaningOf(expression.expression, constants)
    if (table && ts.isObjectLiteralExpression(table))
      return table.properties.flatMap((member) =>
        ts.isPropertyAssignment(member) ? read(member.initializer) : [],
      )
  }
  return [UNKNOWN]
}

/** What a name stands for in the functions around it. Parameters stand for nothing known. */
function localOf(name: ts.Identifier): ts.Expression | undefined {
  for (let scope: ts.Node = name.parent; scope.parent; scope = scope.parent) {
    if (!ts.isBlock(scope)) continue
    for (const statement of scope.statements) {
      if (!ts.isVariableStatement(statement)) continue
      const found = statement.declarationList.declarations.find(
        (declared) => declared.name.getText() === name.text,
      )
      if (found?.initializer) return found.initializer
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

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}
