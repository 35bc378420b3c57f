/** Delivery reports in the formats of the two gateways, and the meaning of their codes. */
import { describe, expect, test } from 'vitest'
import { createReportResponse, parseSmsReports } from '../../../platform/sms/index.ts'
import { formatUndeliveredMessage } from '../../../server/modules/payslips/rules/dispatch.ts'

const aliyun = {
  phone_number: '13800000000',
  send_time: '2026-11-23 10:00:00',
  report_time: '2026-11-23 10:00:05',
  sms_size: '1',
  biz_id: '9^0',
  out_id: 'x',
}
const tencent = {
  user_receive_time: '2026-11-23 10:00:05',
  nationcode: '86',
  mobile: '13800000000',
  description: '',
  sid: '2645:1',
}

describe('parsing of delivery reports', () => {
  test.each([
    [
      'a delivered message',
      'aliyun',
      [{ ...aliyun, success: true, err_code: 'DELIVERED', err_msg: '' }],
      [{ ref: '9^0', delivered: true, code: 'DELIVERED' }],
    ],
    [
      'an undelivered message',
      'aliyun',
      [{ ...aliyun, success: false, err_code: 'MOBILE_NOT_ON_SERVICE', err_msg: '' }],
      [{ ref: '9^0', delivered: false, code: 'MOBILE_NOT_ON_SERVICE' }],
    ],
    [
      'a delivered message',
      'tencent',
      [{ ...tencent, report_status: 'SUCCESS', errmsg: 'DELIVRD' }],
      [{ ref: '2645:1', delivered: true, code: 'DELIVRD' }],
    ],
    [
      'an undelivered message',
      'tencent',
      [{ ...tencent, report_status: 'FAIL', errmsg: 'UNDELIV' }],
      [{ ref: '2645:1', delivered: false, code: 'UNDELIV' }],
    ],
    [
      'several reports without the empty ones',
      'tencent',
      [{ ...tencent, report_status: 'LATER' }, 'x', { ...tencent, report_status: 'FAIL', errmsg: '<b>' }],
      [{ ref: '2645:1', delivered: false, code: '' }],
    ],
    ['a report of the other gateway', 'aliyun', [{ ...tencent, report_status: 'SUCCESS' }], []],
    ['nothing', 'aliyun', [], []],
  ] as const)('parses %s (%s)', (_, provider, body, matches) =>
    expect(parseSmsReports(provider, JSON.stringify(body))).toEqual(matches),
  )
  test.each(['', '{', '{}', '"x"', 'null'])('refuses a report list: %s', (body) =>
    expect(parseSmsReports('aliyun', body)).toBe(null),
  )
})

test('responds in the format of each gateway', () => {
  expect([createReportResponse('aliyun', true), createReportResponse('tencent', true)]).toEqual([
    { code: 0, msg: '成功' },
    { result: 0, errmsg: 'OK' },
  ])
  expect([createReportResponse('aliyun', false), createReportResponse('tencent', false)]).toMatchObject([
    { code: 1 },
    { result: 1 },
  ])
})

test.each([
  ['MOBILE_NOT_ON_SERVICE', '空号、停机'],
  ['UNDELIV', '空号、停机'],
  ['MOBILE_IN_BLACK', '黑名单'],
  ['EXPIRED', '关机或没有信号'],
  ['MK:0001', '运营商没有送到'],
  ['', '运营商没有送到'],
])('describes the code %s', (code, labels) =>
  expect(formatUndeliveredMessage(code)).toMatch(new RegExp(`^短信未送达：.*${labels}.*请核对号码或改用其他渠道$`)),
)
