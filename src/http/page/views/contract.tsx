import { useContext } from 'hono/jsx'
import type { AbiFunction, Address, Hex } from 'viem'
import { getAddress } from 'viem/utils'

import { grouped } from '../../../codec/coin.ts'
import { parameterText } from '../abi.ts'
import { type Answer, type ContractFunctions, functionKey } from '../reads/contract.ts'
import type { Compilation, Token } from '../reads/source.ts'
import { View } from './parts.tsx'
import { SendersNote, type Senders } from './senders.tsx'

const ORIGINS: Readonly<Record<ContractFunctions['origin'], string>> = {
  chain: 'The ABI is stored on the chain or comes from your build folder.',
  given:
    'These functions come from the ABI that you gave. Your browser keeps it for this contract.',
  implementation: 'This is a proxy. These are its own functions and those of its implementation.',
  guessed:
    'The chain has no ABI for this contract. These functions of the token and access standards are in its code.',
}

/** The functions of a contract: to read in place, and to write with the wallet of the browser. */
export function ContractTab({
  address,
  answer,
  code,
  compilation,
  functions,
  senders,
  token,
  wallet,
}: {
  address: Address
  functions: ContractFunctions
  /** Absent where the contract is no token. */
  token: Token | undefined
  answer: Answer | undefined
  code: Hex
  /** What the compiler was given, where a build folder has it. */
  compilation: Compilation | undefined
  senders: Senders
  /** The chain as wallets add it, as JSON. */
  wallet: string
}) {
  return (
    <div id="contract" data-address={address} data-wallet={wallet}>
      <details class="panel fold needs-script" id="abi">
        <summary>Use another ABI</summary>
        <form id="abi-form">
          <label for="abi-text">ABI as JSON, or the file of a compiler</label>
          <textarea id="abi-text" rows={6} spellcheck={false} />
          <p class="inline">
            <label for="abi-file">File</label>
            <input id="abi-file" type="file" accept=".json,application/json" />
            <button type="submit">Show its functions</button>
            <button type="button" class="quiet" id="abi-forget" hidden>
              Forget it
            </button>
          </p>
          <p id="abi-answer" role="status"></p>
        </form>
      </details>
      <div id="functions">
        <Functions
          address={address}
          answer={answer}
          functions={functions}
          senders={senders}
          token={token}
        />
      </div>
      {compilation && <Sources compilation={compilation} />}
      <Code code={code} />
    </div>
  )
}

/** Characters of sources on one page. */
const MOST_SOURCE = 256 * 1024

/** The sources of a contract, its own file first. */
function Sources({ compilation: { compiler, file, input } }: { compilation: Compilation }) {
  let left = MOST_SOURCE
  const files = Object.entries(input.sources ?? {})
    .toSorted(([a], [b]) => Number(b === file) - Number(a === file))
    .filter(([, { content = '' }]) => content !== '' && (left -= content.length) >= 0)
  return (
    <section aria-labelledby="source">
      <h2 id="source">Source</h2>
      <p class="quiet">{`From a build folder, compiled with solc ${compiler}`}</p>
      {files.map(([name, { content }]) => (
        <details class="panel fold" open={name === file}>
          <summary>{name}</summary>
          <pre class="raw" tabindex={0}>
            {content}
          </pre>
        </details>
      ))}
    </section>
  )
}

