/**
 * Member search, and whether an action on an administrator, a payslip, a tax period or a send plan is available, with
 * the reason.
 */
import { expect, test } from 'vitest'
import type { Power } from '../../server/contract/access.ts'
import type { Channel, PayslipStatus } from '../../server/contract/shared/schemas.ts'
import type { TaxPeriodStatus } from '../../server/contract/tax/statuses.ts'
import { popupLeaveSeconds } from '../../src/components/action-button.tsx'
import { getToastSeconds } from '../../src/components/overlay/toast.ts'
import { flattenPages, mergePage } from '../../src/components/search-params.ts'
import { isAmountText } from '../../src/components/value/money.tsx'
import { type Admin, canChangeScope, canManageAdmin, canRevokePower, canTransfer } from '../../src/features/access/rights.ts'
import { parseAdminSearch } from '../../src/features/access/search.ts'
import { parseTodoSearch } from '../../src/features/approvals/search.ts'
import { getSearchLimit } from '../../src/features/directory/member-picker.tsx'
import { parseMemberSearch } from '../../src/features/directory/member-picker-search.ts'
import { canResend } from '../../src/features/payslips/detail/actions.ts'
import { getListProgressSegments, parseOriginList } from '../../src/features/payslips/labels.ts'
import { formatWallClock } from '../../src/features/sheets/send/send-time.tsx'
import { checkCanSend, getNoPlanReason, getSendLabel } from '../../src/features/sheets/send/use-plan.ts'
import { checkCanLock } from '../../src/features/tax/period/labels.ts'

test.each([
  ['王晓云', '王晓云', ''],
  ['王', '王', ''],
  // The input is ignored and the previous result stays.
  ['王 晓云', undefined, '姓名中间不能有空格，请删除空格再搜索'],
  ['王　晓云', undefined, '姓名中间不能有空格，请删除空格再搜索'],
  // The search was cleared: the whole list is shown again.
  ['', null, ''],
  [undefined, null, ''],
])('searches for %j', (text, search, message) => expect(parseMemberSearch(text)).toEqual({ search, message }))

test.each<[string, number | undefined, string[]]>([
  ['appends with flag 10', 10, ['王', '李', '张']],
  ['replaces with another flag', 20, ['张']],
  ['replaces without a flag', undefined, ['张']],
])('merges a page into a list, flag %s', (_, flag, visible) => expect(mergePage(['王', '李'], ['张'], flag)).toEqual(visible))
test('joins the pages of a list', () => {
  expect(flattenPages([{ list: [1, 2] }, { list: [3] }, { list: [] }])).toEqual([1, 2, 3])
  expect(flattenPages([])).toEqual([])
})
test.each<[string, unknown, object | undefined]>([
  [
    'a filtered list',
    { month: '2026-10', page: 2, status: 'sent', name: '门店' },
    { month: '2026-10', page: 2, status: 'sent', name: '门店' },
  ],
  ['a list without inactive filters', { month: '2026-13', page: 0, status: 'x', salary: '8000' }, undefined],
  ['none', {}, undefined],
  ['an address typed manually', 'month', undefined],
])('restores the list to return to: %s', (_, raw, list) => expect(parseOriginList(raw)).toEqual(list))
test.each(['8000', '8,000.00', '-12.5', '−12.50', '(300.00)', '¥1，000'])('%s is an amount', (text) =>
  expect(isAmountText(text)).toBe(true),
)
test.each(['', '2026-10', '合计', '1号店', '3人', '12.5%'])('%j is no amount', (text) => expect(isAmountText(text)).toBe(false))
test('uses the values of spec §9', () => {
  expect([getSearchLimit(2), getSearchLimit()]).toEqual([20, 30])
  expect([getToastSeconds({ kind: 'tip' }), getToastSeconds({ kind: 'done' }), getToastSeconds({ kind: 'fail' })]).toEqual([
    1.2, 3, 3,
  ])
  expect(popupLeaveSeconds).toBe(0.1)
})

const admin = (power: Power[], me = false): Admin => ({
  user_id: '',
  member_id: '',
  name: '王晓云',
  mobile_masked: '138****5678',
  power,
  scope: { all: true, department_ids: [], departments: [] },
  batches: 0,
  is_current_user: me,
})
const self = '不能更改自己的权限，请由其他管理员操作'
const head = '系统管理员的权限不能由企业管理员更改'

test.each<[string, true | string, true | string]>([
  ['an enterprise administrator and a payroll administrator', canManageAdmin(['1'], admin(['2'])), true],
  ['payroll authority and the user', canManageAdmin(['1'], admin(['1'], true)), self],
  ['payroll authority and the system manager', canManageAdmin(['1'], admin(['4'])), head],
  ['the system manager and another administrator', canManageAdmin(['4'], admin(['4'])), true],
  ['the scope of a payroll administrator', canChangeScope(['1'], admin(['2'])), true],
  ['the scope of an administrator with all departments', canChangeScope(['4'], admin(['4', '2'])), '系统管理员总是管理全公司'],
  ['the scope of the company', canChangeScope(['4'], admin(['1'])), '企业管理员总是管理全公司'],
  ["the current user's own scope", canChangeScope(['1'], admin(['1', '2'], true)), self],
  ['revoking power 3', canRevokePower(['1'], admin(['3']), '3'), true],
  ['revoking power 4', canRevokePower(['4'], admin(['4']), '4'), '系统管理员权限不能取消，只能由本人移交'],
  ['revoking power 2 from the system manager', canRevokePower(['1'], admin(['4', '2']), '2'), head],
  ['transferring payroll authority with power 1', canTransfer(['1']), '只有系统管理员可以移交薪酬管理权限'],
  ['transferring payroll authority with power 4', canTransfer(['4']), true],
])('%s', (_, result, requested) => expect(result).toBe(requested))

