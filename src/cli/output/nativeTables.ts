import { grouped } from '../../codec/coin.ts'
import { get, integer, isRecord, scalar } from '../base/json.ts'
import { textOf } from '../base/node.ts'
import type { Terminal } from '../base/terminal.ts'
import type { Unit } from '../text/unit.ts'
import { accountFields, permissionFields, resourceFields } from './accountFields.ts'
import { coins, shortHex, date, filled, list, memo, shownAddress, shownHash } from './fields.ts'
import { renderFields, renderRows, renderValue, time } from './table.ts'

/** Formats an answer of the native interface for a terminal: known operations by meaning, others field by field. */
export function renderAnswer(
  terminal: Terminal,
  path: string,
  answer: unknown,
  unit: Unit,
): string {
  const render = TABLES[path]
  return (
    (isRecord(answer) && Object.keys(answer).length > 0
      ? render?.(terminal, answer, unit)
      : undefined) ?? renderValue(terminal, answer)
  )
}

type Answer = Record<string, unknown>
type Render = (terminal: Terminal, answer: Answer, unit: Unit) => string | undefined

const block: Render = (terminal, answer, unit) => {
  const raw = get(answer, 'block_header', 'raw_data')
  if (!isRecord(raw)) return undefined
  const transactions = list(answer['transactions'])
  const fields = renderFields(terminal, [
    ['number', grouped(integer(raw['number']))],
    ['id', shownHash(answer['blockID'])],
    ['parent', shownHash(raw['parentHash'])],
    ['time', time(Number(integer(raw['timestamp'])))],
    ['producer', shownAddress(raw['witness_address'])],
    ['transactions', String(transactions.length)],
  ])
  return transactions.length === 0
    ? fields
    : `${fields}\n\n${transactionRows(terminal, transactions, unit)}`
}

const blocks: Render = (terminal, answer) => {
  const rows = list(answer['block']).map((item) => {
    const raw = get(item, 'block_header', 'raw_data')
    return [
      grouped(integer(get(raw, 'number'))),
      shownHash(get(item, 'blockID')),
      time(Number(integer(get(raw, 'timestamp')))),
      String(list(get(item, 'transactions')).length),
    ]
  })
  return renderRows(terminal, ['number', 'id', 'time', 'transactions'], rows, [0, 3])
}

function transactionRows(terminal: Terminal, transactions: readonly unknown[], unit: Unit): string {
  const rows = transactions.map((transaction) => {
    const { type, from, to, amount } = summary(transaction, unit)
    const result = scalar(get(list(get(transaction, 'ret'))[0], 'contractRet')) ?? ''
    return [
      shownHash(get(transaction, 'txID')),
      type,
      from,
      to,
      amount,
      result === 'SUCCESS' ? terminal.green(result) : terminal.red(result),
    ]
  })
  return renderRows(terminal, ['transaction', 'type', 'from', 'to', 'amount', 'result'], rows, [4])
}

function summary(transaction: unknown, unit: Unit) {
  const contract = list(get(transaction, 'raw_data', 'contract'))[0]
  const value = get(contract, 'parameter', 'value')
  const type = (scalar(get(contract, 'type')) ?? '').replace(/Contract$/, '')
  const token = get(value, 'asset_name')
  const amount = get(value, 'amount') ?? get(value, 'call_value') ?? get(value, 'frozen_balance')
  return {
    type,
    from: shownAddress(get(value, 'owner_address')),
    to: shownAddress(
      get(value, 'to_address') ?? get(value, 'contract_address') ?? get(value, 'receiver_address'),
    ),
    amount:
      amount === undefined
        ? ''
        : token === undefined
          ? unit.text(integer(amount))
          : `${grouped(integer(amount))} of token ${textOf(scalar(token) ?? '')}`,
  }
}

