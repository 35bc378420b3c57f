/** Evidence as PDF pages, read back by another program amount by amount; the font is embedded in the file. */
import { existsSync, writeFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { extractText, getDocumentProxy } from 'unpdf'
import { expect, it } from 'vitest'
import type { PaperOptions } from '../../../server/contract/payslips/send.ts'
import { formatFen } from '../../../server/contract/shared/money.ts'
import { canonicalizePayslip } from '../../../server/modules/payslip-records/index.ts'
import { splitIntoFontRuns, toMeasurableText } from '../../../server/modules/payslips/export/font-runs.ts'
import { toReceiptView } from '../../../server/modules/payslips/export/pdf.ts'
import type { PdfPayslip } from '../../../server/modules/payslips/export/pdf-content.ts'
import { createPdfWriter } from '../../../server/modules/payslips/export/pdf-writer.ts'
import { nextKey, says, signed } from './proof/receipts.ts'

const key = nextKey('2025-11-01T00:00:00.000Z')
const name = '欧阳娜娜·阿卜杜热合曼·买买提明'
const cell = (at: number) => ({
  key: `c${at}`,
  label: at % 7 === 0 ? `岗位津贴/生产一线/高温作业/第${at}类补助（含税）` : `项目${at}`,
  value: String(at),
  kind: 'money' as const,
  fen: 123_456 + at * 1_001,
  is_deduction: at % 3 === 0,
  note: at % 11 === 0 ? '按当月实际出勤天数折算' : '',
})
const slip_id = says.slip_id
const visible = {
  title: '2026年10月工资（含季度奖与补发）',
  month: '2026-10',
  corp_name: '示例科技（上海）有限公司',
  name,
  net: { label: '实发工资', fen: 812_345 },
  totals: null,
  groups: [0, 1, 2, 3].map((group) => ({
    name: `第${group + 1}组`,
    total_fen: 1_000 + group,
    cells: Array.from({ length: 15 }, (_, at) => cell(group * 15 + at)),
  })),
  hint: '如有疑问请联系人事',
}
const getSlip = (person: string): PdfPayslip => ({
  slip_id,
  person,
  department: '研发中心/平台部',
  version: 2,
  status: 'confirmed',
  sent_at: '2026-11-05T02:00:00.000Z',
  slip: canonicalizePayslip({ slip_id, version: 2, slip: { ...visible, name: person } }),
  moments: [
    {
      viewed_at: '2026-11-05T03:00:00.000Z',
      confirmed_at: '2026-11-06T02:03:04.567Z',
      withdrawn_at: null,
      confirmed_auto: false,
    },
  ],
  messages: [
    { version: 1, about: 'slip', channel: 'sms', status: 'accepted', requested_at: says.signed_at, done_at: says.signed_at },
  ],
  changes: [{ at: says.signed_at, by: '王会计', version: 2, column: '项目1', from: '1,000.00', to: '1,244.57', reason: '补发' }],
  questions: [{ at: '2026-11-05T12:00:00.000+08:00', from: 'employee', about: '绩效', name, content: '绩效是不是少了？' }],
  receipts: [toReceiptView({ receipt: signed(key, { handwriting: 'A'.repeat(43) }), handwriting: 'M10 10Q60 80 110 20L200 60' })],
})
async function paper({
  size = 'A4' as PaperOptions['size'],
  large = false,
  people = [name],
  logo = null as string | null,
} = {}): Promise<Buffer> {
  const requested = {
    origin: 'https://pay.example.cn',
    made_at: new Date('2026-11-23T02:00:00Z'),
    company: visible.corp_name,
    title: '工资条证据',
    mark: slip_id,
    logo,
  }
  const { draw, take, end } = await createPdfWriter({ ...requested, paper: { size, large } })
  for (const person of people) draw({ evidence: getSlip(person) })
  await end()
  return take()
}

it('puts every amount and name of a payslip with 60 items on its pages as text in an embedded font', async () => {
  const bytes = await paper()
  if (process.env.XINHAN_PAPER) writeFileSync(process.env.XINHAN_PAPER, bytes)
  const { totalPages, text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false })
  const all = text.join('\n').normalize('NFKC').replace(/\s+/g, '')
  for (const { fen, is_deduction, label } of visible.groups.flatMap(({ cells }) => cells)) {
    expect(all).toContain(formatFen(is_deduction ? -fen : fen))
    expect(all).toContain(label.normalize('NFKC'))
  }
  for (const message of [
    name,
    '8,123.45',
    '1,000.00→1,244.57',
    '本人手写签名',
    '绩效是不是少了?',
    '短信',
    '2026-11-0610:03',
    key.kid,
  ])
    expect(all).toContain(message.normalize('NFKC').replace(/\s+/g, ''))
  expect(text.at(-1)?.replace(/\s+/g, '')).toContain(`${totalPages}/${totalPages}`)
  const raw = bytes.toString('latin1')
  expect([raw.includes('/FontFile2') || raw.includes('/FontFile3'), raw.includes('/Helvetica')]).toEqual([true, false])
  expect(bytes.length).toBeLessThan(200_000)
})

const getPages = async (bytes: Buffer) => {
  const pdf = await getDocumentProxy(new Uint8Array(bytes))
  const { text } = await extractText(pdf, { mergePages: false })
  const { width, height } = (await pdf.getPage(1)).getViewport({ scale: 1 })
  return { text, size: [Math.round(width), Math.round(height)] }
}

