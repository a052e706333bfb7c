// The recorded node in a process of its own.
import { startReplayNode } from '../test/node.ts'

const { solidityUrl, url } = await startReplayNode()
process.send?.({ solidityUrl, url })