test('ignores invalid values in the address', () => {
  expect(parseAdminSearch({ power: 2, name: ' 王 ', page: '2' })).toMatchObject({ power: '2', name: '王', page: 2 })
  expect(parseAdminSearch({ power: '9', page: -1 })).toEqual({
    power: undefined,
    name: undefined,
    page: undefined,
    pagesize: undefined,
  })
  expect(parseTodoSearch({ view: 'approval', status: 0 })).toMatchObject({ view: 'approval', status: 0 })
  expect(parseTodoSearch({ view: 'nothing', status: '7' })).toMatchObject({ view: undefined, status: undefined })
})

const noChannel = '没有消息渠道，请直接把链接发给本人'
const notNow = '只能提醒已发送且尚未查看的人'
test.each<[PayslipStatus, Channel, true | string]>([
  ['failed', 'sms', true],
  ['failed', 'link', true],
  ['sent', 'sms', true],
  ['sent', 'link', noChannel],
  ['viewed', 'sms', notNow],
  ['confirmed', 'email', notNow],
  ['queued', 'platform', notNow],
])('decides whether a payslip that is %s by %s can be resent: %s', (status, channel, result) =>
  expect(canResend({ status, channel })).toBe(result),
)

test('counts each recipient of a batch in one progress segment', () =>
  expect(
    getListProgressSegments({ sent: 9, viewed: 5, confirmed: 2, failed: 1 }).map(({ label, value }) => `${label} ${value}`),
  ).toEqual(['已确认 2', '已查看，未确认 3', '未查看 4', '失败 1']))

test.each<[string, TaxPeriodStatus, boolean, string[], RegExp | true]>([
  ['computed, with own members only', 'computed', true, [], true],
  ['with members of other administrators', 'computed', false, [], /不管理的部门/],
  ['based on months that were changed since', 'computed', true, ['2026-09'], /以前月份改过/],
  ['not computed', 'draft', true, [], /请先计算/],
])('decides whether a tax period %s can be locked', (_, status, isFull, stale, result) => {
  const match = checkCanLock({ status, covers_everyone: isFull, needs_recompute: stale })
  if (result === true) expect(match).toBe(true)
  else expect(match).toMatch(result)
})

const plan = { count: 3, needs_approval: false }
const settled = { reason: null, overtaken: null, error: null, plan, isBehind: false }
test.each<[string, Partial<Parameters<typeof checkCanSend>[0]>, true | string]>([
  ['a complete plan', {}, true],
  ['a plan of a previous selection', { isBehind: true }, '正在算发送计划'],
  ['no plan yet', { plan: null }, '正在算发送计划'],
  ['a plan without recipients', { plan: { ...plan, count: 0 } }, '没有人能收到，请换一种发送方式'],
  ['a plan whose options another administrator changed', { overtaken: 'x' }, '先看一下别人改的选项'],
  ['a refused plan', { error: new Error('短信已用完') }, '短信已用完'],
  ['no selected recipients', { reason: '请至少选择一个人', plan: null }, '请至少选择一个人'],
])('decides whether a plan can be sent: %s', (_, now, result) => expect(checkCanSend({ ...settled, ...now })).toBe(result))

const selected = { rows: null, channels: ['sms' as const], when: null } as Parameters<typeof getNoPlanReason>[0]
test.each<[string, Partial<typeof selected>, number, string | null]>([
  ['all recipients, immediately', {}, 3, null],
  ['a sheet without members', {}, 0, '请至少选择一个人'],
  ['no selected members of the sheet', { rows: [] }, 3, '请至少选择一个人'],
  ['no channel', { channels: [] }, 3, '请至少选择一种发送方式'],
  ['a time in the past', { when: '2020-01-01T09:00:00+08:00' }, 3, '定时的时间已经过了，请改一个以后的时间'],
])('states the reason why there is no plan: %s', (_, change, people, why) =>
  expect(getNoPlanReason({ ...selected, ...change }, people)).toBe(why),
)

test.each([
  ['2026-11-20T09:00:00+08:00', '2026-11-20 09:00'],
  ['2026-11-20T16:30:00Z', '2026-11-21 00:30'],
  [null, null],
])('formats %s as %s in Shanghai time', (instant, clock) => expect(formatWallClock(instant)).toBe(clock))

test.each<[boolean, string | null, string | null, string]>([
  [false, null, null, '发送'],
  [false, '2099-01-01T09:00:00+08:00', null, '定时发送'],
  [true, null, null, '提交审批'],
  [true, null, 'waiting', '重新提交审批'],
  [true, null, 'approved', '重新提交审批'],
  [true, '2099-01-01T09:00:00+08:00', 'returned', '提交审批'],
])('labels the send button with approval %s, at %s, approval %s: %s', (needs_approval, when, state, verb) =>
  expect(getSendLabel({ ...plan, needs_approval }, { ...selected, when }, state === null ? null : { status: state })).toBe(verb),
)
