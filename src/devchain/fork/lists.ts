import type { NativeClient } from '../../native/client.ts'
import type { Asset as NodeAsset } from '../../native/wire/networkTypes.ts'
import type { Asset, Proposal, Witness } from '../state/model.ts'
import type { Entries } from './base.ts'

/** Reads every producer and candidate, by address. */
export async function readWitnesses(native: NativeClient): Promise<Entries> {
  const { witnesses = [] } = await native.wallet.listWitnesses()
  return witnesses.map((node) => {
    const witness: Witness = {
      address: node.address,
      url: Buffer.from(node.url ?? '').toString('hex'),
      voteCount: BigInt(node.voteCount ?? 0),
      produced: BigInt(node.totalProduced ?? 0),
      missed: BigInt(node.totalMissed ?? 0),
      latestBlock: node.latestBlockNum ?? 0,
      latestSlot: node.latestSlotNum ?? 0,
      isJobs: node.isJobs === true,
      brokerage: 20,
    }
    return [`witness:${node.address}`, witness]
  })
}

/** Reads every proposal and their number. */
export async function readProposals(native: NativeClient): Promise<Entries> {
  const { proposals = [] } = await native.wallet.listProposals()
  const entries = proposals.map((node): [string, unknown] => {
    const proposal: Proposal = {
      id: node.proposal_id,
      proposer: node.proposer_address,
      parameters: (node.parameters ?? []).map(({ key, value }) => ({
        key: BigInt(key ?? 0),
        value: BigInt(value ?? 0),
      })),
      created: node.create_time ?? 0,
      expires: node.expiration_time ?? 0,
      approvals: node.approvals ?? [],
      state: node.state ?? 'PENDING',
    }
    return [`proposal:${node.proposal_id}`, proposal]
  })
  const last = Math.max(0, ...proposals.map(({ proposal_id }) => proposal_id))
  return [...entries, ['property:proposals', BigInt(last)]]
}

/** Reads one TRC-10 token. */
export async function readOneAsset(native: NativeClient, id: string): Promise<Entries> {
  const node = await native.wallet.getAssetIssueById({ value: id })
  return [[`asset:${id}`, node && readAsset(node)]]
}

/** Reads every token and the list of their ids. */
export async function readAssetIds(native: NativeClient): Promise<Entries> {
  const { assetIssue = [] } = await native.wallet.getAssetIssueList()
  const entries = assetIssue.map((node): [string, unknown] => [`asset:${node.id}`, readAsset(node)])
  return [...entries, ['list:assets', assetIssue.map(({ id }) => id)]]
}

/** The id of the first token. Later tokens have the following ids. */
const FIRST_ASSET = 1_000_001

/** The id of the newest token; one below the first id if there are no tokens. */
export async function readLastAsset(native: NativeClient): Promise<Entries> {
  const exists = async (id: number) =>
    (await native.wallet.getAssetIssueById({ value: String(id) })) !== undefined
  let low = FIRST_ASSET - 1
  let step = 1
  while (await exists(low + step)) {
    low += step
    step *= 2
  }
  let high = low + step
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await exists(middle)) low = middle
    else high = middle
  }
  return [['property:lastAsset', BigInt(low)]]
}

function readAsset(node: NodeAsset): Asset {
  return {
    id: node.id,
    owner: node.owner_address,
    name: node.name ?? '',
    abbr: node.abbr ?? '',
    description: node.description ?? '',
    url: node.url ?? '',
    supply: BigInt(node.total_supply ?? 0),
    frozenSupply: (node.frozen_supply ?? []).map(({ frozen_amount, frozen_days }) => ({
      amount: BigInt(frozen_amount ?? 0),
      days: BigInt(frozen_days ?? 0),
      expires: (node.start_time ?? 0) + Number(frozen_days ?? 0) * DAY,
    })),
    trxNum: BigInt(node.trx_num ?? 0),
    num: BigInt(node.num ?? 0),
    precision: node.precision ?? 0,
    start: node.start_time ?? 0,
    end: node.end_time ?? 0,
    freeNetLimit: BigInt(node.free_asset_net_limit ?? 0),
    publicFreeNetLimit: BigInt(node.public_free_asset_net_limit ?? 0),
  }
}

const DAY = 86_400_000
