import { fromBase58 } from '../../lib/base58.ts'
import { printInt, withoutZeros } from '../contracts/printing.ts'
import { contractRecord, proposalRecord, witnessRecord } from '../contracts/records.ts'
import { allowanceOf } from '../contracts/vote.ts'
import type { ContractRecord, Proposal, Witness } from '../state/model.ts'
import { PARAMETER_KEYS, parameter } from '../state/parameters.ts'
import type { StateReader } from '../state/state.ts'
import { codeHash } from '../vm/vmState.ts'
import type { Call, Operations } from './operation.ts'
import { illegalArgument } from './request.ts'
import { spell } from './spelling.ts'

const CODE_VERSION = '4.8.0'

function proposalIds({ state }: Call): number[] {
  const count = Number(state.get('property', 'proposals') ?? 0n)
  return Array.from({ length: count }, (_, index) => index + 1)
}

function printProposals({ params, state }: Call, ids: readonly number[]): unknown {
  if (ids.length === 0) return {}
  const proposals = ids.map((id) =>
    proposalRecord.print(state.get('proposal', String(id)) as Proposal),
  )
  return { proposals: spell(proposals, params.visible) }
}

function printContract(contract: ContractRecord, state: StateReader): unknown {
  const code = state.get('code', contract.address)
  return {
    ...contractRecord.print(contract),
    ...(code && { code_hash: Buffer.from(codeHash(code)).toString('hex') }),
  }
}

function contractOf(call: Call): ContractRecord | undefined {
  const { params, state } = call
  if (!params.visible) return state.get('contract', params.hex('value', 'address'))
  const address = params.text('value')
  const wrong = /[^1-9A-HJ-NP-Za-km-z]/.exec(address)
  if (wrong) throw illegalArgument(`Illegal character ${wrong[0]} at ${wrong.index}`)
  return state.get('contract', anyAddress(address))
}

function nodeInfo(call: Call): unknown {
  const { ledger } = call
  const reference = ({ id, header }: ReturnType<typeof ledger.head>) =>
    `Num:${header.number},ID:${id}`
  const memory = process.memoryUsage()
  return {
    activeConnectCount: 0,
    beginSyncNum: ledger.head().header.number,
    block: reference(ledger.head()),
    cheatWitnessInfoMap: {},
    configNodeInfo: {
      activeNodeSize: 0,
      allowAdaptiveEnergy: 0,
      allowCreationOfContracts: 1,
      backupListenPort: 0,
      backupMemberSize: 0,
      backupPriority: 0,
      codeVersion: CODE_VERSION,
      dbVersion: 2,
      discoverEnable: false,
      listenPort: 0,
      maxConnectCount: 0,
      maxTimeRatio: 5,
      minParticipationRate: 0,
      minTimeRatio: 0,
      p2pVersion: '0',
      passiveNodeSize: 0,
      sameIpMaxConnectCount: 0,
      sendNodeSize: 0,
      supportConstant: true,
      versionNum: '0',
    },
    currentConnectCount: 0,
    machineInfo: {
      cpuCount: 1,
      cpuRate: 0,
      deadLockThreadCount: 0,
      deadLockThreadInfoList: [],
      freeMemory: memory.heapTotal - memory.heapUsed,
      javaVersion: '17',
      jvmFreeMemory: memory.heapTotal - memory.heapUsed,
      jvmTotalMemory: memory.heapTotal,
      memoryDescInfoList: [],
      osName: 'ethgate devchain',
      processCpuRate: 0,
      threadCount: 1,
      totalMemory: memory.rss,
    },
    passiveConnectCount: 0,
    peerList: [],
    solidityBlock: reference(ledger.solid()),
    totalFlow: 0,
  }
}

/** The queries of contracts, witnesses, proposals, tokens, parameters, prices and the node. */
export const networkOperations: Operations = {
  getcontract: {
    prefix: 'wallet',
    run(call) {
      const contract = contractOf(call)
      return contract ? spell(printContract(contract, call.state), call.params.visible) : {}
    },
  },
  getcontractinfo: {
    prefix: 'wallet',
    run(call) {
      const contract = contractOf(call)
      if (!contract) return {}
      const code = call.state.get('code', contract.address)
      return {
        smart_contract: spell(printContract(contract, call.state), call.params.visible),
        ...(code && code.length > 0 && { runtimecode: Buffer.from(code).toString('hex') }),
        contract_state: {
          ...withoutZeros({
            energy_factor: contract.energyFactor ?? 0n,
            update_cycle: call.state.get('property', 'cycle') ?? 0n,
          }),
        },
      }
    },
  },
  listwitnesses: {
    run(call) {
      const witnesses = (call.state.get('list', 'witnesses') ?? [])
        .toSorted()
        .map((address) => witnessRecord.print(call.state.get('witness', address) as Witness))
      return { witnesses: spell(witnesses, call.params.visible) }
    },
  },
  getBrokerage: {
    run: ({ params, state }) => ({
      brokerage: state.get('witness', anyAddress(params.text('address')))?.brokerage ?? 20,
    }),
  },
  getReward: {
    run: ({ params, state }) => ({
      reward: printInt(allowanceOf(state, anyAddress(params.text('address')))),
    }),
  },
  listproposals: {
    prefix: 'wallet',
    run(call) {
      return printProposals(call, proposalIds(call).toReversed())
    },
  },
  getpaginatedproposallist: {
    prefix: 'wallet',
    run(call) {
      const offset = Number(call.params.int('offset'))
      const limit = Number(call.params.int('limit'))
      return printProposals(call, proposalIds(call).slice(offset, offset + limit))
    },
  },
  getproposalbyid: {
    prefix: 'wallet',
    run(call) {
      const proposal = call.state.get('proposal', String(call.params.int('id')))
      return proposal ? spell(proposalRecord.print(proposal), call.params.visible) : {}
    },
  },
  getchainparameters: {
    prefix: 'wallet',
    ignoresBody: true,
    run: ({ state }) => ({
      chainParameter: PARAMETER_KEYS.map((key) => ({
        key,
        ...withoutZeros({ value: parameter(state, key) }),
      })),
    }),
  },
  getenergyprices: {
    ignoresBody: true,
    run: ({ state }) => ({ prices: state.get('prices', 'energy') }),
  },
  getbandwidthprices: {
    ignoresBody: true,
    run: ({ state }) => ({ prices: state.get('prices', 'bandwidth') }),
  },
  getmemofee: {
    prefix: 'wallet',
    ignoresBody: true,
    run: ({ state }) => ({ prices: state.get('prices', 'memo') }),
  },
  getburntrx: {
    ignoresBody: true,
    run: ({ state }) => ({ burnTrxAmount: printInt(state.get('property', 'burned') ?? 0n) }),
  },
  getnextmaintenancetime: {
    prefix: 'wallet',
    ignoresBody: true,
    run: ({ state }) => ({ num: printInt(state.get('property', 'nextMaintenance') ?? 0n) }),
  },
  listnodes: { prefix: 'wallet', ignoresBody: true, run: () => ({}) },
  getnodeinfo: { ignoresBody: true, run: nodeInfo },
}

/** Reads an address in either format, which these two operations accept. */
function anyAddress(address: string): string {
  if (!address.startsWith('T')) return address.replace(/^0x/, '').toLowerCase()
  try {
    return fromBase58(address).toString('hex')
  } catch {
    return ''
  }
}
