import { privateKeyToAccount } from 'viem/accounts'

import { CHAIN, keys } from './recordedChain.ts'

/** An Ethereum transaction of bob on the recorded chain, signed by him: 5 sun for dave. */
export const signedTransfer = () =>
  privateKeyToAccount(`0x${keys.bob.pk.replace(/^0x/, '')}`).signTransaction({
    chainId: CHAIN.chainId,
    gas: 21_000n,
    gasPrice: 1_000n,
    nonce: 0,
    to: keys.dave.eth,
    value: 5n,
    type: 'legacy',
  })
