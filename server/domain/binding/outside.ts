/** The platforms' directories, for whoever is outdoors; and what their refusals are called here. */
import type { Callbacks, Directory, Installs, Platform, PlatformError, Platforms } from '../../../platform/types.ts'
import { providerNames } from '../../contract/people/providers.ts'
import type { ChatPlatform } from '../../contract/words/words.ts'
import { type Outdoors, onlyOutdoors } from '../../runtime/data/outdoors.ts'

type Asked = 'check' | 'range' | 'departments' | 'people' | 'person' | 'department'
export type OutsideDirectory = Pick<Directory, 'describe'> & {
  readonly [K in Asked]: (outdoors: Outdoors, ...args: Parameters<Directory[K]>) => ReturnType<Directory[K]>
}
export type Directories = Readonly<Record<ChatPlatform, OutsideDirectory>>
export type OutsideInstalls = {
  readonly [K in keyof Installs]: (outdoors: Outdoors, ...args: Parameters<Installs[K]>) => ReturnType<Installs[K]>
} & {
  /** Who signed in on the page of a company's own application. */
  readonly came: (outdoors: Outdoors, ...args: Parameters<Platform['exchange']>) => ReturnType<Platform['exchange']>
}
export const outsideInstalls = ({ lark, wecom, dingtalk }: Platforms): Readonly<Record<ChatPlatform, OutsideInstalls>> => {
  const of = ({ installs, exchange }: Platform): OutsideInstalls => ({
    came: onlyOutdoors((app, ask) => exchange(app, ask)),
    url: onlyOutdoors((suite, ask) => installs.url(suite, ask)),
    finish: onlyOutdoors((suite, ask) => installs.finish(suite, ask)),
    who: onlyOutdoors((suite, ask) => installs.who(suite, ask)),
  })
  return { lark: of(lark), wecom: of(wecom), dingtalk: of(dingtalk) }
}
export type CallbackDesk = Readonly<Record<ChatPlatform, Callbacks>>

const outside = ({ directory }: Platform): OutsideDirectory => ({
  describe: (app) => directory.describe(app),
  check: onlyOutdoors((app) => directory.check(app)),
  range: onlyOutdoors((app) => directory.range(app)),
  departments: onlyOutdoors((app, next) => directory.departments(app, next)),
  people: onlyOutdoors((app, department_id, next) => directory.people(app, department_id, next)),
  person: onlyOutdoors((app, user_id) => directory.person(app, user_id)),
  department: onlyOutdoors((app, department_id) => directory.department(app, department_id)),
})
export const outsideDirectories = ({ lark, wecom, dingtalk }: Platforms): Directories => ({
  lark: outside(lark),
  wecom: outside(wecom),
  dingtalk: outside(dingtalk),
})

/** Known by its name: a domain imports types of the platform room, nothing that runs. */
const isPlatformError = (error: unknown): error is PlatformError => error instanceof Error && error.name === 'PlatformError'
export const asPlatformError = (error: unknown): PlatformError | null => (isPlatformError(error) ? error : null)

const sentences: Partial<Record<PlatformError['kind'], string>> = {
  rate_limited: '办公平台要求放慢，请过几分钟再试',
  temporary: '连不上办公平台，请稍后再试',
  ip_not_trusted: '办公平台不信任这台服务器的地址，请在应用的「企业可信 IP」中加入它',
  app_disabled: '应用已被停用，请在办公平台的管理后台启用',
  unauthorised: '企业已取消对应用的授权，请在办公平台重新授权',
  not_permitted: '应用缺少读取通讯录的权限，请在办公平台的管理后台开通后再试',
}
/** For an administrator: what the platform said no to. */
export const platformSentence = ({ kind, provider }: Pick<PlatformError, 'kind' | 'provider'>): string =>
  sentences[kind] ?? `${providerNames[provider]}拒绝了请求，请核对应用的编号和密钥`
