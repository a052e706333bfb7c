import { create } from './dom.ts'

/** Saves a table as CSV: whole hashes and addresses, times in UTC. */
export function startTables(): void {
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('button[data-csv-of]')
    const table = button?.closest('table')
    if (button && table) save(table, button.dataset['csvOf'] ?? 'table')
  })
}

function save(table: HTMLTableElement, name: string): void {
  const lines = [...table.rows].map((row) => [...row.cells].map(cellText).join(','))
  const file = new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' })
  const href = URL.createObjectURL(file)
  create('a', { href, download: `${name.replaceAll(/\W+/g, '-').toLowerCase()}.csv` }).click()
  URL.revokeObjectURL(href)
}

function cellText(cell: HTMLTableCellElement): string {
  const parts = [...cell.querySelectorAll<HTMLElement>('[data-csv]')].map(
    (one) => one.dataset['csv'],
  )
  const text = (parts.length > 0 ? parts.join(' ') : cell.innerText).trim()
  // A spreadsheet would run a cell that begins like a formula.
  const safe = /^[=+\-@\t]/.test(text) && !/^-?[\d.,]+$/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
