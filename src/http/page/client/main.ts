import { startConnect } from './connect.ts'
import { startConsole } from './console.ts'
import { startCopy } from './copy.ts'
import { startLive } from './live.ts'

startCopy()
startLive()
startConnect()
startConsole()
