import type Table from 'cli-table3'

/** Prints a table for the terminal, and once more as Markdown for docs/reliability.md. */
export function print(table: Table.Table): void {
  const rows = [...table].map((row) => (Array.isArray(row) ? row : Object.values(row)))
  const line = (cells: readonly unknown[]) => `| ${cells.map(String).join(' | ')} |`
  const head = table.options.head
  console.log(table.toString())
  console.log(['', line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n'))
}