it.each([
  ['A4', false, [595, 842]],
  ['A5', false, [420, 595]],
  ['A5', true, [420, 595]],
] as const)('draws on %s, large type %s: with the page size, no overflow and every amount', async (size, large, points) => {
  const bytes = await paper({ size, large })
  if (process.env.XINHAN_PAPER) writeFileSync(`${process.env.XINHAN_PAPER}.${size}${large ? '-large' : ''}.pdf`, bytes)
  const { text, size: is } = await getPages(bytes)
  expect(is).toEqual(points)
  const all = text.join('\n').normalize('NFKC').replace(/\s+/g, '')
  for (const { fen, is_deduction } of visible.groups.flatMap(({ cells }) => cells))
    expect(all).toContain(formatFen(is_deduction ? -fen : fen))
  expect(text.every((page, at) => page.replace(/\s+/g, '').endsWith(`${at + 1}/${text.length}`))).toBe(true)
})

it('starts each employee on a new page with separate page numbers', async () => {
  const { text } = await getPages(await paper({ people: ['甲一', '乙二', '丙三'] }))
  const begins = text.flatMap((page, at) => (page.includes('工资条证据') ? [at] : []))
  expect([begins.length, text.length % 3]).toEqual([3, 0])
  for (const [at, who] of ['甲一', '乙二', '丙三'].entries()) expect(text[begins[at] ?? 0]).toContain(who)
  expect(text.filter((page) => page.replace(/\s+/g, '').endsWith(`1/${text.length / 3}`))).toHaveLength(3)
})

it.skipIf(!existsSync('/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc'))(
  'draws a supplementary character missing in our font with a font of this machine',
  async () => {
    const bytes = await paper({ people: ['𠮷田一郎'] })
    const { text } = await getPages(bytes)
    expect(text[0]?.normalize('NFKC')).toContain('𠮷田一郎')
    expect(bytes.toString('latin1').match(/\/FontFile[23]/g)).toHaveLength(2)
  },
)

it('spells out a character that no font has with a note below, keeps it for copying, and includes rare characters of names', async () => {
  // One character is in a plane that neither our font nor a font of the machine covers; the others are in and beyond
  // the basic plane.
  const bytes = await paper({ people: ['王𱍐明', '㐂䶮𣲘'] })
  const { text } = await getPages(bytes)
  const [first = '', second = ''] = ['王', '㐂'].map((sign) =>
    text.find((page) => page.includes('工资条证据') && page.includes(sign)),
  )
  expect([first.includes('王〔U+31350〕明'), first.includes('没有字形的字')]).toEqual([true, true])
  expect([second.includes('㐂䶮𣲘'), second.includes('没有字形的字')]).toEqual([true, false])
  const rendered = bytes
    .toString('latin1')
    .split('stream\n')
    .flatMap((part) => {
      try {
        return [inflateSync(Buffer.from(part.replace(/\nend$/, ''), 'latin1')).toString('latin1')]
      } catch {
        return []
      }
    })
    .join('\n')
  const stored = [...rendered.matchAll(/\/ActualText \((.*?)\)/gs)].map(([, message = '']) =>
    Buffer.from(message, 'latin1').swap16().toString('utf16le'),
  )
  expect(new Set(stored)).toEqual(new Set(['\u{feff}𱍐〔U+31350〕']))
})

it.each([
  ['一个普通的名字', '王小明', [{ text: '王小明', isRare: false }]],
  [
    'a character only in the other font',
    '𠮷野家',
    [
      { text: '𠮷', isRare: true },
      { text: '野家', isRare: false },
    ],
  ],
  [
    'a character in no font',
    '王𪚥𪚥明',
    [
      { text: '王', isRare: false },
      { text: '〔U+2A6A5〕', isRare: false, replaces: '𪚥' },
      { text: '〔U+2A6A5〕', isRare: false, replaces: '𪚥' },
      { text: '明', isRare: false },
    ],
  ],
  ['a variation selector', '葛\u{e0100}', [{ text: '葛', isRare: false }]],
  ['a line break', '甲\n乙', [{ text: '甲\n乙', isRare: false }]],
])('draws characters: %s', (_, text, runs) => {
  const basic = (code: number) => code < 0x10000
  expect(splitIntoFontRuns(text, basic, (code) => code === 0x20bb7)).toEqual(runs)
  expect(toMeasurableText(runs)).toBe(runs.map((run) => (run.isRare ? '国' : run.text)).join(''))
})

/** A red picture of eight by four pixels. */
const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAECAIAAAA8r+mnAAAAEUlEQVR4nGM4oKCAFTFQTwIAVL4gAQJrU1oAAAAASUVORK5CYII='
it("prints the company's logo on every payslip, embedded once", async () => {
  const countPictures = (bytes: Buffer) => bytes.toString('latin1').match(/\/Subtype \/Image/g)?.length ?? 0
  const people = ['甲一', '乙二', '丙三']
  const [without, withLogo] = [await paper({ people }), await paper({ people, logo })]
  expect(countPictures(withLogo) - countPictures(without)).toBe(1)
  const { text } = await getPages(withLogo)
  expect(text.filter((page) => page.includes('工资条证据'))).toHaveLength(3)
})
