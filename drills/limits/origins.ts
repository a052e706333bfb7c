import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'

import { WebSocket } from 'ws'

import { startGateway, startNode } from '../processes.ts'
import { callText } from '../requests.ts'
import { type LimitsCase, none } from './check.ts'
import { bearer, createKeysFile, secretOf } from './keys.ts'

const OWN = 'https://app.example'

/** A key that was copied from the page of its owner is used elsewhere. */
export const origins: LimitsCase = {
  name: 'origins',
  what: 'a stolen key from another origin',
  async run() {
    const node = await startNode()
    const keys = createKeysFile({ page: `origins: ['${OWN}']` })
    const gateway = await startGateway({
      flags: ['--api-keys', keys.path, '--data-dir', 'none'],
      upstream: node.url,
    })
    const { port } = gateway
    const post = async (path: string, headers: Record<string, string>) => {
      const outgoing = request({
        agent: false,
        headers,
        host: '127.0.0.1',
        method: 'POST',
        path,
        port,
      })
      outgoing.end(callText('eth_chainId'))
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      incoming.resume()
      return incoming.statusCode ?? 0
    }
    const open = (headers: Record<string, string>) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/k/${secretOf('page')}`, { headers })
      return new Promise<number>((resolve) => {
        socket.on('open', () => resolve(101))
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
        socket.on('error', () => resolve(0))
      }).finally(() => socket.terminate())
    }
    const ways = (origin: Record<string, string>) => [
      post('/', { ...bearer('page'), ...origin }),
      post('/', { 'x-api-key': secretOf('page'), ...origin }),
      post(`/k/${secretOf('page')}`, origin),
      post(`/k/${secretOf('page')}/wei`, origin),
      open(origin),
    ]
    const stolen = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'https://app.example.evil.example' },
      { origin: 'http://app.example' },
      { origin: 'null' },
    ]
    const answers = await Promise.all(stolen.flatMap(ways))
    const own = await Promise.all(ways({ origin: OWN }))
    await gateway.end()
    keys.remove()
    return [
      none(
        `uses of ${answers.length} from elsewhere that were not answered with 401`,
        answers.filter((status) => status !== 401).length,
      ),
      none(
        `uses of ${own.length} from its origin that failed`,
        own.filter((status) => status !== 200 && status !== 101).length,
      ),
    ]
  },
}
