import type { CallKind } from '../../codec/callFrame.ts'

/** A call, creation or destruction inside a run. Addresses are 42 hex characters, amounts the smallest unit of the chain. */
export type Frame = {
  kind: CallKind
  from: string
  /** Absent when a creation failed. */
  to?: string
  /** Absent for STATICCALL. */
  value?: bigint
  gas: bigint
  gasUsed: bigint
  input: Uint8Array
  output: Uint8Array
  /** Why it failed, in geth's words. */
  error?: string
  calls: Frame[]
  logs: FrameLog[]
  /** Whether a built-in contract was called. */
  isBuiltIn?: boolean
}

/** A log as hex without `0x`. */
export type FrameLog = {
  address: string
  topics: string[]
  data: string
  /** How many calls the frame had made before it. */
  position: number
}

/** One operation before it runs. */
export type Step = {
  pc: number
  name: string
  /** The byte in the code, also of an operation that does not exist. */
  code: number
  gas: bigint
  /** What it takes; of a call without what the call gets. */
  cost: bigint
  /** The last one is the top. */
  stack: readonly bigint[]
  /** Memory before the operation. */
  memory: Uint8Array
  /** 0 in the outermost frame. */
  depth: number
  /** Whose storage it works on. */
  address: string
}
