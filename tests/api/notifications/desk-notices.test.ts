/** Notifications and the sample files. Refusals first. */

import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as fileCalls from '../../../server/contract/files/files.ts'
import * as contract from '../../../server/contract/notifications/notifications.ts'
import { notify } from '../../../server/modules/notifications/index.ts'
import { readSheet } from '../../../server/spreadsheets/child/read-sheet.ts'
import { inside } from '../../support/callers/inside.ts'
import { demo } from '../../support/demo.ts'
import { guideVersion } from '../../support/journey/guide-words.ts'
import type { Person } from '../../support/world.ts'

const { world, corp, clerk, payroll: wages } = demo({ own: true })

const report = (who: Person, text: string) =>
  inside(world, who, (ctx) => notify(ctx, who.admin_id ?? '', { kind: 'sent', text, batch_id: null }))

describe('notifications', () => {
  it('shows notifications to administrators only, each their own', async () => {
    const employee = await world.signIn(await corp.person())
    expect((await employee.call(contract.getNotificationList)).code).toBe(100403)
    const other = await corp.person({ power: ['2'] })
    await report(other, '别人的')
    const stolen = (await (await world.signIn(other)).must(contract.getNotificationList)).list.map((one) => one.id)
    expect((await wages.must(contract.getNotificationList)).list).toEqual([])
    await wages.must(contract.markNotificationsRead, { ids: stolen })
    await wages.must(contract.markNotificationsRead, { all: true })
    expect((await (await world.signIn(other)).must(contract.getNotificationList)).list).toMatchObject([{ read: false }])
  })

  it('lists notifications newest first, marks them as read one by one or all at once, and clears the red dot', async () => {
    for (const text of ['一', '二', '三']) {
      world.clock.advance(1000)
      await report(clerk, text)
    }
    const { list, page } = await wages.must(contract.getNotificationList, { pagesize: 2 })
    expect([list.map((one) => one.text), page.total]).toEqual([['三', '二'], 3])
    await wages.must(contract.markNotificationsRead, { ids: list.slice(0, 1).map((one) => one.id) })
    expect((await wages.must(account.getCurrentUser)).user.notice_number).toBe(2)
    await wages.must(contract.markNotificationsRead, {})
    expect((await wages.must(account.getCurrentUser)).user.notice_number).toBe(2)
    await wages.must(contract.markNotificationsRead, { all: true })
    expect((await wages.must(account.getCurrentUser)).user.notice_number).toBe(0)
    expect((await wages.must(contract.getNotificationList)).list.every((one) => one.read)).toBe(true)
  })
})

describe('sample files', () => {
  const fetched = (type: string) =>
    world.product.app.inject({ method: 'GET', url: fileCalls.getImportSampleFile.path, query: { type, page: 'guide' } })

  it('returns not found for an unknown sample file', async () => {
    expect((await fetched('secret')).json()).toMatchObject({ error_code: 100001 })
  })

  it('serves sample files publicly and identically every time', async () => {
    for (const [type, name, begin] of [
      ['help', /^attachment; .*\.pdf$/, '%PDF'],
      ['wage', /^attachment; .*\.xlsx$/, 'PK'],
      ['member', /^attachment; .*\.xlsx$/, 'PK'],
    ] as const) {
      const [first, again] = [await fetched(type), await fetched(type)]
      expect(first.headers['content-disposition']).toMatch(name)
      expect(first.rawPayload.subarray(0, begin.length).toString()).toBe(begin)
      expect(again.rawPayload.equals(first.rawPayload)).toBe(true)
    }
  })

  it('serves the guide built from its current text (otherwise run `npm run guide`)', async () => {
    const pdf = await getDocumentProxy(new Uint8Array((await fetched('help')).rawPayload))
    const { text } = await extractText(pdf, { mergePages: true })
    expect(text).toContain(`版本 ${guideVersion()}`)
  })

  it('serves a sample wage sheet that is recognized without a question', async () => {
    const { recognition } = await readSheet((await fetched('wage')).rawPayload, { file_name: '工资表模板.xlsx' })
    expect(recognition).toMatchObject({
      kind: 'wage',
      people: 2,
      warnings: [],
      header: { rows: [2, 3], first_data_row: 4, last_data_row: 5 },
    })
    expect(recognition.formula).toMatchObject({ holds: 2, of: 2 })
    expect(recognition.net_sum_fen).toBe(1_846_800)
    expect(recognition.columns.filter((column) => column.confidence < 0.6)).toEqual([])
    const roles = Object.fromEntries(recognition.columns.map((column) => [column.path.at(-1), column.role]))
    expect(roles).toMatchObject({
      姓名: 'name',
      手机号: 'mobile',
      应发合计: 'gross',
      个人所得税: 'tax',
      实发工资: 'net',
      基本工资: 'earning',
    })
  })

  it('serves a sample roster that is recognized as one', async () => {
    const { recognition } = await readSheet((await fetched('member')).rawPayload, { file_name: '员工导入模板.xlsx' })
    expect(recognition).toMatchObject({ kind: 'member_list', people: 2 })
  })
})
