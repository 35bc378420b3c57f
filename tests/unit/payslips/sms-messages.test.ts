/** The permitted content of a message, and the templates that an operator registers with the gateway. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  briefMessageTemplates,
  countSmsSegments,
  getLinkVariables,
  getMessageVariables,
  type MessageContent,
  type MessageKind,
  messageTemplates,
  renderGatewayTemplate,
  renderMessage,
  renderSms,
  smsMessageKinds,
} from '../../../server/contract/shared/message-templates.ts'
import { createMessagePreview } from '../../../server/product.ts'

const kinds = Object.keys(messageTemplates) as MessageKind[]
const origin = 'https://pay.example.cn'
const link = `${origin}/s/0189000000007000800000000000abcd`
const every: MessageContent[] = [
  { kind: 'code', params: { code: '012345' } },
  { kind: 'slip', params: { corp: '甲公司', title: '2026年10月工资', link } },
  { kind: 'corrected', params: { corp: '甲公司', title: '2026年10月工资', link } },
  { kind: 'remind', params: { corp: '甲公司', title: '2026年10月工资', link } },
  { kind: 'answered', params: { corp: '甲公司', title: '2026年10月工资', link } },
  { kind: 'standing', params: { corp: '甲公司', title: '10月工资等3批', unviewed: '3', unconfirmed: '0' } },
  { kind: 'rehearsal', params: { corp: '甲公司', title: '2026年10月工资', link: link.replace('/s/', '/t/') } },
  { kind: 'invite', params: { corp: '甲公司', link: `${origin}/m/invite?code=AbCdEfGhIjKlMnOpQrStUvAbCdEfGhIjKlMnOpQrS-_` } },
  { kind: 'phone_changed', params: { corp: '甲公司', tail: '5678' } },
  { kind: 'own_phone_changed', params: { tail: '5678' } },
  { kind: 'notice', params: { corp: '甲公司', count: '3', news: '发送失败、员工反馈', link: `${origin}/entry?page=/agency` } },
]

test('a locked phone shows title and one line by chat and mail, the complete text by SMS', () => {
  const { previewMessage } = createMessagePreview(null, origin)
  const message: MessageContent = { kind: 'slip', params: { corp: '甲公司', title: '2026年10月年终奖', link } }
  expect((['platform', 'email', 'sms'] as const).map((channel) => previewMessage(channel, message))).toEqual([
    { title: '您的2026年10月工资已发放', text: '请登录查看 · 甲公司' },
    { title: '甲公司：您的2026年10月工资已发放', text: '甲公司：您的2026年10月工资已发放，请登录查看' },
    { title: '', text: `【薪函】甲公司：您的2026年10月工资已发放，请登录查看：${link}` },
  ])
})

describe('every message kind', () => {
  test('is listed here, and no variable can contain an amount or a member', () => {
    expect(every.map((one) => one.kind)).toEqual(kinds)
    // All other kinds need a template of the gateway.
    expect(kinds.filter((kind) => !smsMessageKinds.some((one) => one === kind))).toEqual(['notice'])
    const names = kinds.flatMap((kind) =>
      [...`${messageTemplates[kind]}${briefMessageTemplates[kind]}`.matchAll(/\{(\w+)\}/g)].map((one) => one[1]),
    )
    expect([...new Set(names)].sort()).toEqual([
      'code',
      'corp',
      'count',
      'home',
      'link',
      'news',
      'tail',
      'title',
      'unconfirmed',
      'unviewed',
    ])
  })
  test.each(every.map((one) => [one.kind, one] as const))('%s: complete, signed, without open placeholders', (_, message) => {
    const text = renderMessage(message)
    expect(text.startsWith('【薪函】')).toBe(true)
    expect(text).not.toMatch(/[{}]|undefined/)
    expect(renderMessage(message, '某某科技').startsWith('【某某科技】')).toBe(true)
  })
  const bySms = every.filter(({ kind }) => smsMessageKinds.some((one) => one === kind))
  test.each(bySms.map((one) => [one.kind, one] as const))('%s: each variable fits its gateway', (_, message) => {
    for (const [name, value] of getMessageVariables(message)) {
      const sent = name === 'link' ? Object.values(getLinkVariables(message.kind, value) ?? { none: '' }) : [value]
      expect([name, sent.every((one) => one !== '' && [...one].length <= 35)]).toEqual([name, true])
    }
    for (const [name, value] of getMessageVariables(message, briefMessageTemplates))
      expect([name, value.length <= 6]).toEqual([name, true])
  })
})

describe('user text is sanitized before it becomes part of a message', () => {
  const titled = (title: string, corp = '甲公司') => renderMessage({ kind: 'slip', params: { corp, title, link: 'L' } })
  test.each([
    ['2026年10月工资', '2026年10月工资'],
    ['10月工资', '10月工资'],
    ['十月\u202e资工\n', '十月工资'],
    ['2026-09 工资', '2026年9月工资'],
    ['202609工资', '2026年9月工资'],
    // The kind of payment is confidential on a visible screen.
    ['2026年10月离职补偿金', '2026年10月工资'],
    ['年终奖', '工资条'],
    ['十二月奖金', '十二月工资'],
    ['N+1 经济补偿', '工资条'],
    ['销售提成¥12000', '工资条'],
    // Other text in the title is not sent either.
    ['【招商银行】您的账户', '工资条'],
    ['工资 https://evil.cn/a 请点击', '工资条'],
    ['补发 5000元', '工资条'],
    ['', '工资条'],
    ['{corp}{link}', '工资条'],
    ['13月薪', '工资条'],
  ])('title %j', (title, message) => {
    expect(titled(title)).toBe(`【薪函】甲公司：您的${message}已发放，请登录查看：L`)
  })
  test('sanitizes a company name, too', () => {
    expect(titled('十月', '【工商银行】http://x.cn 转账')).toBe('【薪函】工商银行 转账：您的十月工资已发放，请登录查看：L')
  })
  test('names only the kinds of notifications, whatever the parameters contain', () => {
    const events = '发送失败、王晓云离职补偿 8000、员工反馈、https://evil.cn'
    expect(renderMessage({ kind: 'notice', params: { corp: '甲', count: '2', news: events, link: 'L' } })).toBe(
      '【薪函】甲：您有 2 条新通知：发送失败、员工反馈，请登录查看：L',
    )
  })
  test('gives the number of batches where there are several', () => {
    const message: MessageContent = {
      kind: 'standing',
      params: { corp: '甲', title: '10月奖金等3批', unviewed: '1', unconfirmed: '2' },
    }
    expect(renderMessage(message)).toContain('「10月工资等3批」')
  })
  test.each([
    { kind: 'code', params: { code: '12345' } },
    { kind: 'code', params: { code: '张三丰' } },
    { kind: 'phone_changed', params: { corp: '甲', tail: '13812345678' } },
    { kind: 'standing', params: { corp: '甲', title: '十月', unviewed: '8000.00', unconfirmed: '1' } },
  ] as MessageContent[])('accepts only digits as digits: %j', (message) => {
    expect(() => renderMessage(message)).toThrow('digits')
  })
})

test('sends only the recipient’s part of a link, and only of our links', () => {
  expect(getLinkVariables('slip', link)).toEqual({ link: '0189000000007000800000000000abcd' })
  expect(getLinkVariables('slip', 'https://evil.cn/x')).toBe(null)
  expect(getLinkVariables('slip', `${origin}/s/a/../../b`)).toBe(null)
  expect(getLinkVariables('slip', `${origin}/s/${'a'.repeat(36)}`)).toBe(null)
  expect(getLinkVariables('code', link)).toBe(null)
  expect(getLinkVariables('invite', `${origin}/m/invite?code=${'a'.repeat(22)}${'b'.repeat(21)}`)).toEqual({
    link: 'a'.repeat(22),
    rest: 'b'.repeat(21),
  })
  expect(getLinkVariables('invite', `${origin}/m/invite?code=a&next=https://evil.cn`)).toBe(null)
})

test('templates by name and by number', () => {
  expect(renderGatewayTemplate('slip', 'named', origin)).toBe(
    '${corp}：您的${title}已发放，请登录查看：https://pay.example.cn/s/${link}',
  )
  expect(renderGatewayTemplate('slip', 'numbered', origin)).toBe('您有新的工资条，请登录查看：https://pay.example.cn/m')
  expect(renderGatewayTemplate('standing', 'numbered', origin)).toBe('您关注的工资条还有 {1} 人没有查看、{2} 人没有确认')
})

test('the operator documentation lists them correctly', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/sms.zh-CN.md'), 'utf8')
  for (const kind of smsMessageKinds)
    for (const form of ['named', 'numbered'] as const)
      expect(page).toContain(`| \`${kind.toUpperCase()}\` | ${renderGatewayTemplate(kind, form, origin)} |`)
})

describe('billed segments', () => {
  const zh = (count: number) => '工'.repeat(count)
  test.each([
    ['nothing', '', 1],
    ['160 plain letters', 'a'.repeat(160), 1],
    ['161: in pieces of 153', 'a'.repeat(161), 2],
    ['306', 'a'.repeat(306), 2],
    ['307', 'a'.repeat(307), 3],
    ['a sign of the extension table takes two places', `${'a'.repeat(158)}€`, 1],
    ['and one more is too many', `${'a'.repeat(159)}€`, 2],
    ['80 of them', '{'.repeat(80), 1],
    ['81 of them', '{'.repeat(81), 2],
    // 152 characters and an escape: the pair is not split, so it begins the second segment.
    ['no pair is torn', `${'a'.repeat(152)}{${'a'.repeat(151)}`, 2],
    ['no pair is torn, and then it is too long', `${'a'.repeat(152)}{${'a'.repeat(152)}`, 3],
    ['accents that the alphabet has', 'é'.repeat(160), 1],
    ['one that it has not makes it UCS-2', 'ê'.repeat(71), 2],
    ['70 Chinese characters', zh(70), 1],
    ['71: in pieces of 67', zh(71), 2],
    ['134', zh(134), 2],
    ['135', zh(135), 3],
    ['one Chinese character among letters', `工${'a'.repeat(69)}`, 1],
    ['one Chinese character among more of them', `工${'a'.repeat(70)}`, 2],
    ['a character outside the plane is two units', `${zh(69)}😀`, 2],
    ['and is not torn either', `${zh(66)}😀${zh(66)}`, 3],
  ])('%s', (_what, text, segments) => {
    expect(countSmsSegments(text)).toBe(segments)
  })

  test('are counted for the text as sent: with signature and link, or the short one', () => {
    const message = {
      kind: 'slip',
      params: { corp: '云杉科技', title: '2026年10月工资', link: `https://pay.example.cn/s/${'0'.repeat(32)}` },
    } as const
    const origin = 'https://pay.example.cn'
    const long = renderSms(message, { signature: '薪函', brief: false }, origin)
    expect([long, countSmsSegments(long)]).toEqual([renderMessage(message, '薪函'), 2])
    const brief = renderSms(message, { signature: '薪函', brief: true }, origin)
    expect([brief, countSmsSegments(brief)]).toEqual(['【薪函】您有新的工资条，请登录查看：https://pay.example.cn/m', 1])
  })
})
