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
  /** Geth's text for its failure. */
  error?: string
  calls: Frame[]
  logs: FrameLog[]
  /** Whether the target is a precompiled contract. */
  isBuiltIn?: boolean
}

/** A log as hex without `0x`. */
export type FrameLog = {
  address: string
  topics: string[]
  data: string
  /** Number of calls of the frame before it. */
  position: number
}

/** One operation before it runs. */
export type Step = {
  pc: number
  name: string
  /** The byte in the code, also of an invalid operation. */
  code: number
  gas: bigint
  /** Its cost; of a call without the gas that the call gets. */
  cost: bigint
  /** The last element is the top of the stack. */
  stack: readonly bigint[]
  /** Memory before the operation. */
  memory: Uint8Array
  /** 0 in the outermost frame. */
  depth: number
  /** The account whose storage it uses. */
  address: string
}
