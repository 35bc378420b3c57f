/** Parsing of roster cells: phones, dates, identity cards, departments, and the message where a value is invalid. */
import { describe, expect, it } from 'vitest'
import {
  detectDayOrder,
  detectPathFormat,
  parseBankCard,
  parseDate,
  parseDepartmentPaths,
  parseIdCard,
  parsePhone,
} from '../../../server/spreadsheets/profiles/roster/cells.ts'
import { getRosterLabelMeaning } from '../../../server/spreadsheets/profiles/roster/labels.ts'
import { recognizeRoster } from '../../../server/spreadsheets/profiles/roster/roster.ts'
import { parseStatus } from '../../../server/spreadsheets/profiles/roster/status.ts'
import { grid } from '../../support/files/grid.ts'

describe('phones', () => {
  it.each([
    ['13812345678', '13812345678'],
    ['138 1234 5678', '13812345678'],
    ['138-1234-5678', '13812345678'],
    ['+86 13812345678', '13812345678'],
    ['+86-138 1234 5678', '13812345678'],
    ['(+86)13812345678', '13812345678'],
    ['008613812345678', '13812345678'],
    ['8613812345678', '13812345678'],
    ['１３８１２３４５６７８', '13812345678'],
    ['13812345678.0', '13812345678'],
    ["'13812345678", '13812345678'],
    ['+63 9123456789', '+639123456789'],
    ['0085291234567', '+85291234567'],
    ['', null],
    ['/', null],
    ['无', null],
  ])('reads %j as %j', (text, value) => expect(parsePhone(text)).toEqual({ value }))

  it.each([
    ['12812345678', '没有这样的手机号段（第二位应为 3 到 9）'],
    ['1381234567', '手机号应为 11 位，这里是 10 位'],
    ['138123456789', '手机号应为 11 位，这里是 12 位'],
    ['13812345678/13912345678', '写了两个手机号，请只留一个'],
    ['1.38123E+10', '手机号被存成了科学计数，末尾几位已经丢失，请改成文本后重新填写'],
    ['021-61234567', '不是手机号'],
    ['+491351234567X', '不是手机号'],
  ])('refuses %j: %s', (text, why) => expect(parsePhone(text)).toEqual({ value: null, error: why }))
})

describe('identity cards', () => {
  it.each([
    ['11010519491231002X', { value: '11010519491231002X' }],
    ['11010519491231002x', { value: '11010519491231002X' }],
    ['110105194912310021', { value: null, error: '身份证号的校验位不对，请核对' }],
    ['110105194902300021', { value: null, error: '身份证号里的出生日期不存在，请核对' }],
    ['110105491231002', { value: null, error: '是 15 位的旧身份证号，请填写 18 位的' }],
    ['1101051949123100', { value: null, error: '身份证号应为 18 位；护照、通行证请核对号码' }],
    ['', { value: null }],
  ])('%j', (text, read) => expect(parseIdCard(text, false)).toEqual(read))
  it('refuses an 18-digit number whose last digits were lost', () =>
    expect(parseIdCard('110105194912310000', true).error).toBe('身份证号被存成了数字，末尾几位已经丢失，请改成文本后重新填写'))
})

describe('bank cards', () => {
  it.each([
    ['6222021234567890128', { value: '6222021234567890128' }],
    [' 6222 0212-3456 7890 128', { value: '6222021234567890128' }],
    ["'6222021234567890128", { value: '6222021234567890128' }],
    ['1234567890123', { value: '1234567890123' }],
    ['无', { value: null }],
    ['', { value: null }],
    ['6222', { value: null, error: '银行卡号应为 12 到 19 位数字' }],
    ['62220212345678901289', { value: null, error: '银行卡号应为 12 到 19 位数字' }],
    ['6.22202E+18', { value: null, error: '银行卡号被存成了数字，末尾几位已经丢失，请改成文本后重新填写' }],
  ])('%j', (text, read) => expect(parseBankCard(text, false)).toEqual(read))
  it('refuses a bank card number cut by a spreadsheet', () => expect(parseBankCard('6222021234567890000', true).value).toBeNull())

  const cards = ['6222021234567890128', '6222021234567890136', '6222021234567890144']
  const people = (label: string, values: readonly (string | number)[]) =>
    recognizeRoster([
      grid([
        ['姓名', '手机号', label],
        ...values.map((value, at) => [['赵一', '钱二', '孙三'][at] ?? '', `1380000000${at}`, value]),
      ]),
    ])
  it.each(['银行卡号', '工资卡号', '收款账号', '卡号', '银行卡号（工行）'])('finds bank cards under %s', (label) =>
    expect(people(label, cards).rows.map(({ bank_account }) => bank_account)).toEqual(cards),
  )
  it('ignores bank cards where most are invalid, and refuses no member for them', () => {
    const read = people('银行卡号', ['6222', '支付宝', cards[0] ?? ''])
    expect(read.columns.map(({ role }) => role)).toEqual(['name', 'mobile', 'info'])
    expect(read.bad).toEqual([])
  })
  it('reports bank cards at the cell where one of many is invalid', () =>
    expect(people('银行卡号', [...cards.slice(0, 2), '62220212']).bad).toEqual([
      { row: 4, column: 'C', why: '银行卡号应为 12 到 19 位数字' },
    ]))
})

