// Writes the tables of docs/methods.md, docs/options.md, docs/packages.md and others, the chapters of docs/troubleshooting.md and docs/config.schema.json
// from the code: `npm run docs`. With --check it only reports whether they are current.
import { readFileSync, writeFileSync } from 'node:fs'

import { format, type FormatOptions } from 'oxfmt'

import { options, type Option } from '../src/config/config.ts'
import { configSchema } from '../src/config/schema.ts'
import type { AnyMethod } from '../src/rpc/method.ts'
import { methods } from '../src/rpc/methods/index.ts'
import { devMethodRows } from './devMethods.ts'
import { errorPages } from './errors/page.ts'
import { executionApisRows } from './executionApis.ts'
import { packageRows } from './packageCosts.ts'

const ROOT = new URL('../', import.meta.url)

const STYLE = JSON.parse(readFileSync(new URL('.oxfmtrc.json', ROOT), 'utf8')) as FormatOptions

const errors = errorPages()
const pages = [
  { file: 'docs/methods.md', name: 'methods', table: methodsTable() },
  {
    file: 'docs/contributors/execution-apis.md',
    name: 'differences',
    table: table(['Difference', 'Methods', 'Reason'], executionApisRows()),
  },
  { file: 'docs/options.md', name: 'options', table: optionsTable() },
  {
    file: 'docs/packages.md',
    name: 'packages',
    table: table(['Used by', 'Package', 'Packages', 'Size'], packageRows()),
  },
  { file: 'docs/troubleshooting.md', name: 'errors', table: errors.chapters },
  { file: 'docs/errors/README.md', name: 'errors', table: errors.texts },
  {
    file: 'docs/devchain-control.md',
    name: 'tools',
    table: table(['Method', 'What it does'], await devMethodRows()),
  },
]
for (const page of pages) {
  const path = new URL(page.file, ROOT)
  const before = readFileSync(path, 'utf8')
  // The formatter aligns tables, so that the page passes `npm run check`.
  const { code: after } = await format(page.file, put(before, page), STYLE)
  if (!process.argv.includes('--check')) writeFileSync(path, after)
  else if (after !== before) {
    console.error(`${page.file}: the table is not current, run: npm run docs`)
    process.exitCode = 1
  }
}

const schemaPath = new URL('docs/config.schema.json', ROOT)
const { code: schema } = await format(
  'config.schema.json',
  JSON.stringify(configSchema(), null, 2),
  STYLE,
)
if (!process.argv.includes('--check')) writeFileSync(schemaPath, schema)
else if (readFileSync(schemaPath, 'utf8') !== schema) {
  console.error('docs/config.schema.json is not current, run: npm run docs')
  process.exitCode = 1
}

/** Replaces the text between the two comments of a table. */
function put(
  text: string,
  { file, name, table }: { file: string; name: string; table: string },
): string {
  const begin = `<!-- ${name}: written by npm run docs -->\n`
  const end = `<!-- end of ${name} -->`
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`${file}: there is no place for the ${name} table`)
  return `${text.slice(0, from)}${begin}\n${table}\n\n${text.slice(to)}`
}

/** The tables of served methods and of those with a fixed answer, by name; after them the list of refused ones by reason. */
function methodsTable(): string {
  const all = Object.entries<AnyMethod>(methods).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const tableOf = (kind: 'served' | 'fixed') =>
    table(
      ['Method', kind === 'served' ? 'What' : 'The answer is always the same:'],
      all
        .filter(([, method]) => (method.kind ?? 'served') === kind)
        .map(([name, { fullOnly, summary }]) => [
          code(name),
          fullOnly ? `${summary} (not on \`/solidity\`)` : summary,
        ]),
    )
  const refused = new Map<string, string[]>()
  for (const [name, { kind, summary }] of all)
    if (kind === 'refused') refused.set(summary, [...(refused.get(summary) ?? []), code(name)])
  const list = [...refused].map(([reason, names]) => `- ${names.join(', ')}: ${reason}`)
  return `${tableOf('served')}\n\n${tableOf('fixed')}\n\nRefused, with \`-32601\` and the reason:\n\n${list.join('\n')}`
}

function optionsTable(): string {
  const rows = Object.values<Option>(options).map(({ default: fallback, flag, help, value }) => [
    code(value === undefined ? flag : `${flag} ${value}`),
    fallback === undefined ? '' : code(String(fallback)),
    help,
  ])
  return table(['Flag', 'Default', 'Meaning'], rows)
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(escape))]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function escape(cell: string): string {
  return cell.replaceAll('|', '\\|')
}

function code(text: string): string {
  return `\`${text}\``
}
