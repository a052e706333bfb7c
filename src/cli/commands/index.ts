import type { Command } from 'commander'

import type { Io } from '../base/io.ts'
import { addCommand, addOutputOptions, addWord, collect } from '../words/command.ts'
import type { IndexOptions } from '../words/indexOptions.ts'
import type { AuditOptions } from './indexAudit.ts'
import type { ExportOptions } from './indexExport.ts'
import type { VerifyOptions } from './indexVerify.ts'

const INDEX = [
  '--index <place>',
  'the index: a directory, or postgres://… (env ETHGATE_INDEX)',
] as const

const UPSTREAM = [
  '--upstream <url>',
  'base address of the node’s HTTP API (env ETHGATE_UPSTREAM)',
] as const

const SOLIDITY = [
  '--upstream-solidity <url>',
  'base address of /walletsolidity, as with serve',
] as const

const HEADER = ['--upstream-header <line>', '"NAME: VALUE" sent with every call'] as const

/** `ethgate index`: fills and maintains a log index. */
export function addIndexCommand(program: Command, io: Io): void {
  const command = addCommand(program, 'index', {
    summary: 'fill and maintain a log index',
    description:
      'Reads blocks from a node and stores their logs in an index that "ethgate serve --index" searches. It can be stopped at any moment: ' +
      'run the same command again to continue. Several processes may fill one index in PostgreSQL.',
    examples: [
      [
        'ethgate index --upstream http://127.0.0.1:8090 --index ./logs --from 0',
        'the whole chain, into a directory',
      ],
      [
        'ethgate index --upstream http://127.0.0.1:8090 --index postgres://127.0.0.1/chain --from 1000000',
        'into PostgreSQL, starting at a block',
      ],
      [
        'ethgate index --upstream http://127.0.0.1:8090 --index ./token --from 0 --address T…',
        'the logs of one contract',
      ],
      ['ethgate index status --index ./logs', 'the covered blocks'],
    ],
  })
    .option(...UPSTREAM)
    .option(...SOLIDITY)
    .option(
      '--upstream-grpc <host:port>',
      'the node’s gRPC interface; several times as fast (env ETHGATE_UPSTREAM_GRPC)',
    )
    .option(...HEADER)
    .option('--from <block>', 'first block', '0')
    .option('--to <block>', 'last block (default: the newest that can be indexed)')
    .option('--address <address>', 'store only logs of this contract; may be repeated', collect)
    .option('--order <order>', 'newest or oldest blocks first', 'newest')
    .option('--index-rate <n>', 'maximum calls a second to the node', '200')
    .option('--concurrency <n>', 'maximum calls to the node in flight', '8')
    .option('--quiet', 'do not show progress')
  addOutputOptions(command.option(...INDEX)).action(async (options) =>
    (await import('./indexFill.ts')).fillIndex(io, options),
  )

  // The parent command reads an option that both have, wherever it is on the line, and has its default.
  addWord<IndexOptions>(command, io, {
    usage: 'status',
    summary: 'show the covered blocks and the size of an index',
    options: [INDEX],
    examples: [['ethgate index status --index ./logs', 'covered blocks, logs and bytes']],
    calls: 'nothing',
    run: async ({ options }) => (await import('./indexStatus.ts')).indexStatus(io, options),
  })
  addWord<VerifyOptions>(command, io, {
    usage: 'verify',
    summary: 'compare the index with blocks read from the node',
    options: [
      INDEX,
      UPSTREAM,
      HEADER,
      ['--sample <n>', 'blocks to compare (default 1000)'],
      ['--all', 'compare every block'],
      ['--index-rate <n>', 'maximum calls a second to the node (default 200)'],
    ],
    examples: [
      [
        'ethgate index verify --index ./logs --upstream http://127.0.0.1:8090',
        'a sample of blocks',
      ],
    ],
    calls: 'nothing',
    run: async (task) => (await import('./indexVerify.ts')).verifyIndex(task),
  })
  addWord<AuditOptions>(command, io, {
    usage: 'audit',
    summary: 'report the blocks whose logs the node’s own eth_getLogs does not find',
    description:
      'Searches with the node’s own eth_getLogs for each address and each first topic, and compares the result with the receipts, or with ' +
      'the index where it covers the blocks. Exit code 1 when the node does not find all logs.',
    options: [
      [INDEX[0], 'compare with this index in place of receipts'],
      UPSTREAM,
      SOLIDITY,
      ['--upstream-rpc <url>', 'the node’s own JSON-RPC (env ETHGATE_UPSTREAM_RPC)'],
      HEADER,
      ['--from <block>', 'first block (default 0)'],
      ['--to <block>', 'last block (default: the newest solidified block)'],
      ['--index-rate <n>', 'maximum calls a second to the node (default 200)'],
    ],
    examples: [
      [
        'ethgate index audit --upstream http://127.0.0.1:8090 --upstream-rpc http://127.0.0.1:8545/jsonrpc',
        'all blocks, by receipts',
      ],
    ],
    calls: 'nothing',
    run: async (task) => (await import('./indexAudit.ts')).auditIndex(task),
  })
  addWord<IndexOptions & { into?: string }>(command, io, {
    usage: 'compact',
    summary: 'merge segments and free disk space',
    options: [
      INDEX,
      ['--into <dir>', 'write a compact copy of a directory index to this directory'],
    ],
    examples: [['ethgate index compact --index ./logs', 'the size before and after']],
    calls: 'nothing',
    run: async ({ options }) => (await import('./indexStatus.ts')).compactIndex(io, options),
  })
  addWord<ExportOptions>(command, io, {
    usage: 'export',
    summary: 'write logs to a Parquet or CSV file',
    options: [
      INDEX,
      ['--out <file>', 'a file that ends in .parquet or .csv'],
      ['--from <block>', 'first block (default 0)'],
      ['--to <block>', 'last block (default: the last covered block)'],
      ['--address <address>', 'only logs of this contract; may be repeated', collect],
      ['--topic <topic>', 'as in "ethgate logs"; may be repeated', collect],
    ],
    examples: [['ethgate index export --index ./logs --out logs.parquet', 'all logs of the index']],
    calls: 'nothing',
    run: async ({ options }) => (await import('./indexExport.ts')).exportIndex(io, options),
  })
}
