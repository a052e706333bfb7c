import { GROUPS, INTERNAL } from './groups.ts'
import { type ErrorText, errorTexts } from './texts.ts'

/** The chapters of docs/troubleshooting.md: each group with cause, remedy and texts. Throws for an error without a group. */
export function errorChapters(): string {
  const byGroup = new Map(GROUPS.map((group) => [group, new Map<string, ErrorText>()]))
  const used = new Set<unknown>()
  const orphans: ErrorText[] = []
  for (const error of errorTexts()) {
    const group = GROUPS.find(({ files = [], texts = [] }) => {
      const match =
        texts.find((text) => text.test(error.text)) ??
        files.find((file) => error.file.startsWith(file))
      used.add(match)
      return match !== undefined
    })
    if (group) byGroup.get(group)?.set(error.text, error)
    else {
      const internal = INTERNAL.find((file) => error.file.startsWith(file))
      used.add(internal)
      if (internal === undefined) orphans.push(error)
    }
  }
  if (orphans.length > 0)
    throw new Error(
      `scripts/errors/groups.ts has no group for: ${orphans.map(({ file, text }) => `${text} (${file})`).join('\n')}`,
    )
  const unused = [
    ...GROUPS.flatMap(({ files = [], texts = [] }) => [...files, ...texts]),
    ...INTERNAL,
  ].filter((pattern) => !used.has(pattern))
  if (unused.length > 0)
    throw new Error(`scripts/errors/groups.ts names no error with: ${unused.join(', ')}`)

  return [...byGroup]
    .map(([{ cause, remedy, title }, errors]) => {
      const lines = [...errors.values()].map(
        ({ code, text }) => `- \`${text.replaceAll('`', "'")}\`${code && ` (${code})`}`,
      )
      return [`## ${title}`, cause, `**What to do:** ${remedy}`, lines.toSorted().join('\n')].join(
        '\n\n',
      )
    })
    .join('\n\n')
}
