import type { Address } from 'viem'

import type { Decoded } from '../../../codec/abi.ts'
import { grouped, plural } from '../../../codec/coin.ts'
import { toRpcAddress } from '../../../lib/address.ts'
import type { Int64 } from '../../../native/wire/types.ts'
import { valueText } from '../abi.ts'
import { utc } from '../format.ts'
import { operationOf } from '../operations.ts'
import { int } from '../reads/row.ts'
import type { Token } from '../reads/source.ts'
import type { ReadFrame, ReadLog, TransactionFacts } from '../reads/transaction.ts'
import { hexText } from '../text.ts'
import { Finality } from './block.tsx'
import {
  AddressLink,
  Amount,
  BlockLink,
  EnergyPrice,
  FactList,
  Folded,
  Hex,
  Outcome,
  Table,
  Time,
  TokenAmount,
} from './parts.tsx'
import { Moved, TransferTable } from './rows.tsx'
import { Sentence } from './sentence.tsx'

/** Logs and token transfers that are open; the others are folded. */
const OPEN_LOGS = 25

/** Calls below this depth are indented as this one: style.css has a class for each depth up to it. */
const DEEPEST = 4

/** One transaction: what it did, its fee, calls, logs and raw data. */
export function Transaction({ facts }: { facts: TransactionFacts }) {
  const { head, names, native, reason, receipt, row, signers, solid, transaction, type } = facts
  const { ethereumHash, transactionHash } = facts.status
  const name = (address: Address) => names.get(address)
  const memo = hexText(native?.raw_data.data)
  const expiry = native?.raw_data.expiration
  const permission = native?.raw_data.contract?.[0]?.Permission_id ?? 0
  const created = row.status === 'success' && receipt?.contractAddress
  return (
    <>
      <div class="panel hero">
        <p class="badges">
          <Outcome status={row.status} /> <span class="badge plain">{operationOf(type).name}</span>
        </p>
        <Sentence facts={facts} />
        {reason !== undefined && (
          <p class="reason">
            <strong>Reason</strong> {reason.text}
          </p>
        )}
        {reason?.data && (
          <details>
            <summary>Data of the error</summary>
            <pre class="raw" tabindex={0}>
              {reason.data}
            </pre>
            <form id="error-form" class="needs-script" data-error={reason.data}>
              <label for="error-abi">ABI as JSON that has this error</label>
              <textarea id="error-abi" rows={4} spellcheck={false} />
              <button type="submit">Decode it</button>
              <output id="error-answer"></output>
            </form>
          </details>
        )}
        {transaction.blockNumber ? (
          <Finality block={row.block} head={head} solid={solid} />
        ) : (
          <p class="quiet">{`It is not in a block yet: ${facts.status.evidence}.`}</p>
        )}
      </div>
      <FactList
        rows={[
          ethereumHash && ['Hash in your wallet', <Hex text={ethereumHash} label="hash" />],
          [ethereumHash ? 'Native id' : 'Hash', <Hex text={transactionHash} label="hash" />],
          transaction.blockNumber && [
            'Block',
            <>
              <BlockLink number={row.block} />{' '}
              <span class="quiet">{`position ${Number(transaction.transactionIndex)}`}</span>
            </>,
          ],
          row.time > 0 && ['Time', <Time seconds={row.time} exact />],
          ['From', <AddressLink address={row.from} name={name(row.from)} full />],
          created
            ? ['Created contract', <AddressLink address={created} name={name(created)} full />]
            : transaction.to && [
                'To',
                <AddressLink address={transaction.to} name={name(transaction.to)} full />,
              ],
          ['Value', <Amount value={BigInt(transaction.value)} />],
          row.token !== undefined && ['Token amount', <Moved row={row} />],
          row.token === undefined &&
            row.value !== BigInt(transaction.value) && ['Amount', <Moved row={row} />],
          ['Fee', <Fee facts={facts} />],
          BigInt(transaction.gas) > 0n && [
            'Energy',
            `${receipt ? `${grouped(Number(receipt.gasUsed))} used of ` : ''}${grouped(Number(transaction.gas))}`,
          ],
          [
            'Energy price',
            <EnergyPrice value={BigInt(receipt?.effectiveGasPrice ?? transaction.gasPrice)} />,
          ],
          ['Nonce', grouped(Number(transaction.nonce))],
          ['Type', `${Number(transaction.type)}${type === undefined ? '' : `, native ${type}`}`],
          memo && ['Memo', memo],
          signers.length > 0 && [
            signers.length === 1 ? 'Signed by' : `Signed by ${signers.length}`,
            <>
              {signers.map((address) => (
                <AddressLink address={address} name={name(address)} />
              ))}
              {permission > 0 && <span class="quiet">{` with permission ${permission}`}</span>}
            </>,
          ],
          // Later times are no dates.
          Number.isSafeInteger(expiry) &&
            Number(expiry) <= 8e15 && ['Valid until', utc(Number(expiry))],
        ]}
      />
      <Transfers facts={facts} />
      {facts.call && (
        <section aria-labelledby="call">
          <h2 id="call">Call</h2>
          <Decoded
            call={facts.call}
            token={transaction.to ? facts.tokens.get(transaction.to) : undefined}
          />
        </section>
      )}
      <Calls facts={facts} />
      {facts.logs.length > 0 && (
        <section aria-labelledby="logs">
          <h2 id="logs">Logs ({grouped(receipt?.logs.length ?? 0)})</h2>
          <Folded
            limit={OPEN_LOGS}
            noun="logs"
            items={facts.logs.map((log) => (
              <Log read={log} token={facts.tokens.get(log.log.address)} />
            ))}
          />
          {(receipt?.logs.length ?? 0) > facts.logs.length && (
            <p class="quiet">Only the first {grouped(facts.logs.length)} logs are shown.</p>
          )}
        </section>
      )}
      <Raw facts={facts} />
    </>
  )
}

