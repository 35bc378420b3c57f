/** Installations from a store as they are kept name their suite only; its secret and its newest ticket are brought when the platform is asked. */
import type { Carrier } from '../carrier.ts'
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

/** Null: this installation has no such application any more. */
type FindSuite = (provider: Provider, suite_id: string) => Promise<Suite | null>

export function withSuiteCredentials({ lark, wecom, dingtalk }: Platforms, findSuite: FindSuite): Platforms {
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
    hidden: one.hidden && wrapHiddenNames(one.hidden, resolveApp),
    exchange: async (app, asked) => one.exchange(await resolveApp(app), asked),
    sign: async (app, asked) => one.sign(await resolveApp(app), asked),
  })
  return { lark: wrapPlatform(lark), wecom: wrapPlatform(wecom), dingtalk: wrapPlatform(dingtalk) }
}

type ResolveApp = (app: ChatApp) => Promise<ChatApp>
const wrapDirectory = (one: Directory, resolveApp: ResolveApp): Directory => ({
  describe: (app) => one.describe(app),
  check: async (app) => one.check(await resolveApp(app)),
  range: async (app) => one.range(await resolveApp(app)),
  departments: async (app, next) => one.departments(await resolveApp(app), next),
  people: async (app, department_id, next) => one.people(await resolveApp(app), department_id, next),
  person: async (app, user_id) => one.person(await resolveApp(app), user_id),
  department: async (app, department_id) => one.department(await resolveApp(app), department_id),
  findByMobile: async (app, mobiles) => one.findByMobile(await resolveApp(app), mobiles),
})
const wrapMessages = (one: ChatMessages, resolveApp: ResolveApp): ChatMessages => ({
  describe: (app) => one.describe(app),
  sendMany: async (app, asked) => one.sendMany(await resolveApp(app), asked),
  standing: async (app, asked) => one.standing(await resolveApp(app), asked),
  update: async (app, asked) => one.update(await resolveApp(app), asked),
  sentToday: async (app) => one.sentToday(await resolveApp(app)),
})
const wrapHiddenNames = (one: HiddenNames, resolveApp: ResolveApp): HiddenNames => ({
  ...one,
  search: async (app, names) => one.search(await resolveApp(app), names),
  chosen: async (app, ticket) => one.chosen(await resolveApp(app), ticket),
  translate: async (app, file) => one.translate(await resolveApp(app), file),
  translated: async (app, job) => one.translated(await resolveApp(app), job),
})
const wrapCarrier = ({ amend: updateMessages, ...one }: Carrier<ChatApp>, resolveApp: ResolveApp): Carrier<ChatApp> => ({
  describe: (app) => one.describe(app),
  send: async (app, messages) => one.send(await resolveApp(app), messages),
  lookup: async (app, messages) => one.lookup(await resolveApp(app), messages),
  recall: async (app, messages) => one.recall(await resolveApp(app), messages),
  ...(updateMessages
    ? {
        amend: async (app: ChatApp, messages: Parameters<typeof updateMessages>[1]) =>
          updateMessages(await resolveApp(app), messages),
      }
    : {}),
})