const transaction: Render = (terminal, answer, unit) => {
  const { type, from, to, amount } = summary(answer, unit)
  if (type === '') return undefined
  const raw = answer['raw_data']
  const ret = list(answer['ret'])[0]
  return renderFields(
    terminal,
    filled([
      ['id', shownHash(answer['txID'])],
      ['type', type],
      ['from', from],
      ['to', to],
      ['amount', amount],
      ['data', shortHex(scalar(get(list(get(raw, 'contract'))[0], 'parameter', 'value', 'data')))],
      ['fee limit', coins(get(raw, 'fee_limit'), unit)],
      ['memo', memo(get(raw, 'data'))],
      ['expires', date(get(raw, 'expiration'))],
      ['signatures', String(list(answer['signature']).length)],
      ['result', scalar(get(ret, 'contractRet'))],
    ]),
  )
}

const info: Render = (terminal, answer, unit) => {
  const receipt = answer['receipt']
  const logs = list(answer['log'])
  const failed = answer['result'] === 'FAILED'
  const result = scalar(get(receipt, 'result')) ?? (failed ? 'FAILED' : 'SUCCESS')
  return renderFields(
    terminal,
    filled([
      ['id', shownHash(answer['id'])],
      ['block', grouped(integer(answer['blockNumber']))],
      ['time', date(answer['blockTimeStamp'])],
      ['result', result === 'SUCCESS' ? terminal.green(result) : terminal.red(result)],
      ['message', memo(answer['resMessage'])],
      ['contract', shownAddress(answer['contract_address'])],
      ['fee burned', unit.text(integer(answer['fee']))],
      ['energy', grouped(integer(get(receipt, 'energy_usage_total')))],
      ['bandwidth', grouped(integer(get(receipt, 'net_usage')))],
      ['logs', String(logs.length)],
      ['output', shortHex(scalar(list(answer['contractResult'])[0]))],
    ]),
  )
}

const account: Render = (terminal, answer, unit) =>
  renderFields(terminal, [...accountFields(answer, unit), ...permissionFields(answer)])

const resources: Render = (terminal, answer) => renderFields(terminal, resourceFields(answer))

const parameters: Render = (terminal, answer) =>
  renderRows(
    terminal,
    ['parameter', 'value'],
    list(answer['chainParameter']).map((entry) => [
      scalar(get(entry, 'key')) ?? '',
      grouped(integer(get(entry, 'value'))),
    ]),
    [1],
  )

const witnesses: Render = (terminal, answer) =>
  renderRows(
    terminal,
    ['producer', 'votes', 'produced', 'missed', 'active', 'url'],
    list(answer['witnesses']).map((entry) => [
      shownAddress(get(entry, 'address')),
      grouped(integer(get(entry, 'voteCount'))),
      grouped(integer(get(entry, 'totalProduced'))),
      grouped(integer(get(entry, 'totalMissed'))),
      get(entry, 'isJobs') === true ? 'yes' : '',
      textOf(scalar(get(entry, 'url')) ?? ''),
    ]),
    [1, 2, 3],
  )

const prices: Render = (terminal, answer) =>
  renderRows(
    terminal,
    ['since', 'sun'],
    (scalar(answer['prices']) ?? '').split(',').map((entry) => {
      const [at = '0', price = ''] = entry.split(':')
      return [at === '0' ? 'genesis' : time(Number(at)), price]
    }),
    [1],
  )

const TABLES: Record<string, Render | undefined> = {
  getnowblock: block,
  getblock: block,
  getblockbynum: block,
  getblockbyid: block,
  getblockbylimitnext: blocks,
  getblockbylatestnum: blocks,
  gettransactionbyid: transaction,
  gettransactionfrompending: transaction,
  gettransactioninfobyid: info,
  getaccount: account,
  getaccountresource: resources,
  getchainparameters: parameters,
  listwitnesses: witnesses,
  getenergyprices: prices,
  getbandwidthprices: prices,
  getmemofee: prices,
}
