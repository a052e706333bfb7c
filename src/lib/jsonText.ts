const BACKSLASH = 0x5c

/**
 * The position of the quote that closes a string of a JSON text; -1 when the string does not end.
 *
 * @param open - the position of the opening quote.
 */
export function closingQuote(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end
    while (text.charCodeAt(first - 1) === BACKSLASH) first--
    // An odd number of backslashes escapes the quote.
    if ((end - first) % 2 === 0) return end
  }
  return -1
}
