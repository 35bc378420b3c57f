/**
 * Pages with data that the server's own demo lacks: an unfinished wage sheet, and members with several invitation
 * statuses. No action moves while the page loads, and on a narrow page every target is large enough for a thumb.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { insertMember } from '../../../server/contract/directory/members.ts'
import { insertBatchTitle, insertCache, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { demoWageSheet, somePeople } from '../../support/files/demo-sheet.ts'
import { examine, mustFit } from '../../support/journey/browser.ts'
import { until, useJourney } from '../../support/journey/journey.ts'
import { movedOn, watched } from '../../support/journey/still.ts'
import { smallTargets } from '../../support/journey/targets.ts'
import { isSelected, pickOne } from '../../support/run/trial.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'

it.each(pickOne('roster', [360, 1440]))(
  'keeps the layout of the roster while invitation statuses load, at %i px',
  async (width) => {
    const caller = await journey.caller(payroll)
    for (const at of [1, 2]) await caller.must(insertMember, { name: `来人${width}${at}`, mobile: journey.freePhone(width + at) })
    const page = await watched(journey, payroll)
    expect(await movedOn(page, { path: '/companyMember?status=invited', viewed: '未邀请', width })).toEqual([])
  },
)

describe('unfinished wage sheet', () => {
  let batch_id: string
  beforeAll(async () => {
    const caller = await journey.caller(payroll)
    const file = { name: '十二月.xlsx', bytes: demoWageSheet(await somePeople(caller, 5)) }
    batch_id = (await caller.must(uploadWageExcel, {}, file)).batch_id
    await caller.must(insertBatchTitle, { batch_id, title: '十二月', month: '2026-12', kind: 'monthly' })
    await caller.must(insertCache, { wizard: { batch_id, step: 'wageSend3' } })
  })
  const steps = [
    ['/wageSend1', '继续上次'],
    ['/check?batch_id=BATCH', '请确认'],
    ['/wageSend2?batch_id=BATCH', '置顶大字'],
    ['/wageSend3?batch_id=BATCH', '通知预览'],
  ] as const
  const views = steps.flatMap(([path, viewed]) => [360, 1440].map((width) => [path, viewed, width] as const))
  it.each(views.filter(([path, , width]) => isSelected(`${path} ${width}`, 4)))(
    'shows %s on %s without moving actions, at %i px',
    async (path, viewed, width) => {
      const page = await watched(journey, payroll)
      expect(await movedOn(page, { path: path.replace('BATCH', batch_id), viewed, width })).toEqual([])
      await examine(page, `begun-${path.slice(1).replace(/\W.*/, '')}-${width}`)
      await mustFit(page)
      if (width === 360) await until(() => smallTargets(page)).toEqual([])
    },
  )
})
