/** Characters that a terminal may act on: control characters, changes of the writing direction, line and paragraph separators. */
const CONTROL = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** A colour of this program or a line break. */
const LAYOUT = /(\p{Cc}\[\d{1,2}m|\n)/u

/**
 * Text of others for a terminal: control characters appear as escapes such as `\u001b`, which are valid in JSON too. Tabs are
 * kept.
 */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, (char) =>
    char === '\t' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The same for several lines, whose colours and line breaks are kept. */
export function printableLines(text: string): string {
  return text
    .split(LAYOUT)
    .map((part) => (part === '\n' || part.startsWith('\u001B[') ? part : printable(part)))
    .join('')
}
