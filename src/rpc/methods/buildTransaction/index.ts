import { toNativeAddress } from '../../../lib/address.ts'
import { InvalidParamsError, RpcError } from '../../../lib/errors.ts'
import { MAX_INT64 } from '../../../lib/int64.ts'
import { type Prepared, preparedOf } from '../../../lib/prepared.ts'
import type { NativeClient } from '../../../native/client.ts'
import { rawDataToJson } from '../../../native/protobuf/transaction.ts'
import { stringifyNative } from '../../../native/wire/json.ts'
import type { Transaction } from '../../../native/wire/types.ts'
import { defineMethod } from '../../method.ts'
import { buildCreate, buildTransfer, buildTransferAsset, buildTrigger } from './builders.ts'
import { type AddressedRequest, buildRequest } from './request.ts'

/** JSON text, because `JSON.stringify` cannot write amounts above 2^53, which are bigints. */
type Built = Prepared<{ transaction: Transaction }>

export const buildTransaction = defineMethod({
  params: [buildRequest],
  result: { type: 'object' },
  summary:
    'builds an unsigned native transaction: transfer, token transfer, contract call or creation',
  fullOnly: true,
  async handler({ chain, native }, [request], call): Promise<Built> {
    const { to, visible } = request
    const feeLimit = request.gas * (await chain.energyPrice())
    if (feeLimit > MAX_INT64) throw new InvalidParamsError(0, 'gas: fee limit overflow')
    if (!to) {
      if (request.data === '0x') throw new RpcError(-32600, 'invalid json request')
      return answer({ visible: false, ...(await buildCreate(request, native, feeLimit)) })
    }
    const contract = await native.wallet.getContract({ value: toNativeAddress(to) }, call)
    if (contract)
      return answer(inFormat(await buildTrigger({ ...request, to }, native, feeLimit), visible))
    return answer({ ...inFormat(await buildPlain({ ...request, to }, native), visible), visible })
  },
})

async function buildPlain(request: AddressedRequest, native: NativeClient): Promise<Transaction> {
  const { hasValue, tokenId, tokenValue, value } = request
  if (tokenId > 0n && tokenValue > 0n && value === 0n) return buildTransferAsset(request, native)
  if (hasValue) return buildTransfer(request, native)
  throw new RpcError(-32600, 'invalid json request')
}

/** The JSON with addresses and texts in the requested format (`visible`). The bytes to sign are the same. */
function inFormat(transaction: Transaction, visible: boolean): Transaction {
  const { raw_data_hex, txID } = transaction
  return {
    txID,
    raw_data: rawDataToJson(Buffer.from(raw_data_hex, 'hex'), { visible }),
    raw_data_hex,
  }
}

function answer(transaction: Transaction): Built {
  return preparedOf(Buffer.from(stringifyNative({ transaction })))
}
