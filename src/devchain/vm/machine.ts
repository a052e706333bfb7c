import { Hardfork as EvmHardfork, Mainnet, createCustomCommon } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'

import type { Hardfork } from '../state/hardforks.ts'
import { parameter } from '../state/parameters.ts'
import type { State } from '../state/state.ts'
import type { BlockContext } from './blockContext.ts'
import { energyOpcodes, energyParams, reportingOpcodes } from './energy.ts'
import { createReusableEvm, type ReusableEvm } from './evmInternals.ts'
import type { Pace } from './pace.ts'
import { ethereumPrecompiles, precompiles } from './precompiles.ts'
import { recoverKey } from './recover.ts'
import { type TokenCalls, tokenOpcodes } from './tokens.ts'
import type { VmState } from './vmState.ts'

/** The current run, as the operations of the chain use it. */
export type RunHooks = {
  state: VmState
  tokens: TokenCalls
  pace: Pace
  onSelfdestruct: reportingOpcodes.Hooks['onSelfdestruct']
  onGas: () => void
  /** See {@link BlockContext.signerOf}. */
  signerOf: NonNullable<BlockContext['signerOf']>
}

/** An EVM with the schedule of the chain or of a hardfork. One run uses it at a time. */
export type Machine = ReusableEvm & { hooks: RunHooks; isIstanbul: boolean }

/** Idle machines, by their rules. */
const idle = new Map<string, Machine[]>()

/** Returns a machine for the current rules of a state, or for a hardfork. The caller gives it back with `release`. */
export async function borrowMachine(
  state: State,
  { chainId, hardfork }: Pick<BlockContext, 'chainId' | 'hardfork'>,
): Promise<{ machine: Machine; release: () => void }> {
  const rules = hardfork ?? rulesOf(state)
  const key = `${chainId}/${typeof rules === 'string' ? rules : Object.values(rules).join('/')}`
  const waiting = idle.get(key) ?? []
  idle.set(key, waiting)
  const machine =
    waiting.pop() ??
    (typeof rules === 'string'
      ? await buildEthereumMachine(chainId, rules)
      : await buildMachine(chainId, rules))
  return { machine, release: () => void waiting.push(machine) }
}

function rulesOf(state: State): Rules {
  return {
    isAdjusted: parameter(state, 'getAllowEnergyAdjustment') === 1n,
    isIstanbul: parameter(state, 'getAllowTvmIstanbul') === 1n,
    hasPricedMemory: parameter(state, 'getAllowHigherLimitForMaxCpuTimeOfOneTx') === 1n,
  }
}

type Rules = { isAdjusted: boolean; isIstanbul: boolean; hasPricedMemory: boolean }

async function buildMachine(chainId: number, rules: Rules): Promise<Machine> {
  const common = createCustomCommon({ chainId }, Mainnet, {
    hardfork: EvmHardfork.Shanghai,
    eips: [1153, 4844, 5656, 7516],
    customCrypto: { ecrecover: recoverKey },
  })
  const params = energyParams(rules.hasPricedMemory, rules.isIstanbul)
  // The opcode table reads its prices from here before the EVM exists.
  common.updateParams(params)
  return machineOf(rules.isIstanbul, (hooks, reports) =>
    createReusableEvm({
      ...UNLIMITED,
      common,
      params,
      customPrecompiles: precompiles(common, (signature) => hooks().signerOf(signature)),
      customOpcodes: [
        // CHAINID and SELFBALANCE came with the proposal "Istanbul".
        ...(rules.isIstanbul ? [] : [{ opcode: 0x46 }, { opcode: 0x47 }]),
        ...energyOpcodes(common, {
          ...reports,
          adjusted: rules.isAdjusted,
          hasSlot: (address, slot) => hooks().state.hasSlot(address, slot),
        }),
        ...tokenOpcodes(common, () => hooks().tokens),
      ],
    }),
  )
}

async function buildEthereumMachine(chainId: number, hardfork: Hardfork): Promise<Machine> {
  const common = createCustomCommon({ chainId }, Mainnet, {
    hardfork,
    customCrypto: { ecrecover: recoverKey },
  })
  common.updateParams(paramsEVM)
  return machineOf(true, (hooks, reports) =>
    createReusableEvm({
      ...UNLIMITED,
      common,
      customPrecompiles: ethereumPrecompiles(common, (signature) => hooks().signerOf(signature)),
      customOpcodes: reportingOpcodes(common, reports),
    }),
  )
}

const UNLIMITED = { allowUnlimitedContractSize: true, allowUnlimitedInitCodeSize: true }

/** Builds a machine from an EVM whose operations use the hooks of the current run. */
async function machineOf(
  isIstanbul: boolean,
  build: (hooks: () => RunHooks, reports: reportingOpcodes.Hooks) => Promise<ReusableEvm>,
): Promise<Machine> {
  const machine: Partial<Machine> = { isIstanbul }
  const hooks = () => machine.hooks as RunHooks
  const reusable = await build(hooks, {
    load: (contract, slot) => hooks().state.load(contract, slot),
    pace: (work) => hooks().pace.step(work),
    onSelfdestruct: (contract, heir) => hooks().onSelfdestruct(contract, heir),
    onGas: () => hooks().onGas(),
  })
  return Object.assign(machine, reusable) as Machine
}
