/** The permitted content of a message, and the templates that an operator registers with the gateway. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  getLinkVariables,
  getMessageVariables,
  renderGatewayTemplate,
  renderMessage,
  renderSms,
} from '../../../server/contract/messages/rendering.ts'
import { countSmsSegments } from '../../../server/contract/messages/sms-segments.ts'
import {
  type MessageContent,
  messageKindNames,
  messageKinds,
  smsMessageKinds,
} from '../../../server/contract/messages/sms-templates.ts'
import { createMessagePreview } from '../../../server/product.ts'

const kinds = messageKindNames
const origin = 'https://pay.example.cn'
const link = `${origin}/s/gAAAAAAAq80`
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
  { kind: 'platform_replaced', params: { corp: '甲公司' } },
  { kind: 'notice', params: { corp: '甲公司', count: '3', news: '发送失败、员工反馈', link: `${origin}/entry?page=/agency` } },
]

test('shows title and one line on a locked phone by chat and mail, and the complete text by SMS', () => {
  const { previewMessage } = createMessagePreview(null, origin)
  const message: MessageContent = { kind: 'slip', params: { corp: '甲公司', title: '2026年10月年终奖', link } }
  const [, clause = '', rest = ''] = /：(.*?)，(.*)：/.exec(renderMessage(message)) ?? []
  expect(clause).toContain('2026年10月工资')
  expect((['platform', 'email', 'sms'] as const).map((channel) => previewMessage(channel, message))).toEqual([
    { title: clause, text: `${rest} · 甲公司` },
    { title: `甲公司：${clause}`, text: `甲公司：${clause}，${rest}` },
    { title: '', text: renderMessage(message) },
  ])
})

describe('every message kind', () => {
  test('lists every message kind, and no variable can contain an amount or a member', () => {
    expect(every.map((one) => one.kind)).toEqual(kinds)
    // All other kinds need a template of the gateway.
    expect(kinds.filter((kind) => !smsMessageKinds.some((one) => one === kind))).toEqual(['platform_replaced', 'notice'])
    const names = kinds.flatMap((kind) =>
      [...`${messageKinds[kind].full}${messageKinds[kind].brief}`.matchAll(/\{(\w+)\}/g)].map((one) => one[1]),
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
  test.each(every.map((one) => [one.kind, one] as const))(
    '%s: is complete and signed without open placeholders',
    (_, message) => {
      const text = renderMessage(message)
      expect(text.startsWith('【薪函】')).toBe(true)
      expect(text).not.toMatch(/[{}]|undefined/)
      expect(renderMessage(message, '某某科技').startsWith('【某某科技】')).toBe(true)
    },
  )
  const bySms = every.filter(({ kind }) => smsMessageKinds.some((one) => one === kind))
  test.each(bySms.map((one) => [one.kind, one] as const))('%s: each variable fits its gateway', (_, message) => {
    for (const [name, value] of getMessageVariables(message)) {
      const sent = name === 'link' ? Object.values(getLinkVariables(message.kind, value) ?? { none: '' }) : [value]
      expect([name, sent.every((one) => one !== '' && [...one].length <= 35)]).toEqual([name, true])
    }
    for (const [name, value] of getMessageVariables(message, 'brief')) expect([name, value.length <= 6]).toEqual([name, true])
  })
})

describe('sanitized user text in messages', () => {
  const sanitize = (title: string, corp = '甲公司') =>
    Object.fromEntries(getMessageVariables({ kind: 'slip', params: { corp, title, link: 'L' } }))
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
  ])('sanitizes the title %j', (title, message) => {
    expect(sanitize(title).title).toBe(message)
  })
  test('sanitizes a company name, too', () => {
    expect(sanitize('十月', '【工商银行】http://x.cn 转账')).toEqual({ corp: '工商银行 转账', title: '十月工资', link: 'L' })
  })
  test('names only the kinds of notifications, whatever the parameters contain', () => {
    const events = '发送失败、王晓云离职补偿 8000、员工反馈、https://evil.cn'
    const message: MessageContent = { kind: 'notice', params: { corp: '甲', count: '2', news: events, link: 'L' } }
    expect(getMessageVariables(message)).toContainEqual(['news', '发送失败、员工反馈'])
    expect(renderMessage(message)).not.toMatch(/王晓云|8000|evil/)
  })
  test('gives the number of batches where there are several', () => {
    const message: MessageContent = {
      kind: 'standing',
      params: { corp: '甲', title: '10月奖金等3批', unviewed: '1', unconfirmed: '2' },
    }
    expect(renderMessage(message)).toContain('甲：10月工资等3批还有 1 人没有查看')
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
  expect(getLinkVariables('slip', link)).toEqual({ link: 'gAAAAAAAq80' })
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

test('contains no brackets or invitations, which gateways refuse in templates', () => {
  for (const { full, brief } of smsMessageKinds.map((kind) => messageKinds[kind]))
    expect(full + brief).not.toMatch(/[「」『』【】]|邀请/)
})

test('contains templates by name and by number', () => {
  const { slip } = messageKinds
  expect(renderGatewayTemplate('slip', 'named', origin)).toBe(
    slip.full
      .replace('{corp}', '$${corp}')
      .replace('{title}', '$${title}')
      .replace('{link}', 'https://pay.example.cn/s/$${link}'),
  )
  expect(renderGatewayTemplate('slip', 'numbered', origin)).toBe(slip.brief.replace('{home}', 'https://pay.example.cn/m'))
  const { brief } = messageKinds.phone_changed
  expect(renderGatewayTemplate('phone_changed', 'numbered', origin)).toBe(brief.replace('{tail}', '{1}'))
})

describe('docs/sms.zh-CN.md', () => {
  const lines = readFileSync(join(import.meta.dirname, '../../../docs/sms.zh-CN.md'), 'utf8').split('\n')
  const chapters = { named: '## 阿里云的模板', numbered: '## 腾讯云的模板' } as const
  test.each(smsMessageKinds.flatMap((kind) => (['named', 'numbered'] as const).map((form) => [kind, form] as const)))(
    'lists the template %s in its %s form',
    (kind, form) => {
      const variable = `| \`${kind.toUpperCase()}\` |`
      const at = lines.findIndex(
        (line, index) => index > lines.findIndex((line) => line === chapters[form]) && line.startsWith(variable),
      )
      expect(lines[at], `correct line ${at + 1} of docs/sms.zh-CN.md, and have the template approved again`).toBe(
        `${variable} ${renderGatewayTemplate(kind, form, origin)} |`,
      )
    },
  )
})

describe('billed SMS segments', () => {
  const zh = (count: number) => '工'.repeat(count)
  test.each([
    ['nothing', '', 1],
    ['160 plain letters', 'a'.repeat(160), 1],
    ['161 plain letters: segments of 153', 'a'.repeat(161), 2],
    ['306', 'a'.repeat(306), 2],
    ['307', 'a'.repeat(307), 3],
    ['a character of the extension table counts as two', `${'a'.repeat(158)}€`, 1],
    ['one more character is too many', `${'a'.repeat(159)}€`, 2],
    ['80 extension characters', '{'.repeat(80), 1],
    ['81 extension characters', '{'.repeat(81), 2],
    // 152 characters and an escape: the pair is not split, so it begins the second segment.
    ['a surrogate pair is not split', `${'a'.repeat(152)}{${'a'.repeat(151)}`, 2],
    ['a surrogate pair that is not split makes the text too long', `${'a'.repeat(152)}{${'a'.repeat(152)}`, 3],
    ['accents in the alphabet', 'é'.repeat(160), 1],
    ['an accent outside the alphabet requires UCS-2', 'ê'.repeat(71), 2],
    ['70 Chinese characters', zh(70), 1],
    ['71 Chinese characters: segments of 67', zh(71), 2],
    ['134', zh(134), 2],
    ['135', zh(135), 3],
    ['one Chinese character among letters', `工${'a'.repeat(69)}`, 1],
    ['one Chinese character among more letters', `工${'a'.repeat(70)}`, 2],
    ['a supplementary character counts as two units', `${zh(69)}😀`, 2],
    ['a supplementary character is not split', `${zh(66)}😀${zh(66)}`, 3],
  ])('%s', (_what, text, segments) => {
    expect(countSmsSegments(text)).toBe(segments)
  })

  test('fits every payslip message of a usual company into one segment', () => {
    const params = { corp: '云杉科技', title: '2026年10月工资', link: `https://pay.example.cn/s/${'0'.repeat(11)}` }
    const counted = (['slip', 'corrected', 'remind', 'answered'] as const).map((kind) => {
      const text = renderMessage({ kind, params })
      return [kind, countSmsSegments(text)]
    })
    expect(counted).toEqual([
      ['slip', 1],
      ['corrected', 1],
      ['remind', 1],
      ['answered', 1],
    ])
  })

  test('counts billed segments for the text as sent: with signature and link, or the short one', () => {
    const message = {
      kind: 'slip',
      params: { corp: '云杉科技', title: '2026年10月工资', link: `https://pay.example.cn/s/${'0'.repeat(11)}` },
    } as const
    const origin = 'https://pay.example.cn'
    const long = renderSms(message, { signature: '薪函', brief: false }, origin)
    expect([long, countSmsSegments(long)]).toEqual([renderMessage(message, '薪函'), 1])
    const brief = renderSms(message, { signature: '薪函', brief: true }, origin)
    const text = `【薪函】${messageKinds.slip.brief.replace('{home}', `${origin}/m`)}`
    expect([brief, countSmsSegments(brief)]).toEqual([text, 1])
  })
})
