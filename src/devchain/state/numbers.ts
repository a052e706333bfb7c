import { Contract_ContractTypeSchema } from '../../native/protobuf/gen/transaction_pb.ts'

/** The number of each contract type, which is its bit in the operations of a permission. */
export const ContractTypeNumbers: Readonly<Record<string, number>> = Object.fromEntries(
  Contract_ContractTypeSchema.values.map(({ name, number }) => [name, number]),
)
