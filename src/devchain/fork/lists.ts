import type { NativeClient } from '../../native/client.ts'
import { assetRecord, proposalRecord, witnessRecord } from '../contracts/records.ts'
import type { Witness } from '../state/model.ts'
import type { Entries } from './base.ts'

/** Reads every producer and candidate, by address. */
export async function readWitnesses(native: NativeClient): Promise<Entries> {
  const { witnesses = [] } = await native.wallet.listWitnesses()
  return witnesses.map((node) => [
    `witness:${node.address}`,
    { ...witnessRecord.read(node), brokerage: 20 } satisfies Witness,
  ])
}

/** Reads every proposal and their number. */
export async function readProposals(native: NativeClient): Promise<Entries> {
  const { proposals = [] } = await native.wallet.listProposals()
  const last = Math.max(0, ...proposals.map(({ proposal_id }) => proposal_id))
  return [
    ...proposals.map(
      (node) => [`proposal:${node.proposal_id}`, proposalRecord.read(node)] as const,
    ),
    ['property:proposals', BigInt(last)],
  ]
}

/** Reads one TRC-10 token. */
export async function readOneAsset(native: NativeClient, id: string): Promise<Entries> {
  const node = await native.wallet.getAssetIssueById({ value: id })
  return [[`asset:${id}`, node && assetRecord.read(node)]]
}

/** Reads every token and the list of their ids. */
export async function readAssetIds(native: NativeClient): Promise<Entries> {
  const { assetIssue = [] } = await native.wallet.getAssetIssueList()
  const entries = assetIssue.map((node): [string, unknown] => [
    `asset:${node.id}`,
    assetRecord.read(node),
  ])
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
