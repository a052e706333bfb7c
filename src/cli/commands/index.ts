import type { Command } from 'commander'

import { addCommand, addOutputOptions, collect } from '../support/command.ts'
import { type Io, processIo } from '../support/io.ts'

/** `ethgate index`: fills and maintains a log index. */
export function addIndexCommand(program: Command, io: Io = processIo()): void {
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
    .option('--upstream <url>', 'base address of the node’s HTTP API (env ETHGATE_UPSTREAM)')
    .option('--upstream-solidity <url>', 'base address of /walletsolidity, as with serve')
    .option(
      '--upstream-grpc <host:port>',
      'the node’s gRPC interface; several times as fast (env ETHGATE_UPSTREAM_GRPC)',
    )
    .option('--upstream-header <line>', '"NAME: VALUE" sent with every call')
    .option('--from <block>', 'first block', '0')
    .option('--to <block>', 'last block (default: the newest that can be indexed)')
    .option('--address <address>', 'store only logs of this contract; may be repeated', collect)
    .option('--order <order>', 'newest or oldest blocks first', 'newest')
    .option('--index-rate <n>', 'maximum calls a second to the node', '200')
    .option('--concurrency <n>', 'maximum calls to the node in flight', '8')
    .option('--quiet', 'do not show progress')
  addIndexOption(addOutputOptions(command)).action(async (options) =>
    (await import('./indexFill.ts')).fillIndex(io, options),
  )

  // The parent command reads an option that both have, wherever it is on the line, so the actions use the options of both.
  const status = sub(command, 'status', 'show the covered blocks and the size of an index')
  addOutputOptions(status).action(async (_, command: Command) =>
    (await import('./indexStatus.ts')).indexStatus(io, command.optsWithGlobals()),
  )

  const verify = sub(command, 'verify', 'compare the index with blocks read from the node')
    .option('--upstream <url>', 'base address of the node’s HTTP API (env ETHGATE_UPSTREAM)')
    .option('--upstream-header <line>', '"NAME: VALUE" sent with every call')
    .option('--sample <n>', 'blocks to compare', '1000')
    .option('--all', 'compare every block')
    .option('--index-rate <n>', 'maximum calls a second to the node', '200')
  addOutputOptions(verify).action(async (_, command: Command) =>
    (await import('./indexVerify.ts')).verifyIndex(io, command.optsWithGlobals()),
  )

  const compact = sub(command, 'compact', 'merge segments and free disk space').option(
    '--into <dir>',
    'write a compact copy of a directory index to this directory',
  )
  addOutputOptions(compact).action(async (_, command: Command) =>
    (await import('./indexStatus.ts')).compactIndex(io, command.optsWithGlobals()),
  )

  const exported = sub(command, 'export', 'write logs to a Parquet or CSV file')
    .requiredOption('--out <file>', 'a file that ends in .parquet or .csv')
    .option('--from <block>', 'first block', '0')
    .option('--to <block>', 'last block (default: the last covered block)')
    .option('--address <address>', 'only logs of this contract; may be repeated', collect)
    .option('--topic <topic>', 'as in "ethgate logs"; may be repeated', collect)
  addOutputOptions(exported).action(async (_, command: Command) =>
    (await import('./indexExport.ts')).exportIndex(io, command.optsWithGlobals()),
  )
}

function sub(parent: Command, name: string, summary: string): Command {
  return addIndexOption(
    parent
      .command(name)
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`),
  )
}

function addIndexOption(command: Command): Command {
  return command.option(
    '--index <place>',
    'the index: a directory, or postgres://… (env ETHGATE_INDEX)',
  )
}
