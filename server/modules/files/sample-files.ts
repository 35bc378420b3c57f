/** Sample wage sheets and the guide to start from. They are public because they contain no personal data. */
import { readFile } from 'node:fs/promises'
import type { CallInput } from '../../contract/call.ts'
import * as contract from '../../contract/files/files.ts'
import { createXlsxWriter, type XlsxValue } from '../../files/xlsx-writer.ts'
import { defineHandler, type ExternalContext } from '../../http/handler.ts'

type SampleKind = CallInput<typeof contract.getImportSampleFile>['type']
type SampleSheet = {
  readonly name: string
  readonly sheet: string
  readonly widths: readonly number[]
  readonly merges: readonly string[]
  readonly frozen_rows: number
  readonly header: readonly (readonly XlsxValue[])[]
  readonly body: readonly (readonly XlsxValue[])[]
}

const toFenCell = (amount: number): XlsxValue => ({ fen: amount * 100 })
/** A note in a separate row, which the sheet reader recognizes as not being a member. */
const createNoteRow = (text: string): XlsxValue[] => [`说明：${text}`]

const samples: Record<Exclude<SampleKind, 'help'>, SampleSheet> = {
  wage: {
    name: '工资表模板.xlsx',
    sheet: '工资表',
    widths: [12, 12, 14, 16, ...Array<number>(14).fill(12), 20],
    merges: ['A1:S1', 'A2:A3', 'B2:B3', 'C2:C3', 'D2:D3', 'E2:I2', 'J2:J3', 'K2:P2', 'Q2:Q3', 'R2:R3', 'S2:S3'],
    frozen_rows: 3,
    header: [
      ['2026年10月工资表（单位：元）'],
      [
        '姓名',
        '工号',
        '部门',
        '手机号',
        '应发',
        ...Array<null>(4).fill(null),
        '应发合计',
        '扣款',
        ...Array<null>(5).fill(null),
        '扣款合计',
        '实发工资',
        '备注',
      ],
      [
        ...Array<null>(4).fill(null),
        '基本工资',
        '岗位工资',
        '绩效工资',
        '加班费',
        '餐补',
        null,
        '养老保险',
        '医疗保险',
        '失业保险',
        '住房公积金',
        '个人所得税',
        '其他扣款',
      ],
    ],
    body: [
      [
        '张三',
        'A001',
        '综合部',
        '19900000001',
        ...[8000, 2000, 1500, 300, 400, 12200, 800, 200, 50, 1200, 150, 0, 2400, 9800].map(toFenCell),
        '示例，请删除',
      ],
      [
        '李四',
        'A002',
        '销售部',
        '19900000002',
        ...[6000, 1500, 2600, 0, 400, 10500, 600, 150, 38, 900, 94, 50, 1832, 8668].map(toFenCell),
        '示例，请删除',
      ],
      createNoteRow('「姓名」「手机号」「实发工资」三列不能少；手机号用来找到这位员工并通知他。'),
      createNoteRow('列名和列的多少都可以改，可以直接上传您现有的工资表，不必照抄本模板。'),
      createNoteRow('金额请填数字，不要写「元」或「约」；没有的项目留空或填 0。'),
      createNoteRow('应发合计减去扣款合计应等于实发工资，上传后系统会逐行核对。'),
      createNoteRow('表尾可以保留合计行、制表人和审核人，系统会自动跳过。'),
    ],
  },
  member: {
    name: '员工导入模板.xlsx',
    sheet: '员工',
    widths: [14, 16, 14, 20, 16, 14, 24],
    merges: ['A1:G1', 'A2:C2', 'D2:F2', 'G2:G3'],
    frozen_rows: 3,
    header: [
      ['员工导入模板'],
      ['基本信息', null, null, '任职信息', null, null, '身份证号'],
      ['姓名', '手机号', '工号', '部门', '职位', '入职日期'],
    ],
    body: [
      ['张三', '19900000001', 'A001', '综合部', '会计', '2024-03-01', null],
      ['李四', '19900000002', 'A002', '销售部', '销售代表', '2025-07-15', null],
      createNoteRow('姓名和手机号必填；同一个手机号只能属于一位在职员工。'),
      createNoteRow('部门写名称即可，没有的部门会自动新建；入职日期写作 2024-03-01。'),
      createNoteRow('身份证号请设为文本格式后再填写，否则后三位会变成 0；不需要可以留空。'),
      createNoteRow('张三、李四是示例，导入前请删除这两行。'),
    ],
  },
  insurance: {
    name: '缴费基数模板.xlsx',
    sheet: '缴费基数',
    widths: [12, 12, 16, 22, 12, 14, 14, 14],
    merges: [],
    frozen_rows: 1,
    header: [['姓名', '工号', '手机号', '证件号', '参保城市', '社保基数', '公积金基数', '公积金比例']],
    body: [
      ['张三', 'A001', '19900000001', null, '上海', ...[8000, 8000].map(toFenCell), '7%'],
      ['李四', 'A002', '19900000002', null, '上海', ...[12000, 10000].map(toFenCell), '5%'],
      createNoteRow('张三、李四是示例，导入前请删除这两行。'),
      createNoteRow('姓名必填；工号、手机号、证件号填一项即可，填了就必须与花名册一致。'),
      createNoteRow('各险种基数不同时，可以用「养老基数」「医疗基数」「失业基数」「工伤基数」「生育基数」各列代替「社保基数」。'),
      createNoteRow('空着的单元格保持原来的数；原来没有公积金基数的，与社保基数相同。'),
    ],
  },
  income: {
    name: '收入模板.xlsx',
    sheet: '收入',
    widths: [12, 12, 16, 22, ...Array<number>(12).fill(14)],
    merges: [],
    frozen_rows: 1,
    header: [
      [
        '姓名',
        '工号',
        '手机号',
        '证件号',
        '本期收入',
        '本期免税收入',
        '基本养老保险费',
        '基本医疗保险费',
        '失业保险费',
        '住房公积金',
        '企业(职业)年金',
        '商业健康保险',
        '其他',
        '准予扣除的捐赠额',
        '减免税额',
        '年终奖单独计税',
      ],
    ],
    body: [
      ['张三', 'A001', '19900000001', null, toFenCell(12200), null, ...[800, 200, 50, 1200].map(toFenCell)],
      ['李四', 'A002', '19900000002', null, toFenCell(10500), null, ...[600, 150, 38, 900].map(toFenCell)],
      createNoteRow('张三、李四是示例，导入前请删除这两行。'),
      createNoteRow('姓名必填；工号、手机号、证件号填一项即可，填了就必须与花名册一致。'),
      createNoteRow('金额都写正数；社保和公积金四项都空着时，按每个人的参保方案计算，其余空着就是 0。'),
      createNoteRow('没有的列可以删除，该项保持原来的数。'),
    ],
  },
}

