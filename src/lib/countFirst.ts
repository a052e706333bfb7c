/** The number of items at the beginning of a list that are early, found in logarithmic time. No early item may follow a late one. */
export function countFirst<item>(list: readonly item[], isEarly: (item: item) => boolean): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isEarly(list[middle] as item)) low = middle + 1
    else high = middle
  }
  return low
}
