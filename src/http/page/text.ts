/** Hex digits of text, or undefined when they are not printable UTF-8. */
export function hexText(hex: string | undefined): string | undefined {
  if (!hex) return undefined
  const text = Buffer.from(hex.replace(/^0x/, ''), 'hex').toString('utf8')
  return /^[\P{C}\n\t]*$/u.test(text) && !text.includes('\uFFFD') ? text : undefined
}

/** Text that a stranger chose, without control and direction characters, shortened. */
export function cleanText(text: string, length = 48): string {
  const clean = text.replaceAll(/\p{C}/gu, '').trim()
  // The cut can split a surrogate pair.
  return clean.slice(0, length).replace(/\p{Cs}$/u, '')
}
