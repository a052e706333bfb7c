import { toBase58Address } from '../../../lib/address.ts'
import { decodeLog, isZeroAddress, parameterText, readFunctions } from '../decode.ts'
import { type AddressFacts, functionKey } from '../facts.ts'
import { grouped, toNumber, units, utc } from '../format.ts'
import { AddressLink, BlockLink, Coins, Copy, FactList, Table, TransactionLink } from './parts.tsx'

/** The result of a read function of the contract, or its error. */
export type ReadResult = { key: string; args: readonly string[]; value?: string; error?: string }

/** One account or contract. */
export function AddressPage({
  facts,
  read,
}: {
  facts: AddressFacts
  read: ReadResult | undefined
}) {
  const { account, address, contract, hasCode, resources, tokens } = facts
  const base58 = toBase58Address(address)
  const functions = hasCode ? readFunctions(facts.abi) : []
  const energyLimit = resources?.EnergyLimit ?? 0
  const bandwidthLimit = (resources?.freeNetLimit ?? 0) + (resources?.NetLimit ?? 0)
  const bandwidthUsed = (resources?.freeNetUsed ?? 0) + (resources?.NetUsed ?? 0)
  return (
    <>
      <FactList
        rows={[
          [
            'Address',
            <>
              <span class="hex">{address}</span> <Copy text={address} label="address" />
            </>,
          ],
          [
            'Native address',
            <>
              <span class="hex">{base58}</span> <Copy text={base58} label="native address" />
            </>,
          ],
          ['Balance', <Coins sun={facts.balance} />],
          ['Code', hasCode ? `yes${contract?.name ? `, ${contract.name}` : ''}` : 'no'],
          contract
            ? ['Created by', <AddressLink address={`0x${contract.origin_address.slice(2)}`} full />]
            : undefined,
          ['Energy', `${grouped(resources?.EnergyUsed ?? 0)} of ${grouped(energyLimit)} used`],
          ['Bandwidth', `${grouped(bandwidthUsed)} of ${grouped(bandwidthLimit)} used`],
          account?.create_time === undefined ? undefined : ['Created', utc(account.create_time)],
        ]}
      />
      {!account && !hasCode && <p>This address has never been used on this chain.</p>}
      {tokens.length > 0 && (
        <Table caption="Tokens (TRC-10)" head={['Token', 'Id', 'Amount']}>
          {tokens.map(({ amount, id, name, precision }) => (
            <tr>
              <td>{name}</td>
              <td>{id}</td>
              <td class="number">{units(amount, precision)}</td>
            </tr>
          ))}
        </Table>
      )}
      {functions.length > 0 && (
        <section aria-labelledby="functions">
          <h2 id="functions">Read functions</h2>
          {facts.abi.length === 0 && (
            <p>The chain has no ABI for this contract. These are the functions of a token.</p>
          )}
          {functions.map((entry, position) => {
            const key = functionKey(entry)
            const result = read?.key === key ? read : undefined
            return (
              <form class="call" action={`/address/${address}#f${position}`} id={`f${position}`}>
                <input type="hidden" name="call" value={key} />
                <p>
                  <code>
                    {entry.name}({entry.inputs.map(parameterText).join(', ')})
                  </code>
                </p>
                {entry.inputs.map((input, index) => (
                  <p>
                    <label for={`f${position}a${index}`}>{parameterText(input)}</label>
                    <input
                      id={`f${position}a${index}`}
                      name="arg"
                      value={result?.args[index] ?? ''}
                      required
                      autocomplete="off"
                    />
                  </p>
                ))}
                <button type="submit" aria-label={`Call ${entry.name}`}>
                  Call
                </button>
                {result && (
                  <output class={result.error === undefined ? 'hex' : 'bad hex'}>
                    {result.error ?? result.value}
                  </output>
                )}
              </form>
            )
          })}
        </section>
      )}
      <Transfers facts={facts} />
    </>
  )
}

function Transfers({ facts: { abi, address, transfers } }: { facts: AddressFacts }) {
  if (!transfers) return <p>Token transfers could not be read. Try again later.</p>
  const { from, logs, to } = transfers
  const range = `blocks ${grouped(from)} to ${grouped(to)}`
  if (logs.length === 0) return <p>No token transfers in {range}.</p>
  return (
    <>
      <Table
        caption={`Token transfers in ${range}`}
        head={['Block', 'Transaction', 'Token', 'From', 'To', 'Amount or id']}
      >
        {logs.slice(0, MAX_TRANSFERS).map((log) => {
          const args = decodeLog(log, abi)?.args ?? []
          return (
            <tr>
              <td>
                <BlockLink number={toNumber(log.blockNumber)} />
              </td>
              <td>
                <TransactionLink hash={log.transactionHash} />
              </td>
              <td>
                <AddressLink address={log.address} />
              </td>
              {[0, 1].map((index) => {
                const party = `0x${log.topics[index + 1]?.slice(-40) ?? ''}` as const
                return (
                  <td>
                    {isZeroAddress(party) ? (
                      'none'
                    ) : party === address ? (
                      'this address'
                    ) : (
                      <AddressLink address={party} />
                    )}
                  </td>
                )
              })}
              <td class="number hex">{args[2]?.value ?? ''}</td>
            </tr>
          )
        })}
      </Table>
      {logs.length > MAX_TRANSFERS && <p>Only the newest {MAX_TRANSFERS} transfers are shown.</p>}
    </>
  )
}

/** Transfers that one page shows. */
const MAX_TRANSFERS = 50
