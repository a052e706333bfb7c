/**
 * Errors with one cause and one remedy. A text belongs to the first group that names its words or its file.
 * `files` are the beginnings of paths in src/.
 */
export type ErrorGroup = {
  title: string
  cause: string
  remedy: string
  texts?: RegExp[]
  files?: string[]
}

/** What users can meet, in the order of the page. */
export const GROUPS: readonly ErrorGroup[] = [
  {
    title: 'The node does not answer',
    cause:
      'The node is stopped, unreachable, overloaded or still starting, or its address is wrong.',
    remedy:
      'Run `ethgate doctor --upstream URL`. Check the address (HTTP API, without `/wallet`) and the node’s log. The call may be repeated. With several nodes, give each with `--upstream`: see [several nodes](upstreams.md).',
    texts: [
      /^the nodes took too long, and nothing was sent/,
      /^failed without a message/,
      /^the upstream node (is unreachable|does not answer|did not answer|has not answered|failed to process|refused the request or failed|answered HTTP|returned an empty)/,
      /^no upstream node (can answer|that serves|reports|has reached|has a JSON-RPC|with a JSON-RPC)/,
      /^no block is known yet/,
      /^… upstream nodes must agree/,
      /^the upstream node’s (answer|JSON-RPC)/,
      /^the answer of the upstream node’s JSON-RPC/,
      /^the upstream node failed to run the call/,
      /^the energy price history of the node is not readable/,
      /^a probe had no answer/,
    ],
  },
  {
    title: 'The node refuses access, or limits the rate',
    cause:
      'The node or the service in front of it wants an API key, or the gateway asks more often than it allows.',
    remedy:
      'Give the key with `--upstream-header "NAME: VALUE"`. Lower `--upstream-rate` to what the node allows, or add a node. Repeat the call later.',
    texts: [
      /^the upstream node (denies access|limits the request rate)/,
      /^too many calls wait for the upstream node/,
      /^the request is larger than the upstream node accepts/,
      /^the upstream header needs the format/,
    ],
  },
  {
    title: 'The node lacks a feature',
    cause: 'The node’s configuration switches an API off, or the node keeps no history.',
    remedy:
      'Run `ethgate doctor --upstream URL`: it names each setting to change. Use a full node instead of a lite node for old blocks, and `--upstream-rpc` for storage and state overrides.',
    texts: [
      /^the upstream node does not (serve|execute|run|record)/,
      /^the upstream node shows no internal transaction/,
      /^the upstream does not serve/,
      /^contract storage is not part of/,
      /^the JSON-RPC of the upstream node does not answer eth_getStorageAt/,
    ],
  },
  {
    title: 'The node is behind, or the chain reorganised',
    cause:
      'A node behind a load balancer has not got a block yet, or a reorg is replacing blocks at this moment.',
    remedy:
      'Repeat the call: a second is enough for most of them. If it stays, one of the nodes does not sync: look at `/state` and at the node’s log.',
    texts: [
      /^the node (does not have|has no|returned|got a new block)/,
      /^the solidified blocks of the node are not one chain/,
      /^a reorg (is in progress|replaced the block)/,
      /^(this|another) replica has/,
      /^the solidified block of the node is not on the branch/,
      /^the HTTP API and the JSON-RPC of the upstream node do not have the newest/,
      /^the upstream node does not (report|have) (its|the) genesis block/,
    ],
  },
  {
    title: 'The node is of another chain',
    cause:
      'The upstream, its JSON-RPC or the log index belongs to another chain than the gateway started with.',
    remedy:
      'Correct the address. If a private chain was made anew, use a new `--data-dir`, Redis prefix and index.',
    texts: [
      /^the upstream node (serves another chain|or its JSON-RPC is of another chain)/,
      /^the (log index|store of blocks) belongs to another chain/,
      /belongs to another chain or another version$/,
    ],
  },
  {
    title: 'State of a past block',
    cause:
      'A node keeps the state of the newest block only. The gateway never answers with the newest state instead.',
    remedy:
      'Ask at `latest`. Balances of past blocks work when the node keeps the history of balances; `--upstream-rpc` answers what the node’s own JSON-RPC has. See [mapping](mapping.md).',
    texts: [/^historical state/, /^simulations run on the newest state only/],
  },
  {
    title: 'Unknown block or transaction',
    cause: 'There is no such block (yet), a reorg removed it, or the hash is of another chain.',
    remedy: 'Ask `eth_blockNumber` for the newest block. After a reorg, ask by number again.',
    texts: [
      /^(unknown block|header (for hash )?not found|block not found|block … (not found|is not available)|transaction not found)/,
      /no such block$/,
      /^request beyond head block/,
      /^block range extends beyond current head block/,
      /^genesis is not traceable/,
      /^transaction index … out of range/,
    ],
  },
  {
    title: 'A search of logs is too large',
    cause: 'The search covers more blocks or finds more logs than one call may.',
    remedy:
      'Search again with the range in `error.data`, or narrow it by address or topic. Larger limits: `--logs-max-blocks`, `--logs-max-results`. For the whole chain use [the log index](log-index.md) or [named cursors](cursors.md).',
    texts: [
      /exceed max block range/,
      /^query (returned more|took too long)/,
      /fromBlock (<= toBlock|is above toBlock)/,
    ],
  },
  {
    title: 'Filters, cursors and subscriptions',
    cause:
      'A filter or cursor expired, a reorg removed the block that it stood at, or a client has more of them than it may.',
    remedy:
      'Create the filter again; start a cursor before the removed block. `--filter-ttl`, `--filters-per-client` and `--subscriptions-per-client` change the limits.',
    texts: [
      /^filter not found/,
      /^(the )?cursor (not found|is in use)/,
      /^a reorg removed/,
      /^exceed max (bytes of )?(filter|subscriptions)/,
      /^reader too slow/,
      /^the branch of the subscription is no longer known/,
      /a cursor with this name exists/,
      /^expected a cursor of an earlier page/,
      /^named cursors need/,
      /^the mempool has/,
    ],
  },
  {
    title: 'Limits and API keys of the gateway',
    cause:
      'The caller has used what it may use now, or its key does not allow this call. -32029 is the daily quota or what the key may spend a day, -32005 any other limit.',
    remedy:
      'Wait for the time in `Retry-After`. Ask the operator for a key or for a larger limit; operators read [limits and API keys](limits.md).',
    texts: [
      /^too many (bytes are held|calls in flight|requests|WebSocket connections)/,
      /^the daily quota/,
      /^the gateway is busy/,
      /^the API key … (has|may|was)/,
      /^what (the API key …|API keys) spends? cannot/,
      /^the API key is not known/,
      /^an API key is required/,
      /need(s)? an API key here/,
      /^(too many responses wait|Response exceeds|Batch size)/,
    ],
  },
  {
    title: 'Redis',
    cause:
      'Redis is stopped, unreachable, full or a read-only replica, or it may delete records that protect money.',
    remedy:
      'Start it, or make room. `/health` names the reason. Set `maxmemory-policy noeviction` where managed keys send. Nothing is sent twice meanwhile. See [reliability](reliability.md).',
    texts: [
      /^the shared store \(Redis\)/,
      /^transactions of managed accounts are not sent/,
      /^Redis (is unreachable|did not answer)/,
      /^neither Redis nor the node/,
    ],
  },
  {
    title: 'The signature is an Ethereum signature',
    cause:
      'The chain signs the SHA-256 of a protobuf message, so it cannot accept a transaction that an Ethereum wallet signed for this account.',
    remedy:
      'Sign natively with `ethgate/viem` or `ethgate/ethers`, or let the gateway manage the key. [Sending](sending.md) compares the ways.',
    texts: [
      /^this chain cannot use the Ethereum signature/,
      /^the transaction was not prepared for this chain/,
      /^the signer needs a JSON-RPC provider/,
    ],
  },
  {
    title: 'The amount has the wrong number of decimals',
    cause:
      'The coin has 6 decimals, and tools for Ethereum write amounts with 18: `parseEther("1")` is 10¹² coins here.',
    remedy:
      'For a project made for Ethereum start the development chain with `--decimals 18`. In front of a node use the path `/wei`, or write amounts in sun.',
    texts: [
      /amounts here are in 10\^-6/,
      /^expected a multiple of 10\^12/,
      /^expected less than 2\^63/,
      /larger than the chain’s 2\^63/,
    ],
  },
  {
    title: 'Not enough coins',
    cause:
      'The balance does not cover value and fee. The chain counts a fee limit, not gas times price.',
    remedy:
      'Send coins to the account, lower the gas limit, or stake for energy. `ethgate_feeQuote` says what a transaction costs and who pays.',
    texts: [/insufficient (funds|balance)/, /^gas required exceeds allowance/],
  },
  {
    title: 'Nonces',
    cause:
      'The nonce is used, or a transaction with it is pending. The chain has no nonces; the gateway keeps them for managed keys.',
    remedy:
      'Ask `eth_getTransactionCount` with `pending` and send with that nonce. A pending transaction cannot be replaced in front of a node.',
    texts: [/nonce/i, /^replacement transaction underpriced/, /^already known/],
  },
  {
    title: 'The transaction was refused',
    cause:
      'The node or the gateway checked the transaction before it was sent, and it cannot be in a block as it is.',
    remedy:
      'Correct what the message names, build the transaction again, and sign it again. It was not sent.',
    texts: [
      /^(invalid sender|oversized data|transaction expired|transaction underpriced|refused: )/,
      /^(invalid chain id|only replay-protected|transaction type not supported|the transaction is not signed)/,
      /^(the signed Ethereum transaction cannot be decoded|a transaction needs exactly one contract)/,
      /^(data cannot be sent to an account without code|contract creation without any data)/,
      /^(intrinsic gas too low|exceeds block gas limit|max (priority )?fee per gas|EIP-7702|both gasPrice)/,
      /^(unknown account|invalid json request|the upstream node (refused the request|did not build|built a different))/,
      /^(the gateway built a different transaction|expected maxFeePerGas with authorizationList)/,
      /fee limit overflow/,
      /expected a signed transaction/,
      /gateway manages no keys$/,
    ],
  },
  {
    title: 'It is not known whether the transaction was sent',
    cause:
      'A node may have the transaction: the connection broke after it was handed over, or the answer does not say that it was refused. It may be in the next block.',
    remedy:
      'Send the same bytes again, or ask `eth_getTransactionReceipt` or `ethgate_transactionStatus` for the hash. Send nothing else until it is mined or expired.',
    texts: [
      /^unconfirmed: /,
      /^the record of (the )?transaction .*changes all the time/,
      /is not in a block yet/,
      /^the transaction is in the pool and was not mined/,
    ],
  },
  {
    title: 'The record of sent transactions',
    cause:
      'The file that prevents sending twice cannot be used: another process holds it, or it is damaged.',
    remedy:
      'Give each gateway its own `--data-dir`, or let replicas share a Redis. Do not delete the file while its transactions may still be sent.',
    texts: [
      /^sent transactions cannot be recorded/,
      /^… (belongs to another chain$|is not a file of sent transactions)/,
      /^the record of sent transactions has none of/,
      /record of sent transactions cannot be written/,
      /could be sent twice/,
      /^the file of … in the data directory/,
      /is not readable: restore the file/,
      /^another process uses it/,
      /^… is a socket of an earlier version/,
    ],
  },
  {
    title: 'The contract has another address than predicted',
    cause:
      'Ethereum tools compute the address of a new contract from sender and nonce. The real chain assigns another one.',
    remedy:
      'Read `contractAddress` from the receipt. See [contract addresses](sending.md#contract-addresses).',
    texts: [/which an Ethereum library predicted/],
  },
  {
    title: 'The contract failed',
    cause: 'The contract reverted or ran out of a resource. `error.data` is the revert data.',
    remedy:
      'Decode it with `ethgate decode DATA`, and look at the calls with `ethgate run HASH`. On the development chain the message names custom errors when it knows the artifacts.',
    texts: [
      /execution (reverted|failed|timeout|timed out)/,
      /^(precompiled contract failed|unexpected return|contract address collision|contract creation code storage)/,
      /^(invalid (code|jump destination|opcode)|max ((init)?code size|call depth)|stack (limit|underflow)|out of (gas|memory))/,
      /^(write protection|return data out of bounds|cpu timeout|transfer failed)/,
      /^(endowment out of long range|transfer trx failed|a contract cannot be called with value)/,
    ],
  },
  {
    title: 'Method or path',
    cause:
      'The method does not exist, is not served here, or needs another transport. The reason is in the message.',
    remedy:
      'See [the methods](methods.md) with the reason for each refused one. `rpc.discover` lists them too.',
    texts: [/^the method /],
  },
  {
    title: 'The request is malformed',
    cause: 'The body is not JSON-RPC 2.0, or its params are not a list.',
    remedy: 'Send `{"jsonrpc":"2.0","id":1,"method":"…","params":[…]}` with `POST`.',
    texts: [/^(Parse error|Invalid Request|invalid params: expected an array)/],
  },
  {
    title: 'Internal error',
    cause:
      'A defect of the gateway. The text of the exception is in its log and is not sent to clients.',
    remedy: 'Find the line in the log with the id of the request, and report it.',
    texts: [/^Internal error/],
  },
  {
    title: 'Simulation',
    cause: 'Calls with overrides run in the gateway on the newest state of a node, within limits.',
    remedy:
      'See [simulation](simulation.md) for what it needs and its limits. Repeat the call when the message says so.',
    texts: [/simulat/i],
  },
  {
    title: 'Files of the development chain',
    cause: 'A file that `ethgate dev` reads is damaged, or belongs to a chain with other options.',
    remedy:
      'Start with the options that the file was made with, or move the file elsewhere to begin a new chain.',
    files: [
      'devchain/blocks/state',
      'devchain/node/run',
      'devchain/artifacts',
      'devchain/state/keys',
    ],
  },
  {
    title: 'Forks',
    cause:
      '`ethgate dev --fork` reads state from a node, and the node does not answer, lacks it, or is of another chain.',
    remedy:
      'Check `--fork`, and name the node’s own JSON-RPC with `--fork-rpc`. See [forking a real chain](devchain-fork.md).',
    texts: [/fork/],
    files: ['devchain/fork/'],
  },
  {
    title: 'Control methods of the development chain',
    cause:
      'A parameter of a method such as `evm_mine` or `anvil_reorg` is not possible on this chain.',
    remedy: 'The message says what is expected. See [control methods](devchain-control.md).',
    files: [
      'devchain/node/control',
      'devchain/node/mining',
      'devchain/node/reorg',
      'devchain/node/state.ts',
      'devchain/node/erc20',
      'devchain/node/node.ts',
      'devchain/node/accounts',
      'devchain/node/rawTransactions',
      'devchain/api/faults',
      'devchain/ledger/',
    ],
  },
  {
    title: 'Traces',
    cause: 'The trace cannot be made, or its options are not supported.',
    remedy: 'The message names the option or what to use instead.',
    texts: [
      /^the trace is too large/,
      /^reached limit for padding/,
      /tracer/i,
      /^transaction … does something else/,
    ],
    files: ['devchain/node/trace/', 'rpc/params/trace'],
  },
  {
    title: 'A parameter is wrong',
    cause:
      'A parameter has another type or form than the method takes. The position counts from 0.',
    remedy:
      'The message says what is expected and what it got. [Methods](methods.md) lists what each method takes.',
    texts: [/^invalid argument/],
    files: [
      'rpc/params/',
      'rpc/execution/',
      'rpc/methods/',
      'rpc/explain/',
      'devchain/node/',
      'codec/typedData',
      'lib/base58',
    ],
  },
  {
    title: 'The log index and the store of blocks',
    cause:
      'It is missing, damaged, incomplete, of another layout, or its package is not installed.',
    remedy:
      'The message says what to do. `ethgate index status` and `ethgate index verify` examine an index. A store of blocks may be deleted: nodes have its blocks. See [the log index](log-index.md).',
    files: [
      'logIndex/blocks/writer',
      'logIndex/engine/',
      'logIndex/logIndex',
      'logIndex/search/search',
      'logIndex/store/facts',
      'cli/commands/index',
      'cli/words/indexOptions',
    ],
  },
  {
    title: 'Options and configuration',
    cause:
      'An option, a variable of the environment or a line of the configuration file has a value that is not possible.',
    remedy:
      'The message begins with the option or with the line of the file. See [options](options.md).',
    files: [
      'config/',
      'limits/caller.ts',
      'limits/keysFile',
      'gateway/',
      'http/tls',
      'sending/keys',
      'logIndex/worker/fillTransport',
      'native/pool/upstreams',
    ],
  },
  {
    title: 'The command line',
    cause:
      'A command got other arguments than it takes, a file cannot be read, or a server does not answer it.',
    remedy:
      'The message says what is expected. `ethgate COMMAND --help` shows examples; exit codes are in [the command line](cli.md).',
    files: ['cli/', 'codec/abiArguments'],
  },
  {
    title: 'The native client and its transactions',
    cause:
      'A transaction or an address that a program gave to `ethgate/client` is not complete or not of this chain.',
    remedy: 'The message names the field. See [the native client](native-client.md).',
    files: ['sdk/', 'native/protobuf/', 'native/client'],
  },
  {
    title: 'The web pages',
    cause:
      'A form of a page has a value that the contract does not take, or the browser has no wallet.',
    remedy: 'Correct the field, or install a wallet that supports EIP-6963.',
    files: ['http/page/'],
  },
]

/** Errors that no user meets: another part of the program catches them, or they are texts of the node that the chain repeats. */
export const INTERNAL = [
  'chain/blocks/cachedBlock',
  'chain/blocks/logChunk',
  'chain/head/',
  'codec/',
  'devchain/api/',
  'devchain/contracts/',
  'devchain/execution/',
  'devchain/state/',
  'devchain/transactions/',
  'devchain/vm/',
  'http/',
  'lib/',
  'logIndex/blocks/',
  'logIndex/fill/',
  'logIndex/search/split',
  'logIndex/store/',
  'logIndex/worker/',
  'native/',
  'rpc/openrpc/',
  'sending/redisSentStore',
]
