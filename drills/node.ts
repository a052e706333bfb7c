// The fake node of the drills, in a separate process: dense blocks, then many light ones.
import { createScriptedChain, type ScriptedLog } from '../test/support/chain.ts'

const DENSE = { from: 1, to: 70, logsPerBlock: 600 }
const LIGHT = 330

const chain = createScriptedChain({ seed: 'drill' })
const log = (block: number, index: number): ScriptedLog => ({
  address: (block * 1_000 + index).toString(16).padStart(40, '0'),
  topics: [
    'dd'.repeat(32),
    block.toString(16).padStart(64, '0'),
    index.toString(16).padStart(64, '0'),
  ],
  data: 'ab'.repeat(64),
})
for (let block = DENSE.from; block <= DENSE.to; block++)
  chain.mine({
    logs: Array.from({ length: DENSE.logsPerBlock / 25 }, (_, transaction) =>
      Array.from({ length: 25 }, (_, index) => log(block, transaction * 25 + index)),
    ),
  })
for (let block = 0; block < LIGHT; block++)
  chain.mine({ logs: Array.from({ length: 20 }, () => []) })
const { number: head } = chain.head()
chain.solidify(head)

const { url } = await chain.listen()
process.send?.({ dense: DENSE, head, url })

process.on('message', ({ hang, mine }: { hang?: boolean; mine?: boolean }) => {
  if (hang !== undefined) chain.faults.hang = hang
  if (mine) chain.solidify(chain.mine().number)
  process.send?.('done')
})
