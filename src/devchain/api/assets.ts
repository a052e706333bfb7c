import { assetRecord } from '../contracts/records.ts'
import type { Asset } from '../state/model.ts'
import type { Call, Operations } from './operation.ts'
import { NodeError } from './request.ts'
import { spell } from './spelling.ts'

/** Reads a member that is a number or a text. */
const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? value.toString() : ''

const assets = ({ state }: Call): Asset[] =>
  (state.get('list', 'assets') ?? []).map((id) => state.get('asset', id) as Asset)

const assetsWith = (call: Call, field: 'name' | 'owner', value: string) =>
  assets(call).filter((asset) => asset[field] === value)

const printAssets = (call: Call, list: Asset[]) =>
  list.length > 0
    ? { assetIssue: spell(list.map(assetRecord.print), call.params.visible, ['name', 'url']) }
    : {}

const oneAsset = (call: Call, asset: Asset | undefined) =>
  asset ? spell(assetRecord.print(asset), call.params.visible, ['name', 'url']) : {}

/** The queries of TRC-10 tokens. */
export const assetOperations: Operations = {
  getassetissuelist: { run: (call) => printAssets(call, assets(call)) },
  getpaginatedassetissuelist: {
    run(call) {
      const offset = Number(call.params.int('offset'))
      const limit = Number(call.params.int('limit'))
      return offset < 0 || limit < 0
        ? {}
        : printAssets(call, assets(call).slice(offset, offset + limit))
    },
  },
  getassetissuebyid: {
    run: (call) => oneAsset(call, call.state.get('asset', textOf(call.params.json['value']))),
  },
  getassetissuebyname: {
    run(call) {
      const name = call.params.hex('value', 'text')
      const found = assetsWith(call, 'name', name)
      if (found.length > 1)
        throw new NodeError(
          'org.tron.core.exception.NonUniqueObjectException',
          'To get more than one asset, please use getAssetIssueById syntax',
        )
      return oneAsset(
        call,
        found[0] ?? call.state.get('asset', Buffer.from(name, 'hex').toString()),
      )
    },
  },
  getassetissuelistbyname: {
    run(call) {
      const name = call.params.hex('value', 'text')
      return printAssets(call, assetsWith(call, 'name', name))
    },
  },
  getassetissuebyaccount: {
    prefix: 'wallet',
    run(call) {
      const owner = call.params.hex('address', 'address')
      return printAssets(call, assetsWith(call, 'owner', owner))
    },
  },
}
