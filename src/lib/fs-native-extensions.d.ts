declare module 'fs-native-extensions' {
  /** Locks a whole open file without waiting. False when another open file description has the lock. */
  export function tryLock(descriptor: number): boolean
}
