import type { Abi, Address } from 'viem'

import type { RpcLog } from '../../../codec/types.ts'
import type { TransactionInfo } from '../../../native/wire/types.ts'
import { type DecodedCall, decodeInput, decodeLog } from '../decode.ts'
import type { TransactionFacts } from '../facts.ts'
import { coins, grouped, hexText, toNumber } from '../format.ts'
import { noteInWords, typeInWords } from '../words.ts'
import { amountText } from './block.tsx'
import { AddressLink, BlockLink, Coins, FactList, Outcome, Table, Time } from './parts.tsx'

/** One transaction: its facts, input, logs and internal transactions. */
export function Transaction({
  facts,
  failureOf,
  now,
}: {
  facts: TransactionFacts
  failureOf: (info: TransactionInfo) => string
  now: number
}) {
  const { abis, info, internal, native, receipt, transaction } = facts
  const contract = native?.raw_data.contract?.[0]
  const energyPrice = BigInt(receipt?.effectiveGasPrice ?? transaction.gasPrice)
  const memo = hexText(native?.raw_data.data)
  const failure = info?.resMessage ? failureOf(info) : ''
  return (
    <>
      <FactList
        rows={[
          ['Hash', <span class="hex">{transaction.hash}</span>],
          ['Outcome', <Outcome status={receipt?.status} />],
          failure ? ['Reason', failure] : undefined,
          ['Type', typeInWords(contract?.type)],
          [
            'Block',
            transaction.blockNumber ? (
              <BlockLink number={toNumber(transaction.blockNumber)} />
            ) : (
              'not in a block yet'
            ),
          ],
          transaction.blockTimestamp
            ? ['Time', <Time seconds={toNumber(transaction.blockTimestamp)} now={now} exact />]
            : undefined,
          ['From', <AddressLink address={transaction.from} full />],
          ['To', transaction.to ? <AddressLink address={transaction.to} full /> : 'none'],
          receipt?.contractAddress
            ? ['Created contract', <AddressLink address={receipt.contractAddress} full />]
            : undefined,
          ['Amount', amountText(contract?.type, transaction.value)],
          ['Fee', <Coins sun={BigInt(info?.fee ?? 0)} />],
          receipt
            ? [
                'Energy used',
                `${grouped(toNumber(receipt.gasUsed))} of ${grouped(toNumber(transaction.gas))}, at ${grouped(energyPrice)} sun`,
              ]
            : undefined,
          info?.receipt?.net_usage === undefined
            ? undefined
            : ['Bandwidth used', grouped(info.receipt.net_usage)],
          native?.raw_data.fee_limit === undefined
            ? undefined
            : ['Fee limit', coins(BigInt(native.raw_data.fee_limit))],
          memo ? ['Memo', memo] : undefined,
        ]}
      />
      {transaction.input !== '0x' && (
        <section aria-labelledby="input">
          <h2 id="input">Input</h2>
          <Input
            input={transaction.input}
            abi={(transaction.to && abis.get(transaction.to)) ?? []}
            creation={transaction.to === null}
          />
        </section>
      )}
      {receipt && receipt.logs.length > 0 && (
        <section aria-labelledby="logs">
          <h2 id="logs">Logs ({grouped(receipt.logs.length)})</h2>
          {receipt.logs.slice(0, MAX_LOGS).map((log) => (
            <Log log={log} abi={abis.get(log.address) ?? []} />
          ))}
          {receipt.logs.length > MAX_LOGS && <p>Only the first {MAX_LOGS} logs are shown.</p>}
        </section>
      )}
      {internal.length > 0 && (
        <section aria-labelledby="internal">
          <h2 id="internal">Internal transactions</h2>
          <Table caption="Internal transactions" head={['What', 'From', 'To', 'Amount', 'Outcome']}>
            {internal.map((inner) => (
              <tr>
                <td>{noteInWords(hexText(inner.note) ?? '')}</td>
                <td>
                  <AddressLink address={toAddress(inner.caller_address)} />
                </td>
                <td>
                  <AddressLink address={toAddress(inner.transferTo_address)} />
                </td>
                <td class="number">
                  {(inner.callValueInfo ?? [])
                    .filter(({ callValue }) => callValue !== undefined)
                    .map(({ callValue, tokenId }) =>
                      tokenId
                        ? `${grouped(BigInt(callValue ?? 0))} of token ${tokenId}`
                        : coins(BigInt(callValue ?? 0)),
                    )
                    .join(', ')}
                </td>
                <td>
                  <Outcome status={inner.rejected ? '0x0' : '0x1'} />
                </td>
              </tr>
            ))}
          </Table>
        </section>
      )}
    </>
  )
}

/** Logs that one page shows. */
const MAX_LOGS = 200

function Input({
  abi,
  creation,
  input,
}: {
  input: TransactionFacts['transaction']['input']
  abi: Abi
  creation: boolean
}) {
  const decoded = creation ? undefined : decodeInput(input, abi)
  return (
    <>
      {decoded && <Decoded call={decoded} />}
      <details {...(!decoded && { open: true })}>
        <summary>{creation ? 'Creation code' : 'Call data'}</summary>
        <pre class="raw" tabindex={0}>
          {input}
        </pre>
      </details>
    </>
  )
}

function Log({ abi, log }: { log: RpcLog; abi: Abi }) {
  const decoded = decodeLog(log, abi)
  return (
    <article class="log">
      <h3>
        {toNumber(log.logIndex)}. {decoded?.name ?? 'Unknown event'} of{' '}
        <AddressLink address={log.address} />
      </h3>
      {decoded && <Decoded call={decoded} />}
      <details>
        <summary>Topics and data</summary>
        <ol>
          {log.topics.map((topic) => (
            <li class="hex">{topic}</li>
          ))}
        </ol>
        <pre class="raw" tabindex={0}>
          {log.data}
        </pre>
      </details>
    </article>
  )
}

function Decoded({ call }: { call: DecodedCall }) {
  return (
    <div class="decoded">
      <p>
        <code>{call.name}</code>
      </p>
      <FactList
        rows={call.args.map(({ name, type, value }) => [
          type ? `${name} (${type})` : name,
          type === 'address' ? (
            <AddressLink address={value.toLowerCase() as Address} full />
          ) : (
            <span class="hex">{value}</span>
          ),
        ])}
      />
    </div>
  )
}

function toAddress(hex: string | undefined): Address {
  return `0x${(hex ?? '').slice(-40).padStart(40, '0')}`
}
