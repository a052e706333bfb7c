import { onchainTable } from 'ponder'

export const account = onchainTable('account', (t) => ({
  address: t.hex().primaryKey(),
  received: t.bigint().notNull(),
  transfers: t.integer().notNull(),
}))
