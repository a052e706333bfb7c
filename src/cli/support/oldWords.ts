/** What replaced a command, and for words of cast what does the same here. */
const COMMANDS: Readonly<Record<string, string>> = {
  // Earlier versions.
  'account convert': 'use "ethgate address ADDRESS", or "ethgate keys show" for a key',
  'account new': 'use "ethgate keys new"',
  wallet: 'operations of a node are "ethgate native OPERATION", keys are "ethgate keys"',
  // cast.
  'abi-decode': 'use "ethgate decode abi SIGNATURE DATA"',
  'abi-encode': 'use "ethgate encode abi SIGNATURE ARGS"',
  '4byte-calldata': 'use "ethgate decode DATA"',
  '4byte-event': 'use "ethgate 4byte TOPIC"',
  age: 'use "ethgate block BLOCK -f timestamp"',
  calldata: 'use "ethgate encode calldata SIGNATURE ARGS"',
  client: 'use "ethgate rpc web3_clientVersion"',
  codesize: 'use "ethgate code ADDRESS"',
  completions: 'use "ethgate completion SHELL"',
  'compute-address':
    'the address of a contract depends on its transaction; "ethgate send" prints it',
  'decode-abi': 'use "ethgate decode abi SIGNATURE DATA"',
  'decode-calldata': 'use "ethgate decode calldata SIGNATURE DATA"',
  'decode-error': 'use "ethgate decode error DATA --sig SIGNATURE"',
  'decode-event': 'use "ethgate decode event DATA --sig SIGNATURE --topic TOPIC"',
  'decode-transaction': 'use "ethgate decode BYTES"',
  'format-units': 'use "ethgate from-unit AMOUNT UNIT"',
  'from-wei': 'use "ethgate from-unit AMOUNT wei"',
  'lookup-address': 'this chain has no names; "ethgate address" shows an address in every format',
  'parse-units': 'use "ethgate to-unit AMOUNT UNIT"',
  publish: 'use "ethgate rpc eth_sendRawTransaction BYTES"',
  'resolve-name': 'this chain has no names; "ethgate address" shows an address in every format',
  'sig-event': 'use "ethgate keccak EVENT"',
  'to-check-sum-address': 'use "ethgate address ADDRESS"',
  'to-wei': 'use "ethgate to-unit AMOUNT wei"',
}

/** What replaced an option of an earlier version. */
const OPTIONS: Readonly<Record<string, string>> = {
  '--amount': 'it is now --value, such as --value 1.5coin',
  '--deploy': 'it is now --create FILE',
  '--raw': 'text is printed without quotes in a pipe',
  '--returns': 'use "ethgate decode abi \'f()(TYPES)\' DATA"',
  '--rpc': 'it is now --rpc-url, as in cast',
  '--save': 'it is now --key-file FILE',
  '--sig': 'the signature is the second argument: ethgate send ADDRESS SIGNATURE ARGS',
  '--to': 'the receiver is the first argument: ethgate send ADDRESS --value 1.5coin',
  '--topic': 'topics are arguments: ethgate logs EVENT ARGS',
  '--wait': 'send waits for the block unless --async is given',
}

/** The line for a word or an option that does not exist here but did, or does in cast; undefined for any other. */
export function answerFor(line: string, path: string): string | undefined {
  const command = `${path} ${/^unknown command '([^']+)'/.exec(line)?.[1] ?? ''}`.replace(
    'ethgate ',
    '',
  )
  const option = /^unknown option '([^'=]+)/.exec(line)?.[1] ?? ''
  if (Object.hasOwn(COMMANDS, command))
    return `there is no command ${command}: ${COMMANDS[command]}`
  if (Object.hasOwn(OPTIONS, option)) return `${path} has no ${option}: ${OPTIONS[option]}`
  return undefined
}
