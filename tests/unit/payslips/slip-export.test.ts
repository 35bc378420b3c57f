/** The export file of a batch: every column once, and sums without withdrawn payslips. */
import { expect, it } from 'vitest'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import { ExportTotals, selectExportColumns } from '../../../server/modules/payslips/rules/export-columns.ts'

const columns = (text: string) =>
  text.split(' ').map((one, at) => {
    const [label = '', role = 'info'] = one.split(':')
    return { key: `c${at}`, label, role: role as ColumnRole }
  })
const labels = (text: string, arranged: readonly { key: string; value: string }[] = []) =>
  selectExportColumns(columns(text), arranged).map(({ label }) => label)

it.each([
  [
    'omits identity columns that the export already has in front',
    '姓名:name 部门:department 手机号:mobile 实发:net',
    ['手机号', '实发'],
  ],
  ['omits surname and given name as well', '姓:last_name 名:first_name 工号:employee_no 实发:net', ['工号', '实发']],
  ['omits columns that are not imported', '签名:ignore 实发:net', ['实发']],
  ['distinguishes two columns of one name', '补贴:earning 补贴:earning 实发:net', ['补贴', '补贴 (2)', '实发']],
])('%s', (_, text, expected) => expect(labels(text)).toEqual(expected))
it('names columns of the export as on the payslips', () =>
  expect(labels('绩效:earning 实发:net', [{ key: 'c0', value: '绩效奖金' }])).toEqual(['绩效奖金', '实发']))

it('adds up amount columns without withdrawn payslips', () => {
  const all = columns('基本工资:earning 出勤 实发:net')
  const [base, days, net] = all
  const totals = new ExportTotals()
  totals.add('viewed', all, [800_010, null, 790_000])
  totals.add('withdrawn', all, [100, null, 100])
  totals.add('failed', all, [null, null, -10])
  expect(totals.label).toBe('合计 2 人（不含已撤回 1 人）')
  expect([base, days, net].map((column) => column && totals.get(column))).toEqual([800_010, null, 789_990])
  const anonymous = new ExportTotals()
  expect([anonymous.label, net && anonymous.get(net)]).toEqual(['合计 0 人', 0])
})
