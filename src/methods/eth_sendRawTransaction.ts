import { defineMethod } from '../jsonrpc/method.ts'
import { bytes } from '../jsonrpc/params.ts'
import { fromSigned } from '../wei/scale.ts'

export const eth_sendRawTransaction = defineMethod({
  params: [bytes],
  summary:
    'sends a natively signed transaction; one signed for Ethereum only when the gateway holds the key of its sender',
  fullOnly: true,
  handler: ({ coin, sending }, [raw]) =>
    sending.sendRaw(raw, coin === 'wei' ? fromSigned : undefined),
})
