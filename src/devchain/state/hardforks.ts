/** Hardforks of Ethereum whose operations and gas schedule a chain can have, oldest first. */
export const HARDFORKS = [
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
] as const

/** A hardfork of Ethereum. */
export type Hardfork = (typeof HARDFORKS)[number]

/** Whether the rules of a hardfork contain those of another one. `native`, the chain's own EVM, contains those of none. */
export const hasRulesOf = (rules: Hardfork | 'native', other: Hardfork): boolean =>
  rules !== 'native' && HARDFORKS.indexOf(rules) >= HARDFORKS.indexOf(other)

/**
 * The hardfork of `--energy ethereum`. OpenZeppelin 5.1 and other projects of its time test for its gas. Prague prices call data
 * differently, and Osaka has a precompiled contract that their tests expect to be absent.
 */
export const DEFAULT_HARDFORK: Hardfork = 'cancun'
