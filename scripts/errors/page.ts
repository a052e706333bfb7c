import { GROUPS, INTERNAL } from './groups.ts'
import { type ErrorText, errorTexts } from './texts.ts'

/** Letters of a text that may stand for others. */
const LEAST_LETTERS = 10

/**
 * The contents and chapters of docs/troubleshooting.md, each group with cause and remedy, and the texts of each group for
 * docs/errors/README.md. Throws for an error without a group.
 */
export function errorPages(): { chapters: string; texts: string } {
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

  const contents = GROUPS.map(({ title }) => `- [${title}](#${anchorOf(title)})`).join('\n')
  const chapters = GROUPS.map(({ cause, remedy, title }) =>
    [`## ${title}`, cause, `**What to do:** ${remedy}`].join('\n\n'),
  ).join('\n\n')
  const texts = [...byGroup]
    .map(([{ title }, errors]) => {
      const lines = withoutCovered([...errors.values()]).map(
        ({ code, text }) => `- \`${text.replaceAll('`', "'")}\`${code && ` (${code})`}`,
      )
      const heading = `## [${title}](../troubleshooting.md#${anchorOf(title)})`
      return `${heading}\n\n${lines.toSorted().join('\n')}`
    })
    .join('\n\n')
  return { chapters: `${contents}\n\n${chapters}`, texts }
}

/** The texts without those that another one of the chapter stands for: “x: …” beside “x”, “no key a” beside “no key …”. */
function withoutCovered(errors: ErrorText[]): ErrorText[] {
  return errors.filter(
    ({ code, text }) =>
      !errors.some((other) => other.text !== text && other.code === code && covers(other, text)),
  )
}

function covers({ text: general }: ErrorText, text: string): boolean {
  if (text === `${general}: …`) return true
  // What follows a colon is a reason, for which a reader searches.
  if (general.endsWith(': …') || general.replaceAll(/[^a-z]/gi, '').length < LEAST_LETTERS)
    return false
  const parts = general.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`).test(text)
}

/** The name that GitHub gives a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
    .replaceAll(' ', '-')
}
