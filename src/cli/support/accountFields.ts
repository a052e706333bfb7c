import { formatCoins, group } from './amount.ts'
import { date, filled, list, shownAddress } from './fields.ts'
import { get, integer, isRecord, scalar } from './json.ts'
import { textOf } from './node.ts'

type Answer = Record<string, unknown>

/** An account of `getaccount` in fields. */
export function accountFields(answer: Answer): [string, string][] {
  const staked = list(answer['frozenV2'])
    .filter((entry) => integer(get(entry, 'amount')) > 0n)
    .map((entry): [string, string] => [
      `staked for ${(scalar(get(entry, 'type')) ?? 'BANDWIDTH').toLowerCase()}`,
      formatCoins(integer(get(entry, 'amount'))),
    ])
  const unstaking = list(answer['unfrozenV2']).map((entry): [string, string] => [
    'unstaking',
    `${formatCoins(integer(get(entry, 'unfreeze_amount')))}, free at ${date(get(entry, 'unfreeze_expire_time')) ?? ''}`,
  ])
  const tokens = list(answer['assetV2']).map((entry): [string, string] => [
    `token ${scalar(get(entry, 'key')) ?? ''}`,
    group(integer(get(entry, 'value'))),
  ])
  const votes = list(answer['votes']).map((entry): [string, string] => [
    'votes for',
    `${shownAddress(get(entry, 'vote_address'))}: ${group(integer(get(entry, 'vote_count')))}`,
  ])
  const permissions = [
    answer['owner_permission'],
    answer['witness_permission'],
    ...list(answer['active_permission']),
  ].filter((permission) => isRecord(permission))
  return [
    ...filled([
      ['address', shownAddress(answer['address'])],
      [
        'name',
        answer['account_name'] === undefined
          ? undefined
          : textOf(scalar(answer['account_name']) ?? ''),
      ],
      ['type', scalar(answer['type'])],
      ['balance', formatCoins(integer(answer['balance']))],
    ]),
    ...staked,
    ...unstaking,
    ...votes,
    ...tokens,
    ...filled([
      [
        'reward',
        integer(answer['allowance']) > 0n ? formatCoins(integer(answer['allowance'])) : undefined,
      ],
      ['created', date(answer['create_time'])],
    ]),
    ...permissions.map((permission): [string, string] => [
      `permission ${scalar(permission['id']) ?? '0'} (${scalar(permission['permission_name']) ?? ''})`,
      `${scalar(permission['threshold']) ?? '1'} of ${list(permission['keys'])
        .map((key) => `${shownAddress(get(key, 'address'))}×${scalar(get(key, 'weight')) ?? '1'}`)
        .join(' ')}`,
    ]),
  ]
}

/** The energy and bandwidth of `getaccountresource` in fields. */
export function resourceFields(answer: Answer): [string, string][] {
  const used = (spent: unknown, limit: unknown) =>
    `${group(integer(limit) - integer(spent))} of ${group(integer(limit))} left`
  return [
    ['free bandwidth', used(answer['freeNetUsed'], answer['freeNetLimit'])],
    ['staked bandwidth', used(answer['NetUsed'], answer['NetLimit'])],
    ['energy', used(answer['EnergyUsed'], answer['EnergyLimit'])],
    [
      'votes',
      used(
        answer['tronPowerUsed'] ?? answer['nativePowerUsed'],
        answer['tronPowerLimit'] ?? answer['nativePowerLimit'],
      ),
    ],
  ]
}
