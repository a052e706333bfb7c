import type { BuildRequest } from './request.ts'

/** The memo as hex, and the options that make a builder put it in and name the permission. */
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
