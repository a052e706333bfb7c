import type { Hex } from 'viem'
import { keccak256 } from 'viem/utils'

import type { Chain } from '../../chain/blocks/chainTypes.ts'
import { InvalidParamsError } from '../../lib/errors.ts'
import { assertChain, assertManaged } from '../../sending/managed.ts'
import { rpcFilled, unsignedBytes } from '../../sending/rpcFilled.ts'
import type { Sending } from '../../sending/sending.ts'
import type { SendRequest } from '../../sending/signing.ts'
import { type CallRequest, refuseDelegation } from '../params/callParam.ts'
import type { SendExecution } from './execution.ts'

/** Sends native transactions with the keys that the gateway manages. Access lists, tips and types have no meaning on such a chain. */
export function createNodeSending({ chain, sending }: createNodeSending.Options): SendExecution {
  return {
    async fill(request, { unit }) {
      const wanted = toSendRequest(request)
      assertChain(request, { chain })
      const filled = await sending.fill(wanted)
      const raw = unsignedBytes(filled, chain.id, unit)
      return { raw, tx: rpcFilled(filled, chain.id, keccak256(raw)) }
    },

    async send(request, { call }) {
      const wanted = toSendRequest(request)
      assertManaged('eth_sendTransaction', wanted.from, { call, sending })
      assertChain(request, { chain })
      const { caller, signal } = call
      return sending.sendManaged({ ...wanted, signal, spender: caller?.spender })
    },

    sendRaw: (raw, { call, unit }) => sending.sendRaw(raw, unit, call.caller?.spender),

    async sign(request, { call }) {
      const wanted = toSendRequest(request)
      assertManaged('eth_signTransaction', wanted.from, { call, sending })
      assertChain(request, { chain })
      const filled = await sending.fill(wanted)
      const { hex, id, nonce } = await sending.sign({
        ...filled,
        nonce: wanted.nonce,
        spender: call.caller?.spender,
      })
      const raw: Hex = `0x${hex}`
      return { raw, tx: rpcFilled({ ...filled, nonce }, chain.id, id) }
    },
  }
}

export declare namespace createNodeSending {
  type Options = { chain: Pick<Chain, 'id'>; sending: Sending }
}

/** @throws InvalidParamsError without a sender, and for delegated code */
function toSendRequest(request: CallRequest): SendRequest {
  refuseDelegation(request)
  const { data, from, gas, gasPrice, maxFeePerGas, nonce, to, value } = request
  if (!from)
    throw new InvalidParamsError(0, 'from: expected a 20-byte hex or a base58 address, got nothing')
  return {
    from,
    to,
    value,
    data,
    gas,
    gasPrice: gasPrice ?? maxFeePerGas,
    feeKind: feeKindOf(request),
    nonce: nonce === undefined ? undefined : Number(nonce),
  }
}

function feeKindOf({ gasPrice, maxFeePerGas }: CallRequest): SendRequest['feeKind'] {
  if (gasPrice !== undefined) return 'legacy'
  return maxFeePerGas === undefined ? undefined : 'eip1559'
}
