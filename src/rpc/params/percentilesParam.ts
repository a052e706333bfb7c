import { type Param, show } from './params.ts'

/** The limit of geth. */
const MAX_PERCENTILES = 100

/** The percentiles of `eth_feeHistory`: ascending numbers from 0 to 100. */
export const rewardPercentiles: Param<number[]> = (input) => {
  if (!Array.isArray(input)) throw new Error(`expected an array of numbers, got ${show(input)}`)
  if (input.length > MAX_PERCENTILES) throw new Error(`more than ${MAX_PERCENTILES} percentiles`)
  input.forEach((value: unknown, index) => {
    const previous = index === 0 ? 0 : Number(input[index - 1])
    if (typeof value !== 'number' || !(value >= previous && value <= 100))
      throw new Error(`expected ascending numbers from 0 to 100, got ${show(input)}`)
  })
  return input as number[]
}
rewardPercentiles.doc = {
  name: 'rewardPercentiles',
  schema: {
    type: 'array',
    maxItems: MAX_PERCENTILES,
    items: { type: 'number', minimum: 0, maximum: 100 },
  },
}
