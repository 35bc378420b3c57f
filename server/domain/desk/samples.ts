/** The sample sheets and the help file that people start from. Public: they hold nobody's data. */
import type { InputOf } from '../../contract/call.ts'
import * as contract from '../../contract/desk.ts'
import { handleOutside, type OutsideCtx } from '../../runtime/handle.ts'
import { openXlsx, type XlsxValue } from '../../runtime/xlsx.ts'

type Kind = InputOf<typeof contract.getImportSampleFile>['type']
type Sample = {
  readonly name: string
  readonly sheet: string
  readonly widths: readonly number[]
  readonly merges: readonly string[]
  readonly frozen_rows: number
  readonly head: readonly (readonly XlsxValue[])[]
  readonly body: readonly (readonly XlsxValue[])[]
}

const yuan = (amount: number): XlsxValue => ({ fen: amount * 100 })
/** A sentence in a row of its own, which the sheet's reader knows to be no person. */
const note = (text: string): XlsxValue[] => [`说明：${text}`]

const samples: Record<Kind, Sample> = {
  wage: {
    name: '工资表模板.xlsx',
    sheet: '工资表',
    widths: [12, 12, 14, 16, ...Array<number>(14).fill(12), 20],
    merges: ['A1:S1', 'A2:A3', 'B2:B3', 'C2:C3', 'D2:D3', 'E2:I2', 'J2:J3', 'K2:P2', 'Q2:Q3', 'R2:R3', 'S2:S3'],
    frozen_rows: 3,
    head: [
      ['2026年10月工资表（单位：元）'],
      [
        '姓名',
        '工号',
        '部门',
        '手机号',
        '应发',
        null,
        null,
        null,
        null,
        '应发合计',
        '扣款',
        null,
        null,
        null,
        null,
        null,
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
        ...[8000, 2000, 1500, 300, 400, 12200, 800, 200, 50, 1200, 150, 0, 2400, 9800].map(yuan),
        '示例，请删除',
      ],
      [
        '李四',
        'A002',
        '销售部',
        '19900000002',
        ...[6000, 1500, 2600, 0, 400, 10500, 600, 150, 38, 900, 94, 50, 1832, 8668].map(yuan),
        '示例，请删除',
      ],
      note('“姓名”“手机号”“实发工资”三列不能少；手机号用来找到这位员工并通知他。'),
      note('列名和列的多少都可以改，可以直接上传您现有的工资表，不必照抄本模板。'),
      note('金额请填数字，不要写“元”或“约”；没有的项目留空或填 0。'),
      note('应发合计减去扣款合计应等于实发工资，上传后系统会逐行核对。'),
      note('表尾可以保留合计行、制表人和审核人，系统会自动跳过。'),
    ],
  },
  member: {
    name: '员工导入模板.xlsx',
    sheet: '员工',
    widths: [14, 16, 14, 20, 16, 14, 24],
    merges: ['A1:G1', 'A2:C2', 'D2:F2', 'G2:G3'],
    frozen_rows: 3,
    head: [
      ['员工导入模板'],
      ['基本信息', null, null, '任职信息', null, null, '身份证号'],
      ['姓名', '手机号', '工号', '部门', '职位', '入职日期'],
    ],
    body: [
      ['张三', '19900000001', 'A001', '综合部', '会计', '2024-03-01', null],
      ['李四', '19900000002', 'A002', '销售部', '销售代表', '2025-07-15', null],
      note('姓名和手机号必填；同一个手机号只能属于一位在职员工。'),
      note('部门写名称即可，没有的部门会自动新建；入职日期写作 2024-03-01。'),
      note('身份证号请设为文本格式后再填写，否则后三位会变成 0；不需要可以留空。'),
      note('张三、李四是示例，导入前请删除这两行。'),
    ],
  },
  help: {
    name: '薪函使用指南.xlsx',
    sheet: '使用指南',
    widths: [16, 90],
    merges: ['A1:B1'],
    frozen_rows: 2,
    head: [['薪函使用指南'], ['步骤', '怎么做']],
    body: [
      ['1 录入员工', '在「员工管理」的「花名册」里逐个添加。工资表里有、花名册里没有的人，核对时也可以一键创建。'],
      ['2 上传工资表', '在「发工资条」里拖入 .xlsx、.xls 或 .csv 文件，系统自动识别表头和各列的用途，不对的可以当场改。'],
      ['3 核对', '系统逐行检查：找不到的人、重名、手机号有误、实发对不上等。按提示逐个或整类处理，有错误时不能发送。'],
      ['4 排版', '决定员工看到哪些项目、怎样分组、叫什么名字，右侧可以预览任何一位员工的工资条。'],
      ['5 发送', '选择发给谁、用什么渠道、现在发还是定时发。确认之前会告诉您一共发给多少人、要用多少条短信。'],
      ['6 跟进', '在「工资条管理」里看谁已查看、谁已确认；可以提醒未读的人、更正个别人的工资条，或撤回整批。'],
      ['员工怎么看', '员工点开收到的链接，用手机号登录后查看，可以确认，也可以提出疑问。消息里不会出现任何金额。'],
      ['谁能看到', '薪酬管理员只能看到自己发的和共享给自己的批次；企业管理员看不到工资条内容。'],
      ['发错了', '立即在批次详情里点「撤回」，员工从那一刻起就打不开了；改好后重新上传发送即可。'],
      ['短信不够', '短信余量显示在首页；不够时请联系客服充值，或改用办公平台、链接两种渠道。'],
    ],
  },
}

async function fileOf({ sheet, widths, merges, frozen_rows, head, body }: Sample): Promise<Buffer> {
  const writer = openXlsx({ sheet, widths, merges, frozen_rows })
  for (const row of head) await writer.row(row, 'head')
  for (const row of body) await writer.row(row)
  return writer.finish()
}

/** Each file is made once: they never change while the server runs. */
const made = new Map<Kind, Promise<Buffer>>()

export async function sendSample({ sendBytes }: Pick<OutsideCtx, 'sendBytes'>, kind: Kind): Promise<Record<string, never>> {
  const sample = samples[kind]
  const bytes = made.get(kind) ?? fileOf(sample)
  made.set(kind, bytes)
  sendBytes({
    name: sample.name,
    bytes: await bytes,
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  })
  return {}
}

export const getImportSampleFile = handleOutside(contract.getImportSampleFile, (ctx, { type }) => sendSample(ctx, type))
