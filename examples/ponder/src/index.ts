import { ponder } from 'ponder:registry'
import { account } from 'ponder:schema'

ponder.on('Token:Transfer', async ({ event: { args }, context }) => {
  await context.db
    .insert(account)
    .values({ address: args.to, received: args.value, transfers: 1 })
    .onConflictDoUpdate(({ received, transfers }) => ({
      received: received + args.value,
      transfers: transfers + 1,
    }))
})
