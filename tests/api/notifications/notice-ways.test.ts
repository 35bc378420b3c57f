/** Notifications outside the desktop app: by chat or mail, once, several combined, and only those not read meanwhile. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMailSender } from '../../../platform/mail/index.ts'
import { dismissHint, getNotificationSettings, saveNotificationSettings } from '../../../server/contract/auth/profile.ts'
import { getCurrentUser } from '../../../server/contract/auth/sign-in.ts'
import { editMemberInfo } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { markNotificationsRead } from '../../../server/contract/notifications/notifications.ts'
import { saveMailbox, testMailbox } from '../../../server/contract/payslips/mailbox.ts'
import { notify } from '../../../server/modules/notifications/index.ts'
import { ManualClock } from '../../../server/shared/clock.ts'
import { inside } from '../../support/callers/inside.ts'
import { demo } from '../../support/demo.ts'
import { type MailServer, sectionsOf, startMailServer } from '../../support/outside/mail-server.ts'

let server: MailServer
const policy = { allowPrivateHosts: true }
const clock = new ManualClock('2026-11-23T12:00:00+08:00')
const { world, corp, clerk, payroll } = demo({
  own: { clock, mail: { ...policy, openMail: (app) => createMailSender({ ...app, host: '127.0.0.1' }, policy) } },
})
const address = 'clerk@corp.example'
beforeAll(async () => {
  server = await startMailServer({ sign_in: () => null })
})
afterAll(() => server.close())

const put = (kind: 'failed' | 'feedback' | 'security', text: string) =>
  inside(world, clerk, (ctx) => notify(ctx, clerk.admin_id ?? '', { kind, text, batch_id: null }))
/** Runs the job that the scheduler runs every minute. */
async function minute(): Promise<void> {
  clock.advance(61_000)
  await world.database.inCompany(corp.company_id, (tx) => world.product.jobs.send(tx, 'notices-due', {}))
  await world.product.jobs.drain(clock.now())
}
const letters = () => server.accepted.filter(({ to }) => to === address).map(sectionsOf)

test('offers no notification channel if none is available, gives the reason, and loses no notification', async () => {
  const setting = await payroll.must(getNotificationSettings, {})
  expect(setting).toMatchObject({
    chat_disabled_reason: '企业还没有绑定办公平台',
    mail_disabled_reason: '花名册里还没有您的邮箱',
  })
  await put('failed', '「10月离职补偿」有 1 人没有收到')
  await minute()
  expect(server.accepted).toHaveLength(0)
})

test('sends notifications selected for mail combined, without title or name, once, and not for read ones or at night', async () => {
  await payroll.must(editMemberInfo, { id: clerk.member_id, email: address })
  const box = {
    host: 'smtp.corp.example',
    port: server.port,
    security: 'none',
    user: 'hr@corp.example',
    from: 'hr@corp.example',
  } as const
  const head = await world.signIn(await corp.person({ power: ['1'] }))
  await head.must(saveMailbox, { ...box, sender: '人事部', password: 'any' })
  expect(await head.must(testMailbox, { to: 'hr@corp.example' })).toMatchObject({ is_accepted: true })
  const selected = ['failed', 'feedback', 'security'].map((kind) => ({ kind, chat: false, mail: true })) as never
  await payroll.must(saveNotificationSettings, { list: selected })
  const setting = await payroll.must(getNotificationSettings, {})
  expect(setting.mail_disabled_reason).toBe(null)
  expect(setting.list.filter(({ mail }) => mail).map(({ kind }) => kind)).toEqual(['failed', 'feedback', 'security'])

  await put('failed', '「10月离职补偿」有 1 人没有收到')
  await put('feedback', '王晓云 对「10月工资」提交了反馈')
  await minute()
  await minute()
  expect(letters()).toHaveLength(1)
  expect(letters()[0]).toMatch(/2 .*发送失败、员工反馈/)
  expect(letters()[0]).toMatch(/\/entry\?page=\/agency%3Fview%3Dnotice/)
  expect(letters()[0]).not.toMatch(/离职|王晓云/)

  await put('feedback', '王晓云 对「10月工资」提交了反馈')
  await payroll.must(markNotificationsRead, { all: true })
  await minute()
  expect(letters()).toHaveLength(1)

  clock.set('2026-11-23T23:00:00+08:00')
  await put('failed', '夜里失败')
  await put('security', '有人试图使用您的登录凭证')
  await minute()
  expect(letters()[1]).toMatch(/1 .*安全提醒/)
  clock.set('2026-11-24T08:00:00+08:00')
  await minute()
  expect(letters()[2]).toMatch(/1 .*发送失败/)
  expect(letters()).toHaveLength(3)
})

test('applies channel settings to the user who made them only', async () => {
  const other = await world.signIn(await corp.person({ power: ['2'] }))
  expect((await other.must(getNotificationSettings, {})).list.filter(({ mail }) => mail)).toEqual([])
  const employee = await world.signIn(await corp.person())
  expect((await employee.call(getNotificationSettings, {})).code).toBe(100403)
})

test('keeps a dismissed hint hidden, for that user only', async () => {
  const [current, other] = [await world.signIn(clerk), await world.signIn(await corp.person({ power: ['2'] }))]
  for (const hint of ['charts', 'upload', 'charts'] as const) await current.must(dismissHint, { hint })
  expect((await current.must(getCurrentUser)).dismissed_hints).toEqual(['upload', 'charts'])
  expect((await other.must(getCurrentUser)).dismissed_hints).toEqual([])
  expect((await current.call(dismissHint, { hint: 'anything' as 'charts' })).code).toBe(errorCodes.invalid.code)
})
