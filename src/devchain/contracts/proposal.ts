import { invalid } from '../state/errors.ts'
import type { Proposal } from '../state/model.ts'
import { PROPOSAL_KEYS, parameter } from '../state/parameters.ts'
import { type ContractType, type Execution, int, isAddress, list } from './types.ts'

/** Default lifetime of a proposal in milliseconds: three days. */
const LIFETIME = 259_200_000n

function checkWitness({ state, owner }: Execution): void {
  if (!isAddress(owner)) invalid('Invalid address')
  if (!state.get('account', owner)) invalid(`Account[${owner}] not exists`)
  if (!state.get('witness', owner)) invalid(`Witness[${owner}] not exists`)
}

function openProposal({ state, value, now }: Execution): Proposal {
  const id = int(value, 'proposal_id')
  const proposal = state.get('proposal', String(id))
  if (!proposal) return invalid(`Proposal[${id}] not exists`)
  if (now >= proposal.expires) invalid(`Proposal[${id}] expired`)
  if (proposal.state === 'CANCELED') invalid(`Proposal[${id}] canceled`)
  return proposal
}

/** ProposalCreateContract: a witness proposes new values of chain parameters. */
export const ProposalCreateContract: ContractType = {
  validate(execution) {
    checkWitness(execution)
    const parameters = list(execution.value, 'parameters')
    if (parameters.length === 0) invalid('This proposal has no parameter.')
    for (const entry of parameters) {
      const key = PROPOSAL_KEYS.get(int(entry, 'key'))
      if (!key) invalid(`Does not support code : ${int(entry, 'key')}`)
      if (int(entry, 'value') < 0n)
        invalid('Bad chain parameter value, valid range is [0,100000000000000000]')
    }
  },
  execute({ state, value, owner, now }) {
    const id = Number(state.get('property', 'proposals') ?? 0n) + 1
    const due = Number(state.get('property', 'nextMaintenance') ?? 0n)
    const interval = Number(parameter(state, 'getMaintenanceTimeInterval'))
    const lifetime = Number(state.get('property', 'proposalLifetime') ?? LIFETIME)
    const rounds = Math.trunc((now + lifetime - due) / interval)
    state.set('property', 'proposals', BigInt(id))
    state.set('proposal', String(id), {
      id,
      proposer: owner,
      parameters: list(value, 'parameters').map((entry) => ({
        key: int(entry, 'key'),
        value: int(entry, 'value'),
      })),
      created: now,
      expires: due + (rounds + 1) * interval,
      approvals: [],
      state: 'PENDING',
    })
  },
}

/** ProposalApproveContract: a witness approves a proposal, or withdraws its approval. */
export const ProposalApproveContract: ContractType = {
  validate(execution) {
    checkWitness(execution)
    const { value, owner } = execution
    const { approvals, id } = openProposal(execution)
    const who = `Witness[${owner}]`
    const has = approvals.includes(owner)
    if (value['is_add_approval'] === true) {
      if (has) invalid(`${who}has approved proposal[${id}] before`)
    } else if (!has) invalid(`${who}has not approved proposal[${id}] before`)
  },
  execute(execution) {
    const { state, value, owner } = execution
    const proposal = openProposal(execution)
    const others = proposal.approvals.filter((address) => address !== owner)
    state.set('proposal', String(proposal.id), {
      ...proposal,
      approvals: value['is_add_approval'] === true ? [...others, owner] : others,
    })
  },
}

/** ProposalDeleteContract: the proposer deletes a proposal. */
export const ProposalDeleteContract: ContractType = {
  validate(execution) {
    const { state, value, owner } = execution
    if (!isAddress(owner)) invalid('Invalid address')
    if (!state.get('account', owner)) invalid(`Account[${owner}] not exists`)
    const proposal = state.get('proposal', String(int(value, 'proposal_id')))
    if (proposal && proposal.proposer !== owner)
      invalid(`Proposal[${proposal.id}] is not proposed by ${owner}`)
    openProposal(execution)
  },
  execute(execution) {
    const proposal = openProposal(execution)
    execution.state.set('proposal', String(proposal.id), { ...proposal, state: 'CANCELED' })
  },
}
