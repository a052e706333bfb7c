/** Longest text of a node that clients get, in characters. The longest refusals of the node have about 200. */
const MAX_LENGTH = 300

/** What the sentences of the node consist of. Paths, addresses of hosts and markup need other characters. */
const SENTENCE = /^[\w \t.,:;'"()[\]<>=!+*-]*$/

/** A word that may be a key or the name of a host: long and with a digit, or with a dot between letters. */
const SUSPECT = /[\w-]+(?:\.[\w-]+)+|[\w-]{16,}/g

/** Words of that kind that the node's sentences contain: numbers, and addresses in base58 or hex. */
const HARMLESS =
  /^(?:\d{1,20}|\d+\.\d+|[A-Za-z]+(?:Contract|Limit|Energy|Exception)|T[1-9A-HJ-NP-Za-km-z]{33}|(?:0x)?(?:41)?[0-9a-f]{40}|[A-Za-z_]{16,40})$/

/**
 * The text of a node as clients get it. A front end of the node may put its own text in place, with the path of the request
 * (and the API key in it), or names of hosts. Only sentences pass, and words that may be keys or names of hosts become `…`.
 *
 * @param fallback - in place of a text that is not known to be harmless.
 */
export function shownText(text: string, fallback: string): string {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > MAX_LENGTH || !SENTENCE.test(trimmed)) return fallback
  return trimmed.replaceAll(SUSPECT, (word) => (HARMLESS.test(word) ? word : '…'))
}

/** The release of a node as clients get it, such as `4.8.2`; undefined for anything else. */
export function shownRelease(version: unknown): string | undefined {
  return typeof version === 'string' && RELEASE.test(version) ? version : undefined
}

const RELEASE = /^\d+(?:\.\d+){1,3}[\w-]{0,20}$/
