import * as schemas from '../../codec/schemas.ts'
import { VERSION } from '../../lib/version.ts'
import { shownRelease } from '../../native/shownText.ts'
import { defineMethod } from '../method.ts'

export const web3_clientVersion = defineMethod({
  params: [],
  result: schemas.text,
  summary: 'name and version of the gateway, then of its node',
  async handler({ native }, _, call) {
    const { configNodeInfo } = await native.wallet.getNodeInfo(undefined, call)
    const release = shownRelease(configNodeInfo?.codeVersion) ?? 'unknown'
    return `ethgate/v${VERSION}/java-tron/v${release}`
  },
})
