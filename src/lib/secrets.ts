/**
 * Characters of the shortest text that is redacted. Shorter parts of a path are usually names. Shorter header values and passwords
 * also occur in unrelated text: a log that hides them everywhere is hard to read.
 */
export const SHORTEST_SECRET = 8

/** Parts of addresses that may be secrets: passwords, and long words in the path and query of an http(s) address. */
export function secretsIn(addresses: readonly (string | undefined)[]): string[] {
  return addresses.flatMap((address) => {
    // Several hosts, as in addresses of Redis, are not a URL.
    const [, scheme = '', login = '', path = '', query = ''] =
      /^([a-z+]+):\/\/(?:([^/?#]*)@)?[^/?#]*([^?#]*)(?:\?([^#]*))?/i.exec(address ?? '') ?? []
    const parameters = [...new URLSearchParams(query)]
    const words = /^http/i.test(scheme)
      ? [...path.split('/'), ...parameters.map(([, value]) => value)]
      : []
    const passwords = [
      login.slice(login.indexOf(':') + 1),
      ...parameters.filter(([name]) => name.includes('password')).map(([, value]) => value),
    ]
    return [
      ...words.filter((word) => word.length >= SHORTEST_SECRET),
      ...passwords.flatMap((text) => [text, decoded(text)]),
    ].filter((text, index, all) => text !== '' && all.indexOf(text) === index)
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Parts of a path that say what is served there. Any other part may be an API key. */
const PUBLIC = /^(?:k|jsonrpc|solidity|wei|ws|wallet|walletsolidity)?$/

/**
 * An http(s) address as messages show it: without the query, and with `…` for each part of the path that may be a key.
 *
 * @param below - what follows the path, such as that of an operation.
 */
export function shownUrl(address: string, below = ''): string {
  const { origin, pathname } = new URL(address)
  const parts = pathname.split('/').map((part) => (PUBLIC.test(part) ? part : '…'))
  return origin + parts.join('/').replace(/\/$/, '') + below
}

/** Hides the secrets of an address in the answer of its server. An error page may repeat them. */
export function withoutSecrets(text: string, address: string): string {
  return secretsIn([address]).reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}
