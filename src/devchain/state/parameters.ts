import type { State, StateReader } from './state.ts'

type Parameter = readonly [key: string, value: bigint, proposal?: number]

/**
 * The chain parameters in the order in which `getchainparameters` prints them, with the values of this chain and the
 * number under which a proposal changes each. The values are those of the public network, except where those are too slow
 * for development.
 */
const PARAMETERS: readonly Parameter[] = [
  ['getMaintenanceTimeInterval', 21_600_000n, 0],
  ['getAccountUpgradeCost', 9_999_000_000n, 1],
  ['getCreateAccountFee', 100_000n, 2],
  ['getTransactionFee', 1_000n, 3],
  ['getAssetIssueFee', 1_024_000_000n, 4],
  ['getWitnessPayPerBlock', 8_000_000n, 5],
  ['getWitnessStandbyAllowance', 115_200_000_000n, 6],
  ['getCreateNewAccountFeeInSystemContract', 1_000_000n, 7],
  ['getCreateNewAccountBandwidthRate', 1n, 8],
  ['getAllowCreationOfContracts', 1n, 9],
  ['getRemoveThePowerOfTheGr', 0n, 10],
  ['getEnergyFee', 100n, 11],
  ['getExchangeCreateFee', 1_024_000_000n, 12],
  ['getMaxCpuTimeOfOneTx', 80n, 13],
  ['getAllowUpdateAccountName', 0n, 14],
  ['getAllowSameTokenName', 1n, 15],
  ['getAllowDelegateResource', 1n, 16],
  ['getTotalEnergyLimit', 180_000_000_000n, 17],
  ['getAllowTvmTransferTrc10', 1n, 18],
  ['getTotalEnergyCurrentLimit', 180_000_000_000n, 19],
  ['getAllowMultiSign', 1n, 20],
  ['getAllowAdaptiveEnergy', 0n, 21],
  ['getTotalEnergyTargetLimit', 6_250_000n],
  ['getTotalEnergyAverageUsage', 0n],
  ['getUpdateAccountPermissionFee', 100_000_000n, 22],
  ['getMultiSignFee', 1_000_000n, 23],
  ['getAllowAccountStateRoot', 0n, 25],
  ['getAllowProtoFilterNum', 0n, 24],
  ['getAllowTvmConstantinople', 1n, 26],
  ['getAllowTvmSolidity059', 1n, 32],
  ['getAllowTvmIstanbul', 1n, 41],
  ['getAllowShieldedTRC20Transaction', 0n, 39],
  ['getForbidTransferToContract', 0n, 35],
  ['getAdaptiveResourceLimitTargetRatio', 10n, 33],
  ['getAdaptiveResourceLimitMultiplier', 1_000n, 29],
  ['getChangeDelegation', 1n, 30],
  ['getWitness127PayPerBlock', 128_000_000n, 31],
  ['getAllowMarketTransaction', 0n, 44],
  ['getMarketSellFee', 0n, 45],
  ['getMarketCancelFee', 0n, 46],
  ['getAllowPBFT', 0n, 40],
  ['getAllowTransactionFeePool', 0n, 48],
  ['getMaxFeeLimit', 15_000_000_000n, 47],
  ['getAllowOptimizeBlackHole', 1n, 49],
  ['getAllowNewResourceModel', 0n, 51],
  ['getAllowTvmFreeze', 0n, 52],
  ['getAllowTvmVote', 0n, 59],
  ['getAllowTvmLondon', 1n, 63],
  ['getAllowTvmCompatibleEvm', 1n, 60],
  ['getAllowAccountAssetOptimization', 0n, 53],
  ['getFreeNetLimit', 600n, 61],
  ['getTotalNetLimit', 43_200_000_000n, 62],
  ['getAllowHigherLimitForMaxCpuTimeOfOneTx', 1n, 65],
  ['getAllowAssetOptimization', 0n, 66],
  ['getAllowNewReward', 1n, 67],
  ['getMemoFee', 1_000_000n, 68],
  ['getAllowDelegateOptimization', 1n, 69],
  ['getUnfreezeDelayDays', 14n, 70],
  ['getAllowOptimizedReturnValueOfChainId', 1n, 71],
  ['getAllowDynamicEnergy', 0n, 72],
  ['getDynamicEnergyThreshold', 0n, 73],
  ['getDynamicEnergyIncreaseFactor', 0n, 74],
  ['getDynamicEnergyMaxFactor', 0n, 75],
  ['getAllowTvmShangHai', 1n, 76],
  ['getAllowCancelAllUnfreezeV2', 1n, 77],
  ['getMaxDelegateLockPeriod', 864_000n, 78],
  ['getAllowOldRewardOpt', 0n, 79],
  ['getAllowEnergyAdjustment', 1n, 81],
  ['getMaxCreateAccountTxSize', 1_000n, 82],
  ['getAllowStrictMath', 0n, 87],
  ['getConsensusLogicOptimization', 1n, 88],
  ['getAllowTvmCancun', 1n, 83],
  ['getAllowTvmBlob', 1n, 89],
]

/** Keys in printing order. */
export const PARAMETER_KEYS: readonly string[] = PARAMETERS.map(([key]) => key)

/** The parameter that a proposal number changes. */
export const PROPOSAL_KEYS: ReadonlyMap<bigint, string> = new Map(
  PARAMETERS.flatMap(([key, , id]) => (id === undefined ? [] : [[BigInt(id), key]])),
)

/** Writes the genesis values. `overrides` replaces some of them, by key. */
export function setParameters(
  state: State,
  overrides: Readonly<Record<string, bigint>> = {},
): void {
  for (const [key, value] of PARAMETERS) state.set('parameter', key, overrides[key] ?? value)
}

/** The current value of a parameter. */
export function parameter(state: StateReader, key: string): bigint {
  const value = state.get('parameter', key)
  if (value === undefined) throw new Error(`there is no chain parameter ${key}`)
  return value
}
