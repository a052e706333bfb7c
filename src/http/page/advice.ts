/** What an operator can do about a reason in `/health`. */
const ADVICE: readonly (readonly [pattern: RegExp, todo: string])[] = [
  [
    /waiting for/i,
    'Check that the node is running and that --upstream is the address of its HTTP port.',
  ],
  [
    /poll of the (node|upstream)|unreachable/i,
    'Check the node and the network between it and this machine.',
  ],
  [/head has not moved/i, 'Check whether the node still receives blocks from its peers.'],
  [/Redis/i, 'Check Redis. Reads continue; filters and sending need it.'],
  [/solidified/i, 'Compare the node with another one: it may follow another branch.'],
  [/another chain|genesis/i, 'Check which node the address of --upstream leads to.'],
]

/** Advice for a reason; undefined when there is none. */
export function advice(reason: string): string | undefined {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1]
}
