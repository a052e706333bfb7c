import { createGateway, type Gateway } from '../../src/gateway.ts'

/** Address of a node that produces blocks and on which the accounts of `recordedChain.ts` hold coins. */
export const producing = process.env['NATIVE_PRODUCING_URL']

/** Why tests that need it are skipped. */
export const skipReason =
  'skipped: NATIVE_PRODUCING_URL does not name a node that produces blocks (its HTTP API, such as http://127.0.0.1:8490)'

/** A gateway on a free port in front of the producing node. */
export async function startProducingGateway(
  options: Omit<Parameters<typeof createGateway>[0], 'config'> = {},
): Promise<{ gateway: Gateway; url: string }> {
  const upstream = producing ?? ''
  // A node serves its solidified state on the next port.
  const solidity = new URL(upstream)
  solidity.port = String(Number(solidity.port) + 1)
  const gateway = createGateway({
    ...options,
    config: { port: 0, upstream, upstreamSolidity: solidity.origin },
  })
  const { url } = await gateway.start()
  return { gateway, url }
}
