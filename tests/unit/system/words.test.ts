/** Passwords, powers, states, ids, logs: small decisions as tables. */
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { type AccessSubject, type CallAccess, canAccess } from '../../../server/contract/access.ts'
import { isCommonPassword } from '../../../server/contract/auth/common-passwords.ts'
import { type BatchStatus, batchStatuses } from '../../../server/contract/shared/schemas.ts'
import { can, canTransition } from '../../../server/contract/shared/statuses.ts'
import { assertPasswordStrong } from '../../../server/modules/auth/password/passwords.ts'
import { scrubText } from '../../../server/observability/log.ts'
import { toIsoTimestamp, toShanghaiDate, toShanghaiMonth, toShanghaiWeekday } from '../../../server/shared/clock.ts'
import { newId } from '../../../server/shared/ids.ts'

describe('access by power', () => {
  const of = (power: AccessSubject['power'], corp_role: 10 | 20 | null = 10, is_employee = false): AccessSubject => ({
    power,
    corp_role,
    is_employee,
  })
  const payroll: CallAccess = { powers: ['2'], companyType: 'normal' }
  it.each<[string, AccessSubject | null, CallAccess, boolean]>([
    ['nobody, for a public call', null, 'public', true],
    ['nobody, for any other call', null, 'half_signed_in', false],
    ['a user without a selected company', of([], null), 'signed_in', false],
    ['an employee, for their own data', of([], 10, true), 'employee', true],
    ['an employee, for payroll', of([], 10, true), payroll, false],
    ['power 1, for payroll', of(['1']), payroll, false],
    ['power 2, for payroll', of(['2']), payroll, true],
    ['power 4, for payroll', of(['4']), payroll, true],
    ['power 4 of an agency, for payroll', of(['4'], 20), payroll, false],
    ['an administrator who is not employed, for employee calls', of(['4']), 'employee', false],
  ])('%s', (_what, person, who, expected) => {
    expect(canAccess(person, who)).toBe(expected)
  })
})

describe('batch states', () => {
  it('allows only resending for a withdrawn batch', () => {
    expect(batchStatuses.filter((to) => canTransition('withdrawn', to))).toEqual(['sending'])
  })
  it.each<[keyof typeof can & ('arrange' | 'send' | 'pause' | 'resume' | 'withdrawBatch'), BatchStatus[]]>([
    ['arrange', ['draft', 'checked']],
    ['send', ['draft', 'checked']],
    ['pause', ['sending', 'scheduled']],
    ['resume', ['paused']],
    ['withdrawBatch', ['scheduled', 'sending', 'paused', 'sent']],
  ])('allows %s in: %s', (act, allowed) => {
    for (const status of batchStatuses) expect(can[act](status) === true, status).toBe(allowed.includes(status))
    expect(can[act]('withdrawn')).toMatch(/[一-鿿]/)
  })
})

describe('refused withdrawals', () => {
  it.each([
    ['a batch that was already withdrawn', can.withdrawBatch('withdrawn'), '这一批已经撤回，不用再撤'],
    ['a batch that was never sent', can.withdrawBatch('checked'), '这一批还没有发送，无需撤回'],
    ['a payslip that was already withdrawn', can.withdraw('withdrawn'), '这张工资条已经撤回，不用再撤'],
    ['a payslip that was never sent', can.withdraw('waiting'), '这张工资条还没有发送，无需撤回'],
  ])('explains the refused withdrawal of %s', (_what, result, message) => expect(result).toBe(message))
})