describe('dates', () => {
  it.each([
    ['2019-03-11', '2019-03-11'],
    ['2019/3/1', '2019-03-01'],
    ['2019.3.1', '2019-03-01'],
    ['2019年3月1日', '2019-03-01'],
    ['2019 年 3 月 1 日', '2019-03-01'],
    ['20190301', '2019-03-01'],
    ['2019-03-01 08:30:00', '2019-03-01'],
    ['2019-03-01T00:00:00.000Z', '2019-03-01'],
    ['43525', '2019-03-01'],
    ['19.3.1', '2019-03-01'],
    ['98/7/1', '1998-07-01'],
    ['1-Mar-2019', '2019-03-01'],
    ['Mar 1, 2019', '2019-03-01'],
    ['25/12/2019', '2019-12-25'],
    ['12/25/2019', '2019-12-25'],
    ['-', null],
  ])('reads %j as %j', (text, value) => expect(parseDate(text, 'unknown')).toEqual({ value }))

  it.each([
    ['2019-02-30', '没有这一天，请核对日期'],
    ['1994-14-02', '没有这一天，请核对日期'],
    ['03/04/2019', '分不清哪个是月、哪个是日，请写成「年-月-日」'],
    ['2019年3月', '只有年月，没有日，请写成「年-月-日」'],
    ['去年', '看不懂的日期，请写成「年-月-日」'],
  ])('refuses %j: %s', (text, why) => expect(parseDate(text, 'unknown')).toEqual({ value: null, error: why }))

  it('uses the whole column to decide which part of a date is the month', () => {
    expect(detectDayOrder(['03/04/2019', '25/04/2019'])).toBe('day first')
    expect(detectDayOrder(['03/04/2019', '04/25/2019'])).toBe('month first')
    expect(detectDayOrder(['13/04/2019', '04/25/2019'])).toBe('unknown')
    expect(parseDate('03/04/2019', 'day first').value).toBe('2019-04-03')
  })
})

describe('departments', () => {
  it.each<[string, string[], string[][][]]>([
    ['a single name', ['财务部'], [[['财务部']]]],
    ['a path', ['总部/研发/前端'], [[['总部', '研发', '前端']]]],
    ['a path that begins with the separator', ['/总部/研发'], [[['总部', '研发']]]],
    [
      'several paths',
      ['总部/研发;总部/财务'],
      [
        [
          ['总部', '研发'],
          ['总部', '财务'],
        ],
      ],
    ],
    ['several paths with commas', ['公司, 公司/甲'], [[['公司'], ['公司', '甲']]]],
    ['arrows', ['总部>研发', '总部'], [[['总部', '研发']], [['总部']]]],
    [
      'dashes as separators',
      ['研发部-前端', '研发部-后端', '财务部'],
      [[['研发部', '前端']], [['研发部', '后端']], [['财务部']]],
    ],
    ['a dash within a name', ['A-1车间', '财务部', '人事部'], [[['A-1车间']], [['财务部']], [['人事部']]]],
    ['a comma within a name', ['质量,安全部'], [[['质量,安全部']]]],
    ['nothing', ['/', ''], [[], []]],
  ])('%s', (_, texts, ways) => {
    const form = detectPathFormat(texts, false)
    expect(texts.map((text) => parseDepartmentPaths(text, form))).toEqual(ways)
  })
})

