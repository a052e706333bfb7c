/**
 * What the calls of one connection made the nodes do. Native calls carry the signal of their connection, so the signal is
 * the key; an asynchronous context would be exact for calls that run at the same time, but slows every promise on Node 20.
 */
export type Meter = {
  /** The caller whose calls run; requests of one HTTP connection may have different ones, but run one after the other. */
  owner: string
  /** Its share among callers that wait. */
  weight: number
  /** Units of native calls that were not charged yet. */
  cost: number
  /** Units that the calls so far have cost. */
  charged: number
}

const meters = new WeakMap<object, Meter>()

/** Opens the meter of a connection. */
export function openMeter(signal: object): Meter {
  const meter: Meter = { owner: '', weight: 1, cost: 0, charged: 0 }
  meters.set(signal, meter)
  return meter
}

/** The meter behind the signal of a call; undefined for work of the gateway itself. */
export function meterOf(signal: object | undefined): Meter | undefined {
  return signal && meters.get(signal)
}

/** Makes a signal count for the same connection as another one. */
export function shareMeter(signal: object, from: object): void {
  const meter = meters.get(from)
  if (meter) meters.set(signal, meter)
}
