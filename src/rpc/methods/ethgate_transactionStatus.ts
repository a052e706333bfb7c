import { OUTCOMES, STATES, transactionStatus } from '../../sending/transactionStatus.ts'
import { defineMethod, schemas } from '../method.ts'
import { hash, named } from '../params/params.ts'

export const ethgate_transactionStatus = defineMethod({
  params: [named('transactionHash', hash)],
  result: schemas.object(
    {
      state: { enum: STATES },
      transactionHash: schemas.hash,
      ethereumHash: schemas.nullable(schemas.hash),
      evidence: schemas.text,
      block: schemas.object({
        number: schemas.quantity,
        hash: schemas.hash,
        confirmations: schemas.quantity,
        solidified: schemas.boolean,
      }),
      outcome: { enum: OUTCOMES },
      reason: schemas.text,
      nodes: schemas.listOf(schemas.text),
      words: schemas.listOf(schemas.text),
      removedFrom: schemas.object({ number: schemas.quantity, hash: schemas.hash }),
      expiration: schemas.quantity,
    },
    ['block', 'outcome', 'reason', 'nodes', 'words', 'removedFrom', 'expiration'],
  ),
  summary: 'what became of a transaction, by native or Ethereum hash, and from where this is known',
  fullOnly: true,
  handler: ({ chain, native, sending }, [transaction], call) =>
    transactionStatus(transaction, { call, chain, native, sending }),
})
