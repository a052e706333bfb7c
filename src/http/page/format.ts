/** A hash or address that keeps its first and last characters: `0xf39F…2266`. */
export function short(text: string, digits = 4): string {
  const start = text.startsWith('0x') ? digits + 2 : digits
  return text.length <= start + digits + 2 ? text : `${text.slice(0, start)}…${text.slice(-digits)}`
}

/** A time in UTC to the second: `2026-01-31 12:00:00 UTC`. @param milliseconds - since the epoch */
export function utc(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** A number of seconds in its largest unit: `12 s`, `5 min`, `3 h`, `2 d`. */
export function ago(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** How far a time is from now: `12 s ago`, or `in 5 min` for a time in the future. @param seconds - passed since then */
export function relative(seconds: number): string {
  return seconds <= -1 ? `in ${ago(-seconds)}` : `${ago(seconds)} ago`
}

/** A duration in a unit that suits it: `0.8 ms`, `120 ms`, `2.5 s`. @param ms - milliseconds */
export function duration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
  return `${(ms / 1_000).toFixed(1)} s`
}
