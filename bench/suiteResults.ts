/** The tests of one run of a suite by their full titles. Tests with the same title have a number. */
export type SuiteResult = {
  passed: ReadonlySet<string>
  skipped: ReadonlySet<string>
  /** The message of each failure. */
  failed: ReadonlyMap<string, string>
}

type Test = { title: string; state: 'passed' | 'skipped' | 'failed'; message?: string }

/** Reads the file of `suiteReporter.cjs`. A failed hook counts as one failed test. */
export function suiteResult(json: string): SuiteResult {
  const passed = new Set<string>()
  const skipped = new Set<string>()
  const failed = new Map<string, string>()
  const seen = new Map<string, number>()
  for (const { message = '', state, title } of JSON.parse(json) as Test[]) {
    const count = (seen.get(title) ?? 0) + 1
    seen.set(title, count)
    const name = count === 1 ? title : `${title} (${count})`
    if (state === 'failed') failed.set(name, message)
    else (state === 'passed' ? passed : skipped).add(name)
  }
  return { passed, skipped, failed }
}

/** The failures of each side, with the sides on which the test passes. */
export function compareResults(results: Readonly<Record<string, SuiteResult>>): string {
  const lines: string[] = []
  for (const [side, { failed }] of Object.entries(results))
    for (const [title, message] of failed) {
      const others = Object.keys(results).filter((name) => results[name]?.passed.has(title))
      const note = others.length > 0 ? ` (passes: ${others.join(', ')})` : ''
      lines.push(`${side}: ${title}${note}\n    ${message.replaceAll('\n', '\n    ')}`)
    }
  return lines.join('\n')
}
