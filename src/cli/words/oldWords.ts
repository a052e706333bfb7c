/** What replaced a command, and for words of cast what does the same here. */
const COMMANDS: Readonly<Record<string, string>> = {
  // Earlier versions.
  'account convert': 'use "ethgate address ADDRESS", or "ethgate keys show" for a key',
  'account new': 'use "ethgate keys new"',
  wallet: 'operations of a node are "ethgate native OPERATION", keys are "ethgate keys"',
  // cast.
  '4byte-calldata': 'use "ethgate decode DATA"',
  '4byte-event': 'use "ethgate 4byte TOPIC"',
  'abi-decode': 'use "ethgate decode abi SIGNATURE DATA"',
  'abi-encode-event': 'use "ethgate encode event SIGNATURE ARGS"',
  'access-list': 'use "ethgate rpc eth_createAccessList CALL"',
  'base-fee': 'use "ethgate block BLOCK -f baseFeePerGas"',
  basefee: 'use "ethgate block BLOCK -f baseFeePerGas"',
  'calldata-decode': 'use "ethgate decode calldata SIGNATURE DATA"',
  chain: 'use "ethgate chain-id"',
  client: 'use "ethgate rpc web3_clientVersion"',
  codehash: 'use "ethgate keccak $(ethgate code ADDRESS)"',
  codesize: 'use "ethgate code ADDRESS"',
  completions: 'use "ethgate completion SHELL"',
  'compute-address':
    'the address of a contract depends on its transaction; "ethgate send" prints it',
  'decode-abi': 'use "ethgate decode abi SIGNATURE DATA"',
  'decode-calldata': 'use "ethgate decode calldata SIGNATURE DATA"',
  'decode-error': 'use "ethgate decode error DATA --sig SIGNATURE"',
  'decode-event': 'use "ethgate decode event DATA --sig SIGNATURE --topic TOPIC"',
  'decode-string': 'use "ethgate decode abi \'f()(string)\' DATA"',
  'decode-transaction': 'use "ethgate decode BYTES"',
  'erc20-token': 'use "ethgate call TOKEN" and "ethgate send TOKEN" with a signature',
  'format-units': 'use "ethgate from-unit AMOUNT UNIT"',
  'hash-message': 'use "ethgate keys sign MESSAGE", which hashes it (EIP-191)',
  implementation: 'use "ethgate storage PROXY SLOT", or the page of the contract',
  keccak256: 'use "ethgate keccak DATA"',
  keychain: 'use "ethgate keys"',
  'lookup-address': 'this chain has no names; "ethgate address" shows an address in every format',
  mktx: 'use "ethgate send" with --dry-run, which shows the transaction',
  namehash: 'this chain has no names; "ethgate address" shows an address in every format',
  'parse-units': 'use "ethgate to-unit AMOUNT UNIT"',
  'pretty-calldata': 'use "ethgate decode DATA"',
  proof: 'this chain has no state proofs; "ethgate storage ADDRESS SLOT" prints a slot',
  publish: 'use "ethgate rpc eth_sendRawTransaction BYTES"',
  'resolve-name': 'this chain has no names; "ethgate address" shows an address in every format',
  'sig-event': 'use "ethgate keccak EVENT"',
  sign: 'use "ethgate keys sign MESSAGE"',
  'storage-root': 'this chain has no state proofs; "ethgate storage ADDRESS SLOT" prints a slot',
  'to-check-sum-address': 'use "ethgate address ADDRESS"',
  'tx-pool': 'use "ethgate rpc txpool_content"',
}

/** Words of cast that read no chain, or work on any chain as they are. */
const CAST_ONLY = new Set(
  (
    'address-zero admin artifact concat-hex constructor-args create2 creation-code disassemble find-block ' +
    'format-bytes32-string from-bin from-fixed-point from-rlp from-utf8 hash-zero index-erc7201 interface max-int max-uint ' +
    'min-int pad parse-bytes32-address parse-bytes32-string recover-authority selectors shl shr source to-ascii to-base ' +
    'to-bytes32 to-dec to-fixed-point to-hex to-hexdata to-int256 to-rlp to-uint256 to-utf8 upload-signature'
  ).split(' '),
)

/** The replacements of options of an earlier version and of cast. */
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
  '--unlocked': 'leave it out: with --from and without a key the gateway signs',
  '--wait': 'send waits for the block unless --async is given',
}

/** What to use in place of options of anvil and of earlier versions of `ethgate dev`. */
const DEV_OPTIONS: Readonly<Record<string, string>> = {
  '-a': 'use --accounts',
  '-b': 'use --block-time',
  '-m': 'use --mnemonic',
  '--free-bandwidth': 'it is now --fees gas',
  '--hardfork': 'use --energy, such as --energy prague',
  '--no-mining': 'use --no-automine',
  '--steps-tracing': 'leave it out: debug_traceTransaction always answers with its steps',
}

/** The line for a word or an option that does not exist here but did, or does in cast or anvil; undefined for any other. */
export function answerFor(line: string, path: string): string | undefined {
  const command = `${path} ${/^unknown command '([^']+)'/.exec(line)?.[1] ?? ''}`.replace(
    'ethgate ',
    '',
  )
  const option = /^unknown option '([^'=]+)/.exec(line)?.[1] ?? ''
  if (Object.hasOwn(COMMANDS, command))
    return `there is no command ${command}: ${COMMANDS[command]}`
  if (CAST_ONLY.has(command))
    return `there is no command ${command}: use "cast ${command}", which works with a gateway at --rpc-url`
  const options = path === 'ethgate dev' ? DEV_OPTIONS : OPTIONS
  if (Object.hasOwn(options, option)) return `${path} has no ${option}: ${options[option]}`
  return undefined
}
