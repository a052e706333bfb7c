/** A command line of a page, what it prints, and the exit code if the page shows one. */
export type Step = { line: string; output: string[]; code: number | undefined }

/** The commands of the `console` blocks of a page, in their order, by section. */
export function stepsOf(page: string): { section: string; steps: Step[] }[] {
  return page.split(/^## /m).map((text) => ({
    section: text.split('\n')[0] ?? '',
    steps: [...text.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
      stepsOfBlock(block),
    ),
  }))
}

function stepsOfBlock(block: string): Step[] {
  const steps: Step[] = []
  for (const text of block.trimEnd().split('\n')) {
    const last = steps.at(-1)
    if (!text.startsWith('$ ')) last?.output.push(text)
    else if (text !== '$ echo $?') steps.push({ line: text.slice(2), output: [], code: undefined })
    else if (last) last.code = -1
  }
  // The line after `$ echo $?` is the exit code.
  for (const step of steps) if (step.code === -1) step.code = Number(step.output.pop())
  return steps
}

/** The page with the output of the commands. */
export function writePage(page: string, printed: (step: Step) => string[] | undefined): string {
  return page.replaceAll(/```console\n([\s\S]*?)```/g, (_, block: string) => {
    const lines = stepsOfBlock(block).flatMap((step) => [
      `$ ${step.line}`,
      ...(step.output.at(-1) === '…' ? step.output : (printed(step) ?? step.output)),
      ...(step.code === undefined ? [] : ['$ echo $?', String(step.code)]),
    ])
    return `\`\`\`console\n${lines.join('\n')}\n\`\`\``
  })
}

/** The words of a simple command; undefined when it needs a shell. */
export function wordsOf(line: string): string[] | undefined {
  const found = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
  if (found[0] !== 'ethgate' || /[|&<>;]/.test(line.replaceAll(/'[^']*'|"[^"]*"/g, '')))
    return undefined
  return found
    .slice(1)
    .map((word) =>
      word.replaceAll(
        /'([^']*)'|"([^"]*)"/g,
        (_, single: string | undefined, double: string | undefined) => single ?? double ?? '',
      ),
    )
}

/** A line without hashes, addresses, times, durations and the width of columns, which differ between runs. Counts and amounts stay. */
export function formOf(line: string): string {
  return line
    .replaceAll(/0x[0-9a-fA-F]{9,}|\b[0-9a-f]{40,}\b|\bT[1-9A-HJ-NP-Za-km-z]{33}\b/g, '#')
    .replaceAll(/\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?/g, '#')
    .replaceAll(/\d[\d,.]*(?= (?:ms|s|a second)\b)/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
