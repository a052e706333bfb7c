import { Hono } from 'hono'
import type { Hash } from 'viem'

import type { Chain } from '../../chain/blocks/chainTypes.ts'
import type { Config } from '../../config/config.ts'
import type { SendExecution } from '../../rpc/execution/execution.ts'
import type { ChainBlock, DevChain } from '../index.ts'
import { devAccountIndex } from './accountIndex.ts'
import { createAdminApp } from './admin.ts'
import type { Announcer } from './announce.ts'
import { createDevSending } from './devSending.ts'
import { devExecution } from './execution.ts'
import {
  callFailure,
  type FailureOf,
  throwingRpcErrors,
  transactionFailure,
  withRpcErrors,
} from './failures.ts'
import { devMethods } from './methods.ts'
import { ownView } from './ownView.ts'
import type { Terminal } from './terminal/terminal.ts'
import { TRE_PATH, treTraces } from './tre.ts'

/** The options of `createGateway` that connect a gateway to a development chain in the same process. */
export function gatewayOptions(
  chain: DevChain,
  announcer: Announcer,
  terminal: Terminal | undefined,
  coinDecimals: 6 | 18,
) {
  const callFailed: FailureOf = (result) => callFailure(result, chain.artifacts)
  const sending = createDevSending(chain, announcer)
  return {
    host: {
      around: announcer.around,
      artifacts: chain.artifacts,
      onUnknown: terminal?.unknown,
      rpcPaths: { [TRE_PATH]: withRpcErrors(treTraces(chain), callFailed) },
    },
    keys: chain.accounts.map(({ key }) => key),
    methods: devMethods(chain, sending, terminal),
    own: {
      accountIndex: devAccountIndex(chain),
      accounts: chain.accounts.map(({ address, key }) => ({
        address: `0x${address.slice(2)}` as const,
        key: `0x${key}` as const,
      })),
      coinDecimals,
      failureOf: (info: ChainBlock['infos'][number]) => transactionFailure(info, chain).message,
      nextRun: (height: number) => chain.ledger.nextRun(height),
      ownChain: (view: Chain, config: Config, node: SendExecution) => ({
        chain: ownView(view, chain, config),
        execution: throwingRpcErrors(
          {
            ...devExecution(chain, {
              failureOf: callFailed,
              feeSignal: config.feeSignal,
              print: (call, printed) => terminal?.print(call, printed),
              view: view.view,
            }),
            ...sending.execution(config, node),
          },
          callFailed,
        ),
      }),
      priceOfBlock: (hash: Hash) => {
        const number = chain.ledger.numberOf(hash.slice(2))
        return number === undefined ? undefined : chain.ledger.block(number)?.seen?.baseFee
      },
      transport: chain.transport,
    },
    routes: new Hono().route('/', chain.app).route('/', createAdminApp(chain)),
  }
}
