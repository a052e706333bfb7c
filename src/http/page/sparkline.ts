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

/** SVG path of a bar chart: one bar from the bottom for each point that is not zero. */
export function bars(
  points: readonly (number | undefined)[],
  width: number,
  height: number,
): string {
  const top = Math.max(...points.map((point) => point ?? 0), 1)
  const step = width / points.length
  return points
    .map((point = 0, index) => {
      const x = ((index + 0.5) * step).toFixed(1)
      return point === 0
        ? ''
        : `M${x} ${height}V${(height - (point / top) * (height - 2)).toFixed(1)}`
    })
    .join('')
}