describe('passwords', () => {
  it.each([
    '123456',
    'password',
    'Password1'.toLowerCase(),
    'abc123',
    '111111',
    'qwerty123',
    'woaini1314',
    '19900101',
    '5201314',
    'admin888888',
    'abcabc',
    '123123123',
  ])('treats %s as a common password', (password) => {
    expect(isCommonPassword(password)).toBe(true)
  })
  it.each(['correct horse', '春眠不觉晓', 'x7#kQp', '薪函真好用', 'tr0ub4dor&3'])(
    'does not treat %s as a common password',
    (password) => {
      expect(isCommonPassword(password)).toBe(false)
    },
  )
  it.each([
    ['kxz 81 mn', 'another', '两次输入的密码不一致'],
    ['13823456719', '13823456719', '密码不能是您的手机号'],
    ['2345671', '2345671', '密码不能是您的手机号'],
    ['云杉科技2026', '云杉科技2026', '密码不能是您的手机号或公司名称'],
    ['123456', '123456', '太常见'],
  ])('compares %s and %s: %s', (password, confirm, message) => {
    expect(() => assertPasswordStrong(password, confirm, 'password', { mobile: '13823456719', company: '云杉科技' })).toThrow(
      message,
    )
  })
  it('names the user name where an operator has neither phone nor company', () => {
    expect(() => assertPasswordStrong('linyunying-9', 'linyunying-9', 'password', { user_name: 'LinYunying' })).toThrow(
      '密码不能含有用户名',
    )
  })
})

describe('time in Shanghai', () => {
  const newYear = new Date('2026-12-31T16:30:00Z')
  it('Shanghai time is eight hours ahead of UTC in any machine time zone', () => {
    expect([toShanghaiDate(newYear), toShanghaiMonth(newYear), toShanghaiWeekday(newYear), toIsoTimestamp(newYear)]).toEqual([
      '2027-01-01',
      '2027-01',
      5,
      '2027-01-01T00:30:00.000+08:00',
    ])
  })
})

it('orders ids by creation and never repeats one', () => {
  const ids = Array.from({ length: 20_000 }, () => newId())
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true)
})

it('logs no phone, ID card or amount', () => {
  expect(scrubText('张三 13812345678 实发 12345.67 身份证 110101199001011237')).toBe('张三 138****5678 实发 # 身份证 #')
})

it.each([
  ['工资9876，奖金 500', '工资#，奖金 #'],
  ['net 12,345 of 1，234，567', 'net # of #'],
  ['¥9876 -4321', '¥# #'],
  ['实发１２３４５', '实发#'],
  ['人民币玖仟捌佰柒拾陆元整', '人民币#'],
  ['发给「王小明」', '发给「…」'],
  ['at file.ts:1234:56 on db:5432, code E1234, 42 rows', 'at file.ts:1234:56 on db:5432, code E1234, 42 rows'],
])('scrubs amounts of any form and quoted values: %s', (text, logged) => {
  expect(scrubText(text)).toBe(logged)
})

describe('environment', () => {
  it('opens the description of the API to everybody in a demo only, unless it is told to', () => {
    const production = { NODE_ENV: 'production', XINHAN_ORIGIN: 'https://pay.example.cn' }
    expect(readConfig({}).public_api_docs).toBe(true)
    expect(readConfig(production).public_api_docs).toBe(false)
    expect(readConfig({ ...production, XINHAN_API_DOCS: 'public' }).public_api_docs).toBe(true)
  })
  it('runs a local demo by default', () => {
    expect(readConfig({})).toMatchObject({
      production: false,
      demo: true,
      port: 8080,
      host: '127.0.0.1',
      origin: 'http://127.0.0.1:8080',
    })
  })
  it.each([
    [{ PORT: 'x' }, 'PORT'],
    [{ NODE_ENV: 'production', XINHAN_DEMO: '1', XINHAN_ORIGIN: 'https://a.cn' }, 'XINHAN_DEMO'],
    [{ NODE_ENV: 'production' }, 'XINHAN_ORIGIN'],
    [{ XINHAN_ORIGIN: 'nonsense' }, 'XINHAN_ORIGIN'],
  ])('reports for %o an error that names %s', (env, name) => {
    expect(() => readConfig(env)).toThrow(name)
  })
})

it('describes a scheduled batch as scheduled, not as sent', () => {
  expect(can.arrange('scheduled')).toContain('请先取消定时')
  expect(can.arrange('sent')).toContain('已经发送')
  expect(can.arrange('checked')).toBe(true)
})
