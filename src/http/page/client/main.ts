import { startConnect } from './connect.ts'
import { startConsole } from './console.ts'
import { startContract } from './contract.ts'
import { startCopy } from './copy.ts'
import { startLive } from './live.ts'
import { startSwitches } from './switches.ts'
import { startTables } from './table.ts'

startSwitches()
startCopy()
startLive()
startTables()
startConnect()
startContract()
startConsole()
