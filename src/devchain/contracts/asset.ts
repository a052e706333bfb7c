import { invalid } from '../state/errors.ts'
import type { Account, Asset } from '../state/model.ts'
import { parameter } from '../state/parameters.ts'
import { assetRecord } from './records.ts'
import {
  addBalance,
  burn,
  type ContractType,
  createReceiver,
  hex,
  int,
  isAddress,
  type Json,
  list,
  ownerAccount,
  updateAccount,
  withAsset,
} from './types.ts'

const DAY = 86_400_000
const ONE_DAY_NET = 57_600_000_000n
const MAX_FROZEN = 10
const MIN_FROZEN_DAYS = 1n
const MAX_FROZEN_DAYS = 3652n

const readableName = (name: string) => {
  const bytes = Buffer.from(name, 'hex')
  return (
    bytes.length > 0 && bytes.length <= 32 && bytes.every((byte) => byte >= 0x21 && byte <= 0x7e)
  )
}

const idOf = (value: Json) => Buffer.from(hex(value, 'asset_name'), 'hex').toString()

function checkTexts(value: Json): void {
  const url = hex(value, 'url')
  if (url === '' || url.length > 512) invalid('Invalid url')
  if (hex(value, 'description').length > 400) invalid('Invalid description')
}

/** AssetIssueContract: issues a TRC-10 token, one for each account. */
export const AssetIssueContract: ContractType = {
  validate(execution) {
    const { state, value, owner, now } = execution
    if (!isAddress(owner)) invalid('Invalid ownerAddress')
    const name = hex(value, 'name')
    if (!readableName(name)) invalid('Invalid assetName')
    if (Buffer.from(name, 'hex').toString().toLowerCase() === 'trx')
      invalid("assetName can't be trx")
    const precision = int(value, 'precision')
    if (precision < 0n || precision > 6n) invalid('precision cannot exceed 6')
    const abbr = hex(value, 'abbr')
    if (abbr !== '' && !readableName(abbr)) invalid('Invalid abbreviation for token')
    checkTexts(value)
    const start = int(value, 'start_time')
    const end = int(value, 'end_time')
    if (start === 0n) invalid('Start time should be not empty')
    if (end === 0n) invalid('End time should be not empty')
    if (end <= start) invalid('End time should be greater than start time')
    if (start <= BigInt(now)) invalid('Start time should be greater than HeadBlockTime')
    if (int(value, 'total_supply') <= 0n) invalid('TotalSupply must greater than 0!')
    if (int(value, 'trx_num') <= 0n) invalid('TrxNum must greater than 0!')
    if (int(value, 'num') <= 0n) invalid('Num must greater than 0!')
    if (int(value, 'public_free_asset_net_usage') !== 0n)
      invalid('PublicFreeAssetNetUsage must be 0!')
    const frozen = list(value, 'frozen_supply')
    if (frozen.length > MAX_FROZEN) invalid('Frozen supply list length is too long')
    for (const [field, text] of [
      ['free_asset_net_limit', 'Invalid FreeAssetNetLimit'],
      ['public_free_asset_net_limit', 'Invalid PublicFreeAssetNetLimit'],
    ] as const) {
      const limit = int(value, field)
      if (limit < 0n || limit >= ONE_DAY_NET) invalid(text)
    }
    let rest = int(value, 'total_supply')
    for (const part of frozen) {
      const amount = int(part, 'frozen_amount')
      const days = int(part, 'frozen_days')
      if (amount <= 0n) invalid('Frozen supply must be greater than 0!')
      if (amount > rest) invalid('Frozen supply cannot exceed total supply')
      if (days < MIN_FROZEN_DAYS || days > MAX_FROZEN_DAYS)
        invalid(
          `frozenDuration must be less than ${MAX_FROZEN_DAYS} days and more than ${MIN_FROZEN_DAYS} days`,
        )
      rest -= amount
    }
    const account = state.get('account', owner) ?? invalid('Account not exists')
    if (account.issuedAsset) invalid('An account can only issue one asset')
    if (account.balance < parameter(state, 'getAssetIssueFee'))
      invalid('No enough balance for fee!')
  },
  execute({ state, value, owner }) {
    const id = ((state.get('property', 'lastAsset') ?? 0n) + 1n).toString()
    const fee = parameter(state, 'getAssetIssueFee')
    const asset: Asset = { ...assetRecord.read(value), id, owner }
    const free = asset.frozenSupply.reduce((rest, { amount }) => rest - amount, asset.supply)
    state.set('property', 'lastAsset', BigInt(id))
    state.set('asset', id, asset)
    state.set('list', 'assets', [...(state.get('list', 'assets') ?? []), id])
    burn(state, owner, fee)
    updateAccount(state, owner, (account) => ({
      ...withAsset(account, id, free),
      issuedAsset: id,
      issuedName: asset.name,
    }))
    return { fee, info: { assetIssueID: id } }
  },
}

