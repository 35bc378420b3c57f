/**
 * Prefetching for the pages of /m before their scripts load: the requests equal the app's own, and each response is
 * taken once, by the same session.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { getCurrentEmployee, getSlip, getSlipList } from '../../server/contract/payslips/employee.ts'
import { getFirstCalls, takePrefetched } from '../../src/app/preload/first-calls.ts'
import { parsePayslipPreview } from '../../src/app/preload/payslip-preview.ts'

const slip_id = '01890000-0000-7000-8000-000000000001'

describe('prefetched requests of a page', () => {
  it.each([
    ['a payslip', `/m/slip/${slip_id}`, '', [[getSlip.path, { slip_id }]]],
    ['a payslip opened from an SMS', `/M/slip/${slip_id}/`, '?from=sms', [[getSlip.path, { slip_id }]]],
    [
      'the list of payslips',
      '/m/slips',
      '',
      [
        [getSlipList.path, { page: 1, pagesize: 24 }],
        [getCurrentEmployee.path, {}],
      ],
    ],
    ['one year of the list, which the app requests', '/m/slips', '?year=2025', []],
    ['a feedback thread', `/m/feedback/${slip_id}`, '', []],
    ['the desktop', '/home', '', []],
    ['no payslip', '/m/slip/', '', []],
  ] as const)('%s', (_, pathname, search, calls) => {
    expect(getFirstCalls(pathname, search)).toEqual(calls.map(([path, input]) => ({ path, body: JSON.stringify(input) })))
  })

  it('prefetches only calls that change nothing when repeated', () => {
    expect([getSlip, getSlipList, getCurrentEmployee].map((one) => [one.method, one.requestType, one.idempotent])).toEqual(
      Array.from({ length: 3 }, () => ['POST', 'json', false]),
    )
  })
})

describe('prefetched response', () => {
  const [path, body] = [getSlip.path, JSON.stringify({ slip_id })]
  const answer = Promise.resolve(new Response('{}'))
  const start = (startedAt: number) =>
    vi.stubGlobal('window', { asked: [{ path, body, token: 'mine', startedAt, response: answer }] })
  beforeEach(() => start(performance.now()))

  it('uses a prefetched response only once', () => {
    expect(takePrefetched(path, body, 'mine')).toBe(answer)
    expect(takePrefetched(path, body, 'mine')).toBeNull()
  })
  it.each([
    ['another query', [getCurrentEmployee.path, '{}', 'mine']],
    ['another payslip', [path, JSON.stringify({ slip_id: 'other' }), 'mine']],
    ['the same payslip, opened', [path, JSON.stringify({ slip_id, opened: true }), 'mine']],
    ['another session', [path, body, 'other']],
    ['nobody', [path, body, null]],
  ] as const)('does not use a prefetched response for %s', (_, [address, requested, token]) => {
    expect(takePrefetched(address, requested, token)).toBeNull()
    expect(takePrefetched(path, body, 'mine')).toBe(answer)
  })
  it('expires a prefetched response after half a minute', () => {
    start(performance.now() - 31_000)
    expect(takePrefetched(path, body, 'mine')).toBeNull()
  })
})

describe('payslip preview before the app has loaded', () => {
  const slip = { title: '十月工资', corp_name: '示例公司', name: '赵一', net: { label: '实发工资', fen: 1_234_567 } }
  const answer = (data: object) => ({ error_code: 0, data: { slip_id, pay_hide: false, slip, ...data } })
  it('shows the company and the net pay in the preview as the payslip formats it', () =>
    expect(parsePayslipPreview(answer({}))).toEqual({
      slip_id,
      title: '十月工资',
      owner: '示例公司 · 赵一',
      label: '实发工资',
      net: '¥ 12,345.67',
      isLong: false,
    }))
  it.each([
    ['a negative net pay', { net: { label: '实发', fen: -98_00 } }, { net: '¥ −98.00', label: '实发' }],
    ['a net pay of a million', { net: { label: '实发', fen: 100_000_000 } }, { net: '¥ 1,000,000.00', isLong: true }],
    ['a payslip without a company', { corp_name: '' }, { owner: '赵一' }],
  ])('%s', (_, of, viewed) => expect(parsePayslipPreview(answer({ slip: { ...slip, ...of } }))).toMatchObject(viewed))
  it.each([
    ['hidden amounts', answer({ pay_hide: true })],
    ['an unknown setting for hidden amounts', answer({ pay_hide: undefined })],
    ['a payslip without net pay', answer({ slip: { ...slip, net: null } })],
    ['refused', { ...answer({}), error_code: 100404 }],
    ['no payslip', answer({ slip_id: undefined })],
    ['a missing response', null],
    ['a page of another user', 'Sign in to this hotel'],
  ])('shows no payslip preview for %s', (_, message) => expect(parsePayslipPreview(message)).toBeNull())
})
