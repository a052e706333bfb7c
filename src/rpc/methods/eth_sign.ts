import { managedAccount } from '../../sending/managed.ts'
import { defineMethod, schemas } from '../method.ts'
import { address } from '../params/params.ts'
import { message } from './personal_sign.ts'

export const eth_sign = defineMethod({
  params: [address, message],
  result: schemas.bytes,
  summary: 'like personal_sign, with the account as first parameter',
  handler: ({ sending }, [account, raw], call) =>
    managedAccount('eth_sign', account, { call, sending }).signMessage({ message: { raw } }),
})