/** TransferAssetContract: sends TRC-10 tokens. */
export const TransferAssetContract: ContractType = {
  validate({ state, value, owner }) {
    const to = hex(value, 'to_address')
    const amount = int(value, 'amount')
    if (!isAddress(owner)) invalid('Invalid ownerAddress')
    if (!isAddress(to)) invalid('Invalid toAddress')
    if (amount <= 0n) invalid('Amount must be greater than 0.')
    if (owner === to) invalid('Cannot transfer asset to yourself.')
    const account = state.get('account', owner) ?? invalid('No owner account!')
    const id = idOf(value)
    if (!state.get('asset', id)) invalid('No asset!')
    const held = account.assets[id] ?? 0n
    if (held <= 0n) invalid('assetBalance must be greater than 0.')
    if (amount > held) invalid('assetBalance is not sufficient.')
    const receiver = state.get('account', to)
    if (receiver?.type === 'Contract' && parameter(state, 'getForbidTransferToContract') === 1n)
      invalid('Cannot transfer asset to smartContract.')
    if (!receiver && account.balance < parameter(state, 'getCreateNewAccountFeeInSystemContract'))
      invalid('Validate TransferAssetActuator error, insufficient fee.')
  },
  execute(execution) {
    const { state, value, owner } = execution
    const to = hex(value, 'to_address')
    const fee = createReceiver(execution, to)
    const amount = int(value, 'amount')
    const id = idOf(value)
    updateAccount(state, owner, (account) => withAsset(account, id, -amount))
    updateAccount(state, to, (account) => withAsset(account, id, amount))
    burn(state, owner, fee)
    return { fee }
  },
}

/** ParticipateAssetIssueContract: buys tokens from their issuer while the sale is open. */
export const ParticipateAssetIssueContract: ContractType = {
  validate({ state, value, owner, now }) {
    const to = hex(value, 'to_address')
    const amount = int(value, 'amount')
    if (!isAddress(owner)) invalid('Invalid ownerAddress')
    if (!isAddress(to)) invalid('Invalid toAddress')
    if (amount <= 0n) invalid('Amount must greater than 0!')
    if (owner === to) invalid('Cannot participate asset Issue yourself !')
    const account = state.get('account', owner) ?? invalid('Account does not exist!')
    if (account.balance < amount) invalid('No enough balance !')
    const asset = state.get('asset', idOf(value)) ?? invalid(`No asset named ${idOf(value)}`)
    if (to !== asset.owner) invalid(`The asset is not issued by ${to}`)
    if (now >= asset.end || now < asset.start) invalid('No longer valid period!')
    const bought = (amount * asset.num) / asset.trxNum
    if (bought <= 0n) invalid('Can not process the exchange!')
    if ((state.get('account', to)?.assets[asset.id] ?? 0n) < bought)
      invalid('Asset balance is not enough !')
  },
  execute({ state, value, owner }) {
    const asset = state.get('asset', idOf(value)) as Asset
    const amount = int(value, 'amount')
    const bought = (amount * asset.num) / asset.trxNum
    addBalance(state, owner, -amount)
    addBalance(state, asset.owner, amount)
    updateAccount(state, asset.owner, (account) => withAsset(account, asset.id, -bought))
    updateAccount(state, owner, (account) => withAsset(account, asset.id, bought))
  },
}

/** UpdateAssetContract: changes texts and free bandwidth of the account's token. */
export const UpdateAssetContract: ContractType = {
  validate(execution) {
    const { value } = execution
    const account = ownerAccount(execution, 'Invalid ownerAddress', () => 'Account does not exist')
    if (!account.issuedAsset) invalid('Account has not issued any asset')
    checkTexts(value)
    if (int(value, 'new_limit') < 0n || int(value, 'new_limit') >= ONE_DAY_NET)
      invalid('Invalid FreeAssetNetLimit')
    if (int(value, 'new_public_limit') < 0n || int(value, 'new_public_limit') >= ONE_DAY_NET)
      invalid('Invalid PublicFreeAssetNetLimit')
  },
  execute({ state, value, owner }) {
    const { issuedAsset } = state.get('account', owner) as Account
    const asset = state.get('asset', issuedAsset ?? '') as Asset
    state.set('asset', asset.id, {
      ...asset,
      description: hex(value, 'description'),
      url: hex(value, 'url'),
      freeNetLimit: int(value, 'new_limit'),
      publicFreeNetLimit: int(value, 'new_public_limit'),
    })
  },
}

/** Whether the issuer may have a part of the frozen supply. */
const isOver =
  ({ start }: Asset, now: number) =>
  ({ days }: Asset['frozenSupply'][number]) =>
    start + Number(days) * DAY <= now

/** UnfreezeAssetContract: gives the issuer the frozen supply that has expired. */
export const UnfreezeAssetContract: ContractType = {
  validate(execution) {
    const account = ownerAccount(execution)
    const asset =
      execution.state.get('asset', account.issuedAsset ?? '') ?? invalid('no frozen supply balance')
    if (asset.frozenSupply.length === 0) invalid('no frozen supply balance')
    if (!asset.frozenSupply.some(isOver(asset, execution.now)))
      invalid("It's not time to unfreeze asset supply")
  },
  execute({ state, owner, now }) {
    const { issuedAsset } = state.get('account', owner) as Account
    const asset = state.get('asset', issuedAsset ?? '') as Asset
    const over = asset.frozenSupply.filter(isOver(asset, now))
    const free = over.reduce((sum, { amount }) => sum + amount, 0n)
    const frozenSupply = asset.frozenSupply.filter((part) => !over.includes(part))
    state.set('asset', asset.id, { ...asset, frozenSupply })
    updateAccount(state, owner, (account) => withAsset(account, asset.id, free))
  },
}
