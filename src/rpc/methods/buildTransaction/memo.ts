import type { BuildRequest } from './request.ts'

/** The memo as hex, and the options with which the node adds the memo and the permission to a transaction. */
export function memoOf({ extraData, permissionId, visible }: BuildRequest): {
  data: string
  extra_data?: string
  Permission_id?: number
} {
  const data = visible ? Buffer.from(extraData).toString('hex') : extraData
  return {
    data,
    ...(data !== '' && { extra_data: data }),
    ...(permissionId !== 0 && { Permission_id: permissionId }),
  }
}
