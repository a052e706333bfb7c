import { describe, expect, test } from 'vitest'

import { withChecksum } from '../../src/lib/address.ts'
import { ethgate, startRpc } from '../support/cli.ts'
import { startReplayNode } from '../support/node.ts'
import { ALICE, CUSTOM_ERROR } from './cliSamples.ts'
import { useReplayNode } from './cliSetup.ts'

const shared = useReplayNode()

describe('native', () => {
  test('default: an operation in any letter case, exact answer', async () => {
    const answers = await Promise.all(
      ['getnowblock', 'GetNowBlock', 'get_now_block', '/wallet/getnowblock'].map((name) =>
        ethgate(['native', name, '--node', shared.node.url]),
      ),
    )
    for (const answer of answers) {
      expect(answer.code).toBe(0)
      expect(JSON.parse(answer.stdout)).toMatchObject({
        block_header: { raw_data: { number: 223 } },
      })
    }
  })

  test('args: name=value, addresses in any format, --table', async () => {
    const run = await ethgate([
      'native',
      'getaccount',
      `address=${ALICE.base58}`,
      '--node',
      shared.node.url,
      '--table',
    ])
    expect(run.code).toBe(0)
    expect(run.stdout).toContain(`address                ${withChecksum(ALICE.eth)}\n`)
    expect(run.stdout).toContain('balance                19,797,579.273724 coins\n')
    const same = await ethgate(['native', 'getaccount', '-', '--node', shared.node.url], {
      input: `{"address":"${ALICE.eth}"}`,
    })
    expect(JSON.parse(same.stdout)).toMatchObject({ address: ALICE.hex })
  })

  test('args: --solidity asks the other prefix', async () => {
    shared.node.requests.reset()
    await ethgate([
      'native',
      'getnowblock',
      '--solidity',
      '--node',
      shared.node.url,
      '--node-solidity',
      shared.node.solidityUrl,
    ])
    // A development chain says at the first path which unit its amounts have.
    const asked = ['/chain.json', '/walletsolidity/getnowblock']
    expect(shared.node.requests.paths().toSorted()).toEqual(asked)
  })

  test('args: --list', async () => {
    const run = await ethgate(['native', '--list'])
    const list = JSON.parse(run.stdout) as { name: string; path: string }[]
    expect(list).toContainEqual({ name: 'getBurnNative', path: 'getburntrx', solidity: true })
    expect(list.length).toBeGreaterThan(80)
  })

  test('error: the node’s text, a misspelt operation, no node', async () => {
    const server = await startRpc(() => ({ status: 404, text: '' }))
    const misspelt = await ethgate(['native', 'getnowblok', '--node', server.url])
    expect(misspelt).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ethgate: there is no operation getnowblok; did you mean getnowblock?\n',
    })
    const disabled = await startReplayNode({
      intercept: () => ({
        status: 404,
        text: '{"Error":"this API is unavailable due to config"}',
      }),
    })
    const same = await ethgate(['native', 'getnowblok', '--node', disabled.url])
    await disabled.close()
    expect(same.stderr).toBe(misspelt.stderr)
    const away = await ethgate(['native', 'getnowblock', '--rpc-url', server.url])
    expect(away.stderr).toContain('give a node with --node')
    await server.close()

    const refusal = await startReplayNode({
      intercept: () => ({
        text: '{"Error":"class org.tron.core.exception.ContractValidateException : Invalid ownerAddress!"}',
      }),
    })
    const refused = await ethgate(['native', 'createtransaction', '{}', '--node', refusal.url])
    await refusal.close()
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ethgate: createtransaction: Invalid ownerAddress!\n',
    })
  })

  test('error: a constant call that reverts prints its answer and exits with 3', async () => {
    const answer = `{"result":{"result":true,"message":"524556455254206f70636f6465206578656375746564"},"constant_result":["${CUSTOM_ERROR.slice(2)}"],"transaction":{"ret":[{"ret":"FAILED"}]}}`
    const reverting = await startReplayNode({ intercept: () => ({ text: answer }) })
    const run = await ethgate(['native', 'triggerconstantcontract', '{}', '--node', reverting.url])
    await reverting.close()
    expect(run.code).toBe(3)
    expect(run.stdout).toBe(`${answer}\n`)
    expect(run.stderr).toContain('triggerconstantcontract: execution reverted')
  })
})
