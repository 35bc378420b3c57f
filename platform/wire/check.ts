/** What the checks of an application have in common: an error becomes a problem that says where to put it right. */
import {
  type App,
  type AppProblem,
  type Directory,
  type DirectoryDepartment,
  type DirectoryPerson,
  PlatformError,
} from '../types.ts'

type Words = Readonly<Record<string, Pick<AppProblem, 'about' | 'words'>>>

/** What was asked for, or null where it is not there or not to be seen. */
export async function askedFor<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'not_found') return null
    throw error
  }
}

/** The platform itself is away: that says nothing of the application. */
const isAway = ({ kind }: PlatformError): boolean => kind === 'temporary' || kind === 'rate_limited'

/** What was read, or null and a problem more. */
export async function orNull<T>(
  reading: Promise<T>,
  problems: AppProblem[],
  problemOf: (error: PlatformError) => AppProblem,
): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    problems.push(problemOf(error))
    return null
  }
}

export function blocking(error: PlatformError, words: Words, about: AppProblem['about'] = 'app'): AppProblem {
  const known = words[error.code]
  if (isAway(error) && !known) throw error
  const { code, permission } = error
  if (known) return { ...known, blocking: true, permission, code }
  const lacking = permission
    ? `应用缺少权限「${permission}」，请在平台的管理后台开通后再试`
    : `平台拒绝了请求（${code} ${error.message}），请核对应用的设置`
  return { about, blocking: true, permission, code, words: lacking }
}

export const missing = (
  about: AppProblem['about'],
  permission: string | null,
  words: string,
  isBlocking = false,
): AppProblem => ({
  about,
  blocking: isBlocking,
  permission,
  code: null,
  words,
})

/** Some people to see what is told of them: those of the first department that has any, or of those who were granted alone. */
export async function someOf(
  directory: Directory,
  app: App,
  departments: readonly DirectoryDepartment[],
): Promise<readonly DirectoryPerson[]> {
  for (const { id } of departments.slice(0, 6)) {
    const { items } = await directory.people(app, id, null)
    if (items.length > 0) return items
  }
  return []
}
