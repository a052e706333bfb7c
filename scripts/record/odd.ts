import { keys, labels } from '../../test/support/recordedChain.ts'
import type { Walked } from './chain.ts'
import type { Recorder } from './recorder.ts'

/** Requests that are wrong, strange, or only nearly right: the node's error bodies. */
export async function recordErrors(recorder: Recorder, walked: Walked): Promise<void> {
  const id = walked.transactions[0] ?? ''
  const missing = 'ab'.repeat(32)
  for (const name of ['gettransactionbyid', 'gettransactioninfobyid', 'getblockbyid'])
    for (const value of [missing, 'zz', 'abc', '', `0x${id}`, id.toUpperCase(), id.slice(2)])
      await recorder.both(name, { value })
  for (const id_or_num of [
    '-1',
    'x',
    '0x5',
    '00',
    missing,
    `${'0'.repeat(16)}${missing.slice(16)}`,
    '',
  ])
    await recorder.both('getblock', { id_or_num, detail: true })
  for (const num of [-1, 1.5, '5', 'x', null, 2 ** 63])
    for (const name of ['getblockbynum', 'gettransactioninfobyblocknum', 'getblockbylatestnum'])
      await recorder.both(name, { num })
  await recorder.both('getblockbylimitnext', { startNum: -5, endNum: 5 })
  for (const text of ['{', '[]', '"x"', 'null', 'visible', '{"address":1}', '{"nosuchfield":1}'])
    for (const name of ['getaccount', 'getcontract', 'triggerconstantcontract', 'validateaddress'])
      await recorder.askText(`/wallet/${name}`, text)
  for (const path of ['/wallet/nosuch', '/walletsolidity/getcontract', '/nosuch', '/']) {
    await recorder.ask(path, undefined, { method: 'GET' })
    await recorder.ask(path)
  }
  for (const name of [
    'createtransaction',
    'triggerconstantcontract',
    'broadcasttransaction',
    'getaccountbalance',
    'getaccount',
    'getcontract',
    'validateaddress',
  ])
    await recorder.ask(`/wallet/${name}`, undefined, { method: 'GET' })
  await recorder.ask(`/wallet/gettransactioninfobyblocknum?num=5`, undefined, { method: 'GET' })
  await recorder.ask(`/wallet/getaccount?address=${keys.bob.hex}`, undefined, { method: 'GET' })
  await recorder.ask(`/wallet/getnowblock?visible=true`, undefined, { method: 'GET' })

  const hash = walked.blocks[5]?.blockID ?? ''
  for (const block_identifier of [{ hash, number: 6 }, { hash: missing, number: 5 }, { number: 5 }])
    await recorder.ask('/wallet/getaccountbalance', {
      account_identifier: { address: keys.bob.hex },
      block_identifier,
    })
  await recorder.ask('/wallet/getblockbalance', { hash, number: 6 })
}

/** One address in every form that clients send. */
export async function recordAddressForms(recorder: Recorder): Promise<void> {
  const { base58, eth, hex } = keys.bob
  const forms = [
    hex,
    `0x${hex}`,
    hex.toUpperCase(),
    eth,
    eth.slice(2),
    base58,
    base58.slice(0, -1) + 'x',
    hex.slice(1),
    hex.slice(0, -2),
    'x',
    '',
    5,
  ]
  for (const visible of [false, true])
    for (const form of forms) {
      await recorder.both('getaccount', { address: form, visible })
      await recorder.ask('/wallet/getcontract', { value: form, visible })
      await recorder.ask('/wallet/validateaddress', { address: form, visible })
      await recorder.ask('/wallet/createtransaction', {
        owner_address: form,
        to_address: keys.alice.hex,
        amount: 1,
        visible,
      })
      await recorder.ask('/wallet/triggerconstantcontract', {
        owner_address: form,
        contract_address: labels.contracts.Kitchen.address,
        data: '2e52d606',
        visible,
      })
      await recorder.ask('/wallet/triggerconstantcontract', {
        owner_address: keys.alice.hex,
        contract_address: form,
        data: '2e52d606',
        visible,
      })
    }
  const { Kitchen } = labels.contracts
  await recorder.ask('/wallet/getcontract', { value: Kitchen.address.slice(2) })
  for (const id of [23, 120, 145])
    await recorder.ask('/wallet/getblockbynum', { num: id, visible: true })
}

/** Broadcasts that any node refuses: nothing is sent. */
export async function recordBroadcasts(recorder: Recorder, walked: Walked): Promise<void> {
  const known = walked.blocks.flatMap(({ transactions = [] }) => transactions)
  const old = known.find(({ signature }) => signature?.length)
  for (const body of [
    {},
    { raw_data: {} },
    old && { ...old, signature: ['00'.repeat(65)] },
    old && { ...old, signature: [] },
    old,
  ]) {
    if (!body) continue
    await recorder.ask('/wallet/broadcasttransaction', body)
    await recorder.ask('/wallet/getsignweight', body)
    await recorder.ask('/wallet/getapprovedlist', body)
  }
  for (const transaction of ['', 'zz', '0a00', `0a80${'00'.repeat(3)}`, 'c0'])
    await recorder.ask('/wallet/broadcasthex', { transaction })
  await recorder.ask('/wallet/broadcasthex', {})
}
