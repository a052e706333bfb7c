import { defineMethod, schemas } from '../method.ts'
import { filterId } from '../params/subscriptionParam.ts'

export const eth_uninstallFilter = defineMethod({
  params: [filterId],
  result: schemas.boolean,
  summary: 'removes a filter; false when there is none',
  handler: ({ filters }, [id]) => filters.uninstall(id),
})