describe('labels', () => {
  it.each([
    ['入职日期', 'entry_date'],
    ['转正日期', 'info'],
    ['入党时间', 'info'],
    ['合同开始日期', 'info'],
    ['紧急联系人电话', 'info'],
    ['配偶姓名', 'info'],
    ['部门负责人', 'leader'],
    ['直接上级', 'leader'],
    ['座机', 'phone'],
    ['员工UserID', 'account'],
    ['手机号（必填）', 'mobile'],
    ['*姓名', 'name'],
    ['Date of Joining', 'entry_date'],
    ['职务', 'position'],
    ['职级', 'info'],
    ['元素名称', 'info'],
  ])('reads %s as %s', (label, role) => expect(getRosterLabelMeaning([label]).role).toBe(role))
  it.each([
    ['在职', 'active'],
    ['试用期', 'active'],
    ['已离职', 'left'],
    ['特殊', 'unsure'],
  ])('reads status %s: %s', (text, status) => expect(parseStatus(text)).toBe(status))
})

describe('exports of the chat platforms', () => {
  it('WeCom: skips banner rows and the example row', () => {
    const read = recognizeRoster([
      grid(
        [
          ['填写须知：\n1、带 * 为必填项'],
          ['姓名', '帐号', '别名', '职务', '部门', '性别', '手机', '座机', '个人邮箱'],
          ['张三（示例）', 'zhangsan', null, '经理', '示例公司/示例部门', '男', '13800000000', null, null],
          ['李雷', 'lilei', null, '会计', '新禾/财务部;新禾/审计部', '男', '+86-13912345678', '021-1', 'lilei@example.cn'],
        ],
        { merges: [{ top: 0, left: 0, bottom: 0, right: 8 }] },
      ),
    ])
    expect(read).toMatchObject({ kind: 'roster', header_rows: [2], first_data_row: 4, last_data_row: 4, people: 1 })
    expect(read.rows[0]).toMatchObject({
      name: '李雷',
      mobile: '13912345678',
      departments: [
        ['新禾', '财务部'],
        ['新禾', '审计部'],
      ],
    })
  })

  it('DingTalk: reads phones with country code, department paths with dashes, and leaders by yes and no', () => {
    const read = recognizeRoster([
      grid([
        ['员工UserID', '部门', '职位', '姓名', '工号', '是否此部门主管(是/否)', '手机号', '邮箱', '入职时间'],
        ['010', '研发部-前端', '工程师', '韩梅', 'A1', '否', '+86-13912345670', null, '2020-01-02'],
        ['011', '研发部-后端', '工程师', '林涛', 'A2', '是', '+86-13912345671', null, '2020-01-03'],
      ]),
    ])
    expect(read.bad).toEqual([])
    expect(
      read.rows.map(({ name, mobile, departments, entry_on }) => [name, mobile, departments[0]?.join('/'), entry_on]),
    ).toEqual([
      ['韩梅', '13912345670', '研发部/前端', '2020-01-02'],
      ['林涛', '13912345671', '研发部/后端', '2020-01-03'],
    ])
  })

  it('reports a row without a name instead of dropping it', () => {
    const read = recognizeRoster([
      grid([
        ['姓名', '手机号', '部门'],
        ['李雷', '13912345678', '财务部'],
        [null, '13912345679', '财务部'],
        ['韩梅', '1391234567', '人事部'],
        ['合计', null, '3 人'],
      ]),
    ])
    expect(read).toMatchObject({ first_data_row: 2, last_data_row: 4, people: 2 })
    expect(read.bad).toEqual([
      { row: 3, column: 'A', why: '没有姓名' },
      { row: 4, column: 'B', why: '手机号应为 11 位，这里是 10 位' },
    ])
  })

  it.each([
    [
      'departments',
      [
        ['部门路径', '负责人账号', '负责人姓名'],
        ['公司/一部', 'a1', '张三'],
      ],
    ],
    [
      'a list of field names',
      [
        ['字段', '说明', '示例'],
        ['姓名', '必填', '张三'],
        ['手机号', '必填', '13800000000'],
      ],
    ],
  ])('does not treat %s as members', (_, rows) =>
    expect(recognizeRoster([grid(rows)])).toMatchObject({ kind: 'not_a_roster', people: 0 }),
  )
})
