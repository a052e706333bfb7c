/** SVG path of a line chart: `points` from left to right, zero at the bottom. Gaps (undefined) break the line. */
export function sparkline(
  points: readonly (number | undefined)[],
  width: number,
  height: number,
): string {
  const top = Math.max(...points.map((point) => point ?? 0), Number.MIN_VALUE)
  const step = width / Math.max(1, points.length - 1)
  let pen = 'M'
  return points
    .map((point, index) => {
      if (point === undefined) {
        pen = 'M'
        return ''
      }
      const y = height - 1 - (point / top) * (height - 2)
      const command = `${pen}${(index * step).toFixed(1)} ${y.toFixed(1)}`
      pen = 'L'
      return command
    })
    .join('')
}
