/** Stored installations contain only the id of their suite; its secret and latest ticket are added for each call. */
import type { Carrier } from '../carrier.ts'
import { mapProviders } from '../chat/providers.ts'
import {
  type ChatApp,
  type ChatMessages,
  type Directory,
  type HiddenNames,
  type Platform,
  PlatformError,
  type Platforms,
  type Provider,
  type Suite,
} from '../types.ts'

/** The value is null if this installation no longer has such an application. */
type FindSuite = (provider: Provider, suite_id: string) => Promise<Suite | null>

export function withSuiteCredentials(platforms: Platforms, findSuite: FindSuite): Platforms {
  const resolveApp = async (app: ChatApp): Promise<ChatApp> => {
    if (!app.suite) return app
    const suite = await findSuite(app.provider, app.suite.id)
    if (!suite)
      throw new PlatformError(app.provider, 'app_disabled', 'no_suite', 'the application of the store is not set up any more')
    return { ...app, suite }
  }
  const wrapPlatform = (one: Platform): Platform => ({
    ...one,
    directory: wrapDirectory(one.directory, resolveApp),
    messages: wrapMessages(one.messages, resolveApp),
    carrier: wrapCarrier(one.carrier, resolveApp),
    hiddenNames: one.hiddenNames && wrapHiddenNames(one.hiddenNames, resolveApp),
    exchangeCode: async (app, requested) => one.exchangeCode(await resolveApp(app), requested),
    signPage: async (app, requested) => one.signPage(await resolveApp(app), requested),
  })
  return mapProviders((provider) => wrapPlatform(platforms[provider]))
}

type ResolveApp = (app: ChatApp) => Promise<ChatApp>
const wrapDirectory = (one: Directory, resolveApp: ResolveApp): Directory => ({
  describe: (app) => one.describe(app),
  check: async (app) => one.check(await resolveApp(app)),
  getVisibleRange: async (app) => one.getVisibleRange(await resolveApp(app)),
  listDepartments: async (app, next) => one.listDepartments(await resolveApp(app), next),
  listUsers: async (app, department_id, next) => one.listUsers(await resolveApp(app), department_id, next),
  getUser: async (app, user_id) => one.getUser(await resolveApp(app), user_id),
  getDepartment: async (app, department_id) => one.getDepartment(await resolveApp(app), department_id),
  findByMobile: async (app, mobiles) => one.findByMobile(await resolveApp(app), mobiles),
})
const wrapMessages = (one: ChatMessages, resolveApp: ResolveApp): ChatMessages => ({
  describe: (app) => one.describe(app),
  sendMany: async (app, requested) => one.sendMany(await resolveApp(app), requested),
  getDeliveryStatus: async (app, requested) => one.getDeliveryStatus(await resolveApp(app), requested),
  update: async (app, requested) => one.update(await resolveApp(app), requested),
  countSentToday: async (app) => one.countSentToday(await resolveApp(app)),
})
const wrapHiddenNames = (one: HiddenNames, resolveApp: ResolveApp): HiddenNames => ({
  ...one,
  findByNames: async (app, names) => one.findByNames(await resolveApp(app), names),
  getSelectedUsers: async (app, ticket) => one.getSelectedUsers(await resolveApp(app), ticket),
  startTranslation: async (app, file) => one.startTranslation(await resolveApp(app), file),
  getTranslationUrl: async (app, job) => one.getTranslationUrl(await resolveApp(app), job),
})
const wrapCarrier = ({ updateMessages, ...one }: Carrier<ChatApp>, resolveApp: ResolveApp): Carrier<ChatApp> => ({
  describe: (app) => one.describe(app),
  send: async (app, messages) => one.send(await resolveApp(app), messages),
  find: async (app, messages) => one.find(await resolveApp(app), messages),
  recall: async (app, messages) => one.recall(await resolveApp(app), messages),
  ...(updateMessages
    ? {
        updateMessages: async (app: ChatApp, messages: Parameters<typeof updateMessages>[1]) =>
          updateMessages(await resolveApp(app), messages),
      }
    : {}),
})
