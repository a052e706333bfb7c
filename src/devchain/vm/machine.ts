import { Hardfork, Mainnet, createCustomCommon } from '@ethereumjs/common'
import type { Address } from '@ethereumjs/util'

import { parameter } from '../state/parameters.ts'
import type { State } from '../state/state.ts'
import type { BlockContext } from './blockContext.ts'
import { energyOpcodes, energyParams } from './energy.ts'
import { createReusableEvm } from './evmInternals.ts'
import type { ReusableEvm } from './evmInternals.ts'
import { precompiles } from './precompiles.ts'
import { recoverKey } from './recover.ts'
import { tokenOpcodes } from './tokens.ts'
import type { TokenCalls } from './tokens.ts'
import type { VmState } from './vmState.ts'

/** The current run, as the operations of the chain use it. */
export type RunHooks = {
  state: VmState
  tokens: TokenCalls
  /** Called at every jump. May return a promise to wait for. Throws when the time limit is exceeded. */
  pace: () => Promise<void> | undefined
  onSelfdestruct: (contract: Address, heir: Address) => void
  onGas: () => void
  /** See {@link BlockContext.signerOf}. */
  signerOf: NonNullable<BlockContext['signerOf']>
}

/** An EVM with the chain's schedule. One run uses it at a time. */
export type Machine = ReusableEvm & { hooks: RunHooks; isIstanbul: boolean }

/** Idle machines, by their rules. */
const idle = new Map<string, Machine[]>()

/** Returns a machine for the current rules of a state. The caller gives it back with `release`. */
export async function borrowMachine(
  state: State,
  chainId: number,
): Promise<{ machine: Machine; release: () => void }> {
  const rules = {
    isAdjusted: parameter(state, 'getAllowEnergyAdjustment') === 1n,
    isIstanbul: parameter(state, 'getAllowTvmIstanbul') === 1n,
    hasPricedMemory: parameter(state, 'getAllowHigherLimitForMaxCpuTimeOfOneTx') === 1n,
  }
  const key = `${chainId}/${rules.isAdjusted}/${rules.isIstanbul}/${rules.hasPricedMemory}`
  const waiting = idle.get(key) ?? []
  idle.set(key, waiting)
  const machine = waiting.pop() ?? (await buildMachine(chainId, rules))
  return { machine, release: () => void waiting.push(machine) }
}

type Rules = { isAdjusted: boolean; isIstanbul: boolean; hasPricedMemory: boolean }

async function buildMachine(chainId: number, rules: Rules): Promise<Machine> {
  const common = createCustomCommon({ chainId }, Mainnet, {
    hardfork: Hardfork.Shanghai,
    eips: [1153, 4844, 5656, 7516],
    customCrypto: { ecrecover: recoverKey },
  })
  const params = energyParams(rules.hasPricedMemory, rules.isIstanbul)
  // The opcode table reads its prices from here before the EVM exists.
  common.updateParams(params)
  const current: { hooks?: RunHooks } = {}
  const hooks = () => current.hooks as RunHooks
  const reusable = await createReusableEvm({
    common,
    params,
    allowUnlimitedContractSize: true,
    allowUnlimitedInitCodeSize: true,
    customPrecompiles: precompiles(common, (signature) => hooks().signerOf(signature)),
    customOpcodes: [
      // CHAINID and SELFBALANCE came with the proposal "Istanbul".
      ...(rules.isIstanbul ? [] : [{ opcode: 0x46 }, { opcode: 0x47 }]),
      ...energyOpcodes(common, {
        adjusted: rules.isAdjusted,
        hasSlot: (address, slot) => hooks().state.hasSlot(address, slot),
        pace: () => hooks().pace(),
        onSelfdestruct: (contract, heir) => hooks().onSelfdestruct(contract, heir),
        onGas: () => hooks().onGas(),
      }),
      ...tokenOpcodes(common, () => hooks().tokens),
    ],
  })
  return {
    ...reusable,
    isIstanbul: rules.isIstanbul,
    get hooks() {
      return hooks()
    },
    set hooks(next) {
      current.hooks = next
    },
  }
}
