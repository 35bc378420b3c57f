import { expect, test } from 'vitest'
import { getLastCharacter } from '../../src/app/desktop/avatar.tsx'
import { createReportLimiter, redactPath, redactValues } from '../../src/app/report/redaction.ts'
import { formatDeviceName } from '../../src/features/auth/account/device.ts'
import { fitInSquare, getCenterSquare } from '../../src/features/company/picture/render.ts'

test('reports at most five errors a minute and page, and five more in the next minute', () => {
  const may = createReportLimiter()
  const answers = Array.from({ length: 7 }, (_, at) => may('/home', at * 1000))
  expect(answers).toEqual([true, true, true, true, true, false, false])
  expect(may('/wageAdmin', 6000)).toBe(true)
  expect(may('/home', 60_000)).toBe(true)
  expect(may('/home', 60_001)).toBe(false)
})

test('reports the page of an error without query string and ids', () => {
  expect(redactPath('/m/slip/0192d3a0-7c1e-7bbb-8a51-0123456789ab')).toBe('/m/slip/:id')
  expect(redactPath('/wageDetail?batch_id=7#x')).toBe('/wageDetail')
})

test.each([
  ['cannot read 9,862.20 of undefined', 'cannot read # of undefined'],
  ['net −98.00 and ¥12000.5', 'net # and #'],
  ['phone 13812345678', 'phone #'],
  ['Unexpected token in "王晓云 8333"', 'Unexpected token in “…”'],
  ["Cannot read properties of undefined (reading 'list')", "Cannot read properties of undefined (reading 'list')"],
  ['at f (http://x/assets/a.js?token=abc:12:340)', 'at f (http://x/assets/a.js?…:12:340)'],
  ['slip 0192d3a0-7c1e-7bbb-8a51-0123456789ab', 'slip :id'],
])('redacts %s as %s', (message, left) => expect(redactValues(message)).toBe(left))

const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const android = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko)'
test.each([
  [`${windows} Chrome/126.0.0.0 Safari/537.36`, 'Chrome · Windows 电脑'],
  [`${windows} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0`, 'Edge · Windows 电脑'],
  [`${windows} Chrome/108.0.0.0 Safari/537.36 MicroMessenger/7.0.20 wxwork/4.1.22`, '企业微信 · Windows 电脑'],
  [`${iphone} Version/17.5 Mobile/15E148 Safari/604.1`, 'Safari · iPhone'],
  [`${iphone} Mobile/15E148 MicroMessenger/8.0.49`, '微信 · iPhone'],
  [`${android} Version/4.0 Chrome/126.0 Mobile Safari/537.36 DingTalk/7.5.0`, '钉钉 · 安卓手机'],
  [`${android} Chrome/126.0 Mobile Safari/537.36 Lark/7.20.0`, '飞书 · 安卓手机'],
  ['Mozilla/5.0 (Linux; Android 12; SM-T970) AppleWebKit/537.36 Chrome/126.0 Safari/537.36', 'Chrome · 安卓平板'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox · Mac'],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36', 'Chrome · Linux 电脑'],
  ['curl/8.5.0', '未知设备'],
  ['', '未知设备'],
])('names the device %s %s', (userAgent, labels) => expect(formatDeviceName(userAgent)).toBe(labels))

test('crops the center square of a picture', () => {
  expect(getCenterSquare(400, 300)).toEqual({ x: 50, y: 0, side: 300 })
  expect(getCenterSquare(96, 201)).toEqual({ x: 0, y: 52, side: 96 })
})
test.each([
  ['wide', [400, 100], { x: 0, y: 36, width: 96, height: 24 }],
  ['high', [50, 200], { x: 36, y: 0, width: 24, height: 96 }],
  ['a logo as thin as a line', [5000, 1], { x: 0, y: 47, width: 96, height: 1 }],
  ['small', [10, 10], { x: 0, y: 0, width: 96, height: 96 }],
] as const)('fits a whole logo into its square: %s', (_, [width, height], position) =>
  expect(fitInSquare(width, height, 96)).toEqual(position),
)

test.each([
  ['沈知遥', '遥'],
  ['小明👨‍👩‍👧', '👨‍👩‍👧'],
  ['  Ann ', 'n'],
  ['郭秀英（诚达人力）', '英'],
  ['（外包）', '）'],
  ['', ''],
])('shows the last character of %s as %s', (name, last) => expect(getLastCharacter(name)).toBe(last))
