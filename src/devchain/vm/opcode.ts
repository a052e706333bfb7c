import type { EVMOpts } from '@ethereumjs/evm'

/** An operation that differs from the EVM's. */
export type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]

/** An operation that replaces one of the EVM's, or that the EVM does not have. */
export type AddOpcode = Extract<CustomOpcode, { logicFunction: unknown }>
