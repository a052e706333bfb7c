import { startConnect } from './connect.ts'
import { startConsole } from './console.ts'
import { startContract, startError } from './contract.ts'
import { startCopy } from './copy.ts'
import { find } from './dom.ts'
import { startLive } from './live.ts'
import { startSwitches } from './switches.ts'
import { startTables } from './table.ts'

const late = document.querySelector('#late-title')?.textContent
if (late) {
  document.title = document.title.replace(/^.*? · /, () => `${late} · `)
  find('main h1').textContent = late
}
startSwitches()
startCopy()
startLive()
startTables()
startConnect()
startContract()
startError()
startConsole()
