/** Code shared by the checks of an application: converts an error to an issue that says where to correct it. */
import {
  type AppIssue,
  type ChatApp,
  type Directory,
  type DirectoryDepartment,
  type DirectoryUser,
  PlatformError,
} from '../types.ts'

type IssuesByCode = Readonly<Record<string, Pick<AppIssue, 'area' | 'message'>>>

/** Returns the result, or null if the object does not exist or is not visible. */
export async function nullIfNotFound<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'not_found') return null
    throw error
  }
}

/** The platform itself is unavailable, which proves nothing about the application. */
const isUnavailable = ({ kind }: PlatformError): boolean => kind === 'temporary' || kind === 'rate_limited'

/** Returns the result, or null and records an issue. */
export async function collectIssue<T>(
  pending: Promise<T>,
  issues: AppIssue[],
  toIssue: (error: PlatformError) => AppIssue,
): Promise<T | null> {
  try {
    return await pending
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    issues.push(toIssue(error))
    return null
  }
}

export function toBlockingIssue(error: PlatformError, issuesByCode: IssuesByCode, area: AppIssue['area'] = 'app'): AppIssue {
  const existingIssue = issuesByCode[error.code]
  if (isUnavailable(error) && !existingIssue) throw error
  const { code, permission, address } = error
  if (existingIssue) {
    const message = address ? `${existingIssue.message}：${address}` : existingIssue.message
    return { ...existingIssue, message, blocking: true, permission, code }
  }
  const fallbackMessage = permission
    ? `应用缺少权限「${permission}」，请在平台的管理后台开通后再试`
    : `平台拒绝了请求（${code} ${error.message}），请核对应用的设置`
  return { area, blocking: true, permission, code, message: fallbackMessage }
}

export const createIssue = (
  area: AppIssue['area'],
  permission: string | null,
  message: string,
  isBlocking = false,
): AppIssue => ({
  area,
  blocking: isBlocking,
  permission,
  code: null,
  message,
})

/** Returns a few users, to see which fields are available: of the first department that has any, or granted ones. */
export async function sampleUsers(
  directory: Directory,
  app: ChatApp,
  departments: readonly DirectoryDepartment[],
): Promise<readonly DirectoryUser[]> {
  for (const { id } of departments.slice(0, 6)) {
    const { items } = await directory.listUsers(app, id, null)
    if (items.length > 0) return items
  }
  return []
}