async function buildSampleFile({ sheet, widths, merges, frozen_rows, header, body }: SampleSheet): Promise<Buffer> {
  const writer = createXlsxWriter({ sheet, widths, merges, frozen_rows })
  for (const row of header) await writer.row(row, 'head')
  for (const row of body) await writer.row(row)
  return writer.finish()
}

const xlsxContentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
async function loadSample(kind: SampleKind) {
  // The guide is generated by `npm run guide` from docs/guide.zh-CN.md and screenshots of the product.
  if (kind === 'help') {
    const bytes = await readFile(new URL('./guide.pdf', import.meta.url))
    return { name: '薪函使用指南.pdf', bytes, type: 'application/pdf' }
  }
  return { name: samples[kind].name, bytes: await buildSampleFile(samples[kind]), type: xlsxContentType }
}

/** Each file is built or read once, because it does not change while the server runs. */
const cachedSamples = new Map<SampleKind, ReturnType<typeof loadSample>>()

export async function sendSample(
  { sendBytes }: Pick<ExternalContext, 'sendBytes'>,
  kind: SampleKind,
): Promise<Record<string, never>> {
  const file = cachedSamples.get(kind) ?? loadSample(kind)
  cachedSamples.set(kind, file)
  sendBytes(await file)
  return {}
}

export const getImportSampleFile = defineHandler(contract.getImportSampleFile, { kind: 'external' }, (ctx, { type }) =>
  sendSample(ctx, type),
)