/** The token transfers; those beyond the first ones are folded. */
function Transfers({ facts: { names, transfers } }: { facts: TransactionFacts }) {
  if (transfers.length === 0) return <></>
  const rest = transfers.slice(OPEN_LOGS)
  return (
    <>
      <TransferTable
        caption="Token transfers"
        names={names}
        transfers={transfers.slice(0, OPEN_LOGS)}
      />
      {rest.length > 0 && (
        <details class="more">
          <summary>{plural(rest.length, 'more transfer')}</summary>
          <TransferTable caption="More token transfers" names={names} transfers={rest} />
        </details>
      )}
    </>
  )
}

/** The fee in its parts: what was burned, and what staked resources paid. */
function Fee({ facts: { info, native, receipt, transaction } }: { facts: TransactionFacts }) {
  const parts = info?.receipt ?? {}
  const price = BigInt(receipt?.effectiveGasPrice ?? transaction.gasPrice)
  const gas = Number(receipt?.gasUsed ?? '0x0')
  const coins = (what: string, amount: Int64 | undefined) =>
    int(amount) > 0n && (
      <>
        {what}: <Amount value={int(amount)} />
      </>
    )
  const units = (amount: Int64 | undefined, what: string) =>
    int(amount) > 0n && `${grouped(int(amount))} ${what}`
  const rows = [
    coins('energy burned', parts.energy_fee),
    coins('bandwidth burned', parts.net_fee),
    units(parts.energy_usage, 'energy from the stake of the sender'),
    units(parts.origin_energy_usage, 'energy paid by the contract’s creator'),
    units(parts.energy_penalty_total, 'energy added for a busy contract'),
    units(parts.net_usage, 'bandwidth, free or from the stake'),
    coins('limit', native?.raw_data.fee_limit),
  ].filter((row) => row !== false)
  const burned = int(info?.fee)
  return (
    <>
      <Amount value={burned === 0n && receipt && native?.ethereum ? price * BigInt(gas) : burned} />
      {rows.length > 0 && (
        <ul class="parts">
          {rows.map((row) => (
            <li>{row}</li>
          ))}
          <li>
            <a href="/connect#words">What energy is</a>
          </li>
        </ul>
      )}
    </>
  )
}