/** The code of a contract, and the version that its compiler wrote behind it. */
function Code({ code }: { code: Hex }) {
  // solc ends its metadata with `solc`, three bytes of version, and the length.
  const [, version = ''] = /64736f6c6343([0-9a-f]{6})[0-9a-f]{4}$/.exec(code) ?? []
  const compiler = (version.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.')
  return (
    <section aria-labelledby="code">
      <h2 id="code">Code</h2>
      <p class="quiet">
        {`${grouped(code.length / 2 - 1)} bytes`}
        {compiler && `, compiled with solc ${compiler}, as the code itself says`}
      </p>
      <details class="panel fold">
        <summary>Bytes</summary>
        <pre class="raw" tabindex={0}>
          {code}
        </pre>
      </details>
    </section>
  )
}

/** Forms for functions. The page of a pasted ABI uses them too. */
export function Functions({
  address,
  answer,
  functions: { origin, read, write },
  senders,
  token,
}: {
  address: Address
  functions: ContractFunctions
  senders: Senders
  token: Token | undefined
  answer?: Answer | undefined
}) {
  return (
    <>
      <p class="quiet">{ORIGINS[origin]}</p>
      {read.length + write.length === 0 && (
        <p class="empty needs-script">Give its ABI above to call its functions.</p>
      )}
      {read.length > 0 && (
        <section aria-labelledby="read">
          <h2 id="read">Read</h2>
          <div class="functions">
            {read.map((entry, index) => (
              <FunctionForm
                address={address}
                answer={answer}
                entry={entry}
                id={`r${index}`}
                token={token}
              />
            ))}
          </div>
        </section>
      )}
      {write.length > 0 && (
        <section aria-labelledby="write" class="needs-script">
          <h2 id="write">Write</h2>
          <SendersNote senders={senders} />
          <p id="wallets" class="inline" data-senders={JSON.stringify(senders)}>
            <span class="quiet">No wallet was found in this browser.</span>
          </p>
          <div class="functions">
            {write.map((entry, index) => (
              <FunctionForm address={address} entry={entry} id={`w${index}`} token={token} writes />
            ))}
          </div>
        </section>
      )}
    </>
  )
}

/** A button that turns units into the smallest one. @param places - of the token; of the coin without one */
function Times({ places }: { places: number | undefined }) {
  const { decimals } = useContext(View)
  const power = places ?? decimals
  return (
    <button
      type="button"
      class="quiet needs-script"
      data-times={power}
      aria-label={`Multiply by 10 to the power of ${power}`}
    >
      ×10<sup>{power}</sup>
    </button>
  )
}

function FunctionForm({
  address,
  answer,
  entry,
  id,
  token,
  writes,
}: {
  address: Address
  entry: AbiFunction
  id: string
  answer?: Answer | undefined
  token: Token | undefined
  writes?: boolean
}) {
  const key = functionKey(entry)
  const own = answer?.key === key ? answer : undefined
  const isPayable = writes && entry.stateMutability === 'payable'
  const isPlain = entry.inputs.length === 0 && !isPayable
  const title = (
    <>
      <code>{entry.name}</code>
      {entry.outputs.length > 0 && (
        <span class="quiet"> → {entry.outputs.map(parameterText).join(', ')}</span>
      )}
    </>
  )
  const button = (
    <button type="submit" aria-label={`${writes ? 'Write' : 'Call'} ${entry.name}`}>
      {writes ? 'Write' : 'Call'}
    </button>
  )
  return (
    <form
      class="panel call"
      action={`/address/${getAddress(address)}#${id}`}
      id={id}
      data-entry={JSON.stringify(entry)}
      data-writes={writes}
    >
      <input type="hidden" name="tab" value="contract" />
      <input type="hidden" name="call" value={key} />
      {isPlain ? (
        <p class="inline">
          <span class="grow">{title}</span> {button}
        </p>
      ) : (
        <details open={own !== undefined}>
          <summary>{title}</summary>
          {entry.inputs.map((input, index) => (
            <p class="field">
              <label for={`${id}a${index}`}>{parameterText(input)}</label>
              {input.type === 'uint256' && <Times places={token?.decimals} />}
              <input
                id={`${id}a${index}`}
                name="arg"
                value={own?.args[index] ?? ''}
                required={input.type !== 'string' && input.type !== 'bytes'}
                autocomplete="off"
                spellcheck={false}
              />
            </p>
          ))}
          {isPayable && (
            <p class="field">
              <label for={`${id}v`}>coins to send</label>
              <input id={`${id}v`} name="coins" inputmode="decimal" value="0" required />
            </p>
          )}
          {button}
        </details>
      )}
      <output class={own?.error === undefined ? 'hex' : 'bad'}>{own?.error ?? own?.value}</output>
    </form>
  )
}
