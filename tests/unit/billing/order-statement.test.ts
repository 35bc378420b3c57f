/** A provider's statement compared with our records, and its file formats. */
import { describe, expect, it } from 'vitest'
import type { StatementEntry } from '../../../platform/pay/provider.ts'
import { alipayStatement, wechatStatement } from '../../../platform/pay/simulator-statements.ts'
import { parseAlipayStatement, parseWechatStatement } from '../../../platform/pay/statements.ts'
import { unzip, zip } from '../../../platform/pay/zip.ts'
import { compareStatement, type MoneyTransaction } from '../../../server/modules/billing/rules/statement.ts'

const paid = (number: string, amount_fen = 100): MoneyTransaction => ({ kind: 'paid', order_no: 'XH1', number, amount_fen })
const back = (number: string, amount_fen = 100): MoneyTransaction => ({ kind: 'refunded', order_no: 'XH1', number, amount_fen })
const due = (one: MoneyTransaction, isDue = true) => ({ ...one, due: isDue })

describe('differences of a statement', () => {
  it.each([
    ['empty statements', [], [], []],
    ['payments in both statements', [paid('a'), back('r')], [due(paid('a')), due(back('r'))], []],
    ['a payment that only the provider has', [paid('a')], [], ['only_there paid a null 100']],
    ['a payment that only the ledger has', [], [due(paid('a'))], ['only_here paid a 100 null']],
    ['a payment of another day, which is not missing', [], [due(paid('a'), false)], []],
    ['a payment the other side recorded on another day', [paid('a')], [due(paid('a'), false)], []],
    ['a difference of one fen', [paid('a', 101)], [due(paid('a'))], ['amount paid a 100 101']],
    [
      'a refund with the number of a payment',
      [back('a')],
      [due(paid('a'))],
      ['only_there refunded a null 100', 'only_here paid a 100 null'],
    ],
  ] as const)('%s', (_, there, context, expected) => {
    const matches = compareStatement(there, context).map(
      (it) => `${it.kind} ${it.of} ${it.number} ${it.ours_fen} ${it.theirs_fen}`,
    )
    expect(matches).toEqual(expected)
  })
})

const lines: StatementEntry[] = [
  { kind: 'paid', order_no: 'XH1', transaction_id: '4200', amount_fen: 10_001, refund_no: null },
  { kind: 'refunded', order_no: 'XH1', transaction_id: '4200', amount_fen: 1, refund_no: 'r1' },
]
const sha1 = async (text: string) => {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return { type: 'SHA1', value: Buffer.from(digest).toString('hex') }
}

describe('statement files', () => {
  it('reads Alipay’s ZIP in GB 18030', () => expect(parseAlipayStatement(alipayStatement('2026-11-20', lines))).toEqual(lines))
  it('reads WeChat Pay’s text', async () => {
    const text = wechatStatement('2026-11-20', lines)
    expect(parseWechatStatement(Buffer.from(text), await sha1(text))).toEqual(lines)
  })
  it('refuses statement files that were changed, truncated or lack a column', async () => {
    const text = wechatStatement('2026-11-20', lines)
    const hash = await sha1(text)
    expect(() => parseWechatStatement(Buffer.from(text.replace('100.01', '900.01')), hash)).toThrow('changed on its way')
    const cut = text.replace(/`2026-11-20.*REFUND.*\r\n/, '')
    const hashes = await sha1(cut)
    expect(() => parseWechatStatement(Buffer.from(cut), hashes)).toThrow('fewer lines')
    const renamed = text.replace('商户退款单号', '别的')
    const other = await sha1(renamed)
    expect(() => parseWechatStatement(Buffer.from(renamed), other)).toThrow('商户退款单号')
    const bytes = alipayStatement('2026-11-20', lines)
    const middle = bytes.length >> 1
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    expect(() => parseAlipayStatement(bytes)).toThrow()
  })
  it('returns what was put into a ZIP, and refuses other bytes', () => {
    const files = [
      { name: '业务明细.csv', bytes: Buffer.from('一,二\n') },
      { name: 'b', bytes: Buffer.alloc(0) },
    ]
    expect(unzip(zip(files))).toEqual(files)
    expect(() => unzip(Buffer.from('PK'))).toThrow('not a ZIP')
  })
})