/** The calls inside: as a tree where the chain traces, otherwise the transfers that the node recorded. */
function Calls({ facts }: { facts: TransactionFacts }) {
  const { frames, internal, names, nativeTokens } = facts
  if (frames)
    return frames.length < 2 ? (
      <></>
    ) : (
      <section aria-labelledby="calls">
        <h2 id="calls">Calls inside ({grouped(frames.length - 1)})</h2>
        <ol class="tree panel">
          {frames.map((one) => (
            <Frame read={one} />
          ))}
        </ol>
      </section>
    )
  if (internal.length === 0) return <></>
  return (
    <Table
      caption="Calls inside"
      columns={['What', 'From', 'To', ['Amount', 'main'], ['Outcome', 'main']]}
      rows={internal.map((inner) => [
        hexText(inner.note) ?? '',
        <AddressLink
          address={toRpcAddress(inner.caller_address)}
          name={names.get(toRpcAddress(inner.caller_address))}
        />,
        <AddressLink
          address={toRpcAddress(inner.transferTo_address)}
          name={names.get(toRpcAddress(inner.transferTo_address))}
        />,
        <>
          {(inner.callValueInfo ?? []).map(({ callValue, tokenId }) =>
            tokenId ? (
              `${grouped(int(callValue))} of ${nativeTokens.get(tokenId)?.name ?? tokenId}`
            ) : (
              <Amount value={int(callValue)} />
            ),
          )}
        </>,
        <Outcome status={inner.rejected ? 'failed' : 'success'} />,
      ])}
    />
  )
}

function Frame({ read: { call, depth, failure, frame, name, result } }: { read: ReadFrame }) {
  const value = BigInt(frame.value ?? '0x0')
  return (
    <li class={`depth-${Math.min(depth, DEEPEST)}`}>
      <span class="kind">{frame.type.toLowerCase()}</span>
      {frame.to ? <AddressLink address={frame.to} name={name} /> : <span class="quiet">none</span>}
      {(call || (frame.input ?? '0x') !== '0x') && (
        <code>
          {call ?? (frame.type.startsWith('CREATE') ? 'code' : frame.input?.slice(0, 10))}
        </code>
      )}
      {result && <code class="quiet">→ {result}</code>}
      {value > 0n && <Amount value={value} />}
      {frame.gasUsed && <span class="quiet">{`${grouped(Number(frame.gasUsed))} energy`}</span>}
      {failure && <span class="bad">{failure}</span>}
    </li>
  )
}

/** A log with its decoded event. */
export function Log({
  read: { event, log, name },
  token,
}: {
  read: ReadLog
  token: Token | undefined
}) {
  return (
    <article class="panel log">
      <h3>
        <span class="index">{Number(log.logIndex)}</span> {event?.name ?? 'Unknown event'}{' '}
        <span class="quiet">of</span> <AddressLink address={log.address} name={name} />
      </h3>
      {event && <Params call={event} token={token} />}
      <details {...(!event && { open: true })}>
        <summary>Topics and data</summary>
        <ol class="topics">
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

function Decoded({ call, token }: { call: Decoded; token: Token | undefined }) {
  return (
    <div class="panel log">
      <p>
        <code>{call.signature}</code>
      </p>
      <Params call={call} token={token} />
    </div>
  )
}

/** Parameters of a call or event. @param token - the contract, if it is a token: amounts are shown in its units too */
function Params({ call: { params }, token }: { call: Decoded; token: Token | undefined }) {
  return (
    <dl class="params">
      {params.map(({ name, type, value }) => (
        <div>
          <dt>
            {name} <small>{type}</small>
          </dt>
          <dd>
            {type === 'address' ? (
              <AddressLink address={String(value).toLowerCase() as Address} full />
            ) : (
              <span class="hex">{valueText(value)}</span>
            )}
            {token && /^(value|amount|wad)$/.test(name) && typeof value === 'bigint' && (
              <span class="quiet">
                {' '}
                <TokenAmount amount={value} token={token} />
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Raw({ facts: { info, native, transaction } }: { facts: TransactionFacts }) {
  const parts: [string, unknown][] = [
    ['Transaction as Ethereum shows it', transaction],
    ['Native transaction', native],
    ['Native outcome', info],
  ]
  return (
    <section aria-labelledby="raw">
      <h2 id="raw">Raw data</h2>
      {transaction.input !== '0x' && (
        <details class="panel fold">
          <summary>{transaction.to ? 'Call data' : 'Creation code'}</summary>
          <pre class="raw" tabindex={0}>
            {transaction.input}
          </pre>
        </details>
      )}
      {parts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <details class="panel fold">
            <summary>{name}</summary>
            <pre class="raw" tabindex={0}>
              {JSON.stringify(
                value,
                (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one),
                2,
              )}
            </pre>
          </details>
        ))}
    </section>
  )
}
