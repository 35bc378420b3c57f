/** The platforms' directories, for use without an open transaction, and the messages for their errors. */
import type { Callbacks, Directory, Installs, Platform, PlatformError, Platforms } from '../../../platform/types.ts'
import { type ChatProvider, chatProviderRules, mapProviders, providerLabels } from '../../contract/shared/providers.ts'
import { type NoTransaction, requireNoTransaction } from '../../database/no-transaction.ts'

type DirectoryMethod = 'check' | 'getVisibleRange' | 'listDepartments' | 'listUsers' | 'getUser' | 'getDepartment'
export type ExternalDirectory = Pick<Directory, 'describe'> & {
  readonly [K in DirectoryMethod]: (noTransaction: NoTransaction, ...args: Parameters<Directory[K]>) => ReturnType<Directory[K]>
}
export type ExternalDirectories = Readonly<Record<ChatProvider, ExternalDirectory>>
export type ExternalInstalls = {
  readonly [K in keyof Installs]: (noTransaction: NoTransaction, ...args: Parameters<Installs[K]>) => ReturnType<Installs[K]>
} & {
  /** Returns the user who signed in on the page of a company's own application. */
  readonly exchangeCode: (
    noTransaction: NoTransaction,
    ...args: Parameters<Platform['exchangeCode']>
  ) => ReturnType<Platform['exchangeCode']>
}
export const createExternalInstalls = (platforms: Platforms): Readonly<Record<ChatProvider, ExternalInstalls>> => {
  const wrapInstalls = ({ installs, exchangeCode }: Platform): ExternalInstalls => ({
    exchangeCode: requireNoTransaction((app, request) => exchangeCode(app, request)),
    getInstallUrl: requireNoTransaction((suite, request) => installs.getInstallUrl(suite, request)),
    completeInstall: requireNoTransaction((suite, request) => installs.completeInstall(suite, request)),
    getIdentity: requireNoTransaction((suite, request) => installs.getIdentity(suite, request)),
  })
  return mapProviders((provider) => wrapInstalls(platforms[provider]))
}
export type PlatformCallbacks = Readonly<Record<ChatProvider, Callbacks>>

const wrapDirectory = ({ directory }: Platform): ExternalDirectory => ({
  describe: (app) => directory.describe(app),
  check: requireNoTransaction((app) => directory.check(app)),
  getVisibleRange: requireNoTransaction((app) => directory.getVisibleRange(app)),
  listDepartments: requireNoTransaction((app, next) => directory.listDepartments(app, next)),
  listUsers: requireNoTransaction((app, department_id, next) => directory.listUsers(app, department_id, next)),
  getUser: requireNoTransaction((app, user_id) => directory.getUser(app, user_id)),
  getDepartment: requireNoTransaction((app, department_id) => directory.getDepartment(app, department_id)),
})
export const createExternalDirectories = (platforms: Platforms): ExternalDirectories =>
  mapProviders((provider) => wrapDirectory(platforms[provider]))

/** The provider is recognized by its name: a module imports types of the platform code, but nothing that runs. */
const isPlatformError = (error: unknown): error is PlatformError => error instanceof Error && error.name === 'PlatformError'
export const asPlatformError = (error: unknown): PlatformError | null => (isPlatformError(error) ? error : null)

const platformErrorMessages: Partial<Record<PlatformError['kind'], string>> = {
  rate_limited: '办公平台要求放慢，请过几分钟再试',
  temporary: '连不上办公平台，请稍后再试',
  app_disabled: '应用已被停用，请在办公平台的管理后台启用',
  unauthorised: '企业已取消对应用的授权，请在办公平台重新授权',
  not_permitted: '应用缺少读取通讯录的权限，请在办公平台的管理后台开通后再试',
}
export function getPlatformErrorMessage(error: Pick<PlatformError, 'kind' | 'provider' | 'permission' | 'address'>): string {
  const { kind, provider, permission, address } = error
  const label = providerLabels[provider]
  if (kind === 'ip_not_trusted')
    return `请在${label}后台的「${chatProviderRules[provider].addressList}」加入薪函服务器的 IP${address ? `：${address}` : ''}`
  if (kind === 'not_permitted' && permission) return `应用没有「${permission}」接口权限，请在${label}后台的应用详情里开通`
  return platformErrorMessages[kind] ?? `${label}拒绝了请求，请核对应用的编号和密钥`
}
