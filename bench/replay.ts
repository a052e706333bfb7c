// The recorded node in a separate process.
import { startReplayNode } from '../test/support/node.ts'

const { solidityUrl, url } = await startReplayNode()
process.send?.({ solidityUrl, url })
