import { grouped } from '../../codec/coin.ts'
import { get, integer, isRecord, scalar } from '../base/json.ts'
import type { Unit } from '../text/unit.ts'
import { date, filled, list, memo, shownAddress } from './fields.ts'

type Answer = Record<string, unknown>

/** An account of `getaccount` in fields. */
export function accountFields(answer: Answer, unit: Unit): [string, string][] {
  const staked = list(answer['frozenV2'])
    .filter((entry) => integer(get(entry, 'amount')) > 0n)
    .map((entry): [string, string] => [
      `staked for ${(scalar(get(entry, 'type')) ?? 'BANDWIDTH').toLowerCase()}`,
      unit.text(integer(get(entry, 'amount'))),
    ])
  const unstaking = list(answer['unfrozenV2']).map((entry): [string, string] => [
    'unstaking',
    `${unit.text(integer(get(entry, 'unfreeze_amount')))}, free at ${date(get(entry, 'unfreeze_expire_time')) ?? ''}`,
  ])
  const tokens = list(answer['assetV2']).map((entry): [string, string] => [
    `token ${scalar(get(entry, 'key')) ?? ''}`,
    grouped(integer(get(entry, 'value'))),
  ])
  const votes = list(answer['votes']).map((entry): [string, string] => [
    'votes for',
    `${shownAddress(get(entry, 'vote_address'))}: ${grouped(integer(get(entry, 'vote_count')))}`,
  ])
  return [
    ...filled([
      ['address', shownAddress(answer['address'])],
      ['name', memo(answer['account_name'])],
      ['type', scalar(answer['type'])],
      ['balance', unit.text(integer(answer['balance']))],
    ]),
    ...staked,
    ...unstaking,
    ...votes,
    ...tokens,
    ...filled([
      [
        'reward',
        integer(answer['allowance']) > 0n ? unit.text(integer(answer['allowance'])) : undefined,
      ],
      ['created', date(answer['create_time'])],
    ]),
  ]
}

/** The permissions of `getaccount` in fields. */
export function permissionFields(answer: Answer): [string, string][] {
  return [
    answer['owner_permission'],
    answer['witness_permission'],
    ...list(answer['active_permission']),
  ]
    .filter((permission) => isRecord(permission))
    .map((permission) => [
      `permission ${scalar(permission['id']) ?? '0'} (${scalar(permission['permission_name']) ?? ''})`,
      `${scalar(permission['threshold']) ?? '1'} of ${list(permission['keys'])
        .map((key) => `${shownAddress(get(key, 'address'))}×${scalar(get(key, 'weight')) ?? '1'}`)
        .join(' ')}`,
    ])
}

/** The energy and bandwidth of `getaccountresource` in fields. */
export function resourceFields(answer: Answer): [string, string][] {
  const used = (spent: unknown, limit: unknown) =>
    `${grouped(integer(limit) - integer(spent))} of ${grouped(integer(limit))} left`
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
