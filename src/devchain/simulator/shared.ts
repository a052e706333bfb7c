/** Simulations that the thread runs at once. Most wait for the node. */
export const PLACES = 8

/** Memory that the thread writes and the gateway reads, also when the thread does not answer or has ended. */
export type SharedFigures = ReturnType<typeof figuresIn>

/** The figures in a shared buffer. The places of simulations are 1 to `PLACES`. */
export function figuresIn(buffer: SharedArrayBuffer) {
  const turns = new Int32Array(buffer, 0, 2)
  const used = new Float64Array(buffer, 8, 2 * (PLACES + 1))
  return {
    buffer,
    /** The number of the simulation that computes; 0 for none. */
    computing: () => Atomics.load(turns, 0),
    /** Turns so far. */
    turns: () => Atomics.load(turns, 1),
    begin(number: number) {
      Atomics.store(turns, 0, number)
      Atomics.add(turns, 1, 1)
    },
    /** What the simulation at a place has used: calls to the node, and milliseconds of computing. */
    of: (place: number) => ({ calls: used[2 * place] ?? 0, computed: used[2 * place + 1] ?? 0 }),
    setCalls(place: number, calls: number) {
      used[2 * place] = calls
    },
    setComputed(place: number, milliseconds: number) {
      used[2 * place + 1] = milliseconds
    },
  }
}

/** Empty figures. */
export const createFigures = (): SharedFigures =>
  figuresIn(new SharedArrayBuffer(8 + 16 * (PLACES + 1)))
