/** Installations from a store as they are kept name their suite only; its secret and its newest ticket are brought when the platform is asked. */
import type { Carrier } from '../carrier.ts'
import {
  type App,
  type Directory,
  type HiddenNames,
  type Messages,
  type Platform,
  PlatformError,
  type Platforms,
  type Provider,
  type Suite,
} from '../types.ts'

/** Null: this installation has no such application any more. */
type FindSuite = (provider: Provider, suite_id: string) => Promise<Suite | null>

export function suited({ lark, wecom, dingtalk }: Platforms, find: FindSuite): Platforms {
  const whole = async (app: App): Promise<App> => {
    if (!app.suite) return app
    const suite = await find(app.provider, app.suite.id)
    if (!suite)
      throw new PlatformError(app.provider, 'app_disabled', 'no_suite', 'the application of the store is not set up any more')
    return { ...app, suite }
  }
  const platform = (one: Platform): Platform => ({
    ...one,
    directory: directoryOf(one.directory, whole),
    messages: messagesOf(one.messages, whole),
    carrier: carrierOf(one.carrier, whole),
    hidden: one.hidden && hiddenOf(one.hidden, whole),
    exchange: async (app, asked) => one.exchange(await whole(app), asked),
    sign: async (app, asked) => one.sign(await whole(app), asked),
  })
  return { lark: platform(lark), wecom: platform(wecom), dingtalk: platform(dingtalk) }
}

type Whole = (app: App) => Promise<App>
const directoryOf = (one: Directory, whole: Whole): Directory => ({
  describe: (app) => one.describe(app),
  check: async (app) => one.check(await whole(app)),
  range: async (app) => one.range(await whole(app)),
  departments: async (app, next) => one.departments(await whole(app), next),
  people: async (app, department_id, next) => one.people(await whole(app), department_id, next),
  person: async (app, user_id) => one.person(await whole(app), user_id),
  department: async (app, department_id) => one.department(await whole(app), department_id),
  findByMobile: async (app, mobiles) => one.findByMobile(await whole(app), mobiles),
})
const messagesOf = (one: Messages, whole: Whole): Messages => ({
  describe: (app) => one.describe(app),
  sendMany: async (app, asked) => one.sendMany(await whole(app), asked),
  standing: async (app, asked) => one.standing(await whole(app), asked),
  update: async (app, asked) => one.update(await whole(app), asked),
  sentToday: async (app) => one.sentToday(await whole(app)),
})
const hiddenOf = (one: HiddenNames, whole: Whole): HiddenNames => ({
  ...one,
  search: async (app, names) => one.search(await whole(app), names),
  chosen: async (app, ticket) => one.chosen(await whole(app), ticket),
  translate: async (app, file) => one.translate(await whole(app), file),
  translated: async (app, job) => one.translated(await whole(app), job),
})
const carrierOf = ({ amend, ...one }: Carrier<App>, whole: Whole): Carrier<App> => ({
  describe: (app) => one.describe(app),
  send: async (app, messages) => one.send(await whole(app), messages),
  lookup: async (app, messages) => one.lookup(await whole(app), messages),
  recall: async (app, messages) => one.recall(await whole(app), messages),
  ...(amend ? { amend: async (app: App, messages: Parameters<typeof amend>[1]) => amend(await whole(app), messages) } : {}),
})
