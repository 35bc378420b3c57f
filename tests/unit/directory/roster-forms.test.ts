/**
 * Forms of one employee each, as companies design them: only the employee is imported, not other people named in the
 * form.
 */
import { describe, expect, it } from 'vitest'
import { recognizeRoster } from '../../../server/spreadsheets/profiles/roster/roster.ts'
import { grid } from '../../support/files/grid.ts'

type Cells = (string | number | null)[][]
const read = (...sheets: Cells[]) => {
  const { kind, people, rows, bad } = recognizeRoster(sheets.map((rows, at) => ({ ...grid(rows), name: `Sheet${at + 1}` })))
  return {
    kind,
    people,
    bad,
    rows: rows.map(({ name, mobile, employee_no, position, entry_on, departments, form }) => ({
      name,
      mobile,
      employee_no,
      position,
      entry_on,
      departments,
      form,
    })),
  }
}
const anonymous = { employee_no: null, position: null, entry_on: null, departments: [], mobile: null }

/** 员工信息登记表 with a place for a photo, family below, and an emergency contact. */
const large = (name: string, mobile: string, no: string): Cells => [
  ['员工信息登记表', null, null, null, null, null, null],
  ['填表日期：2026年3月1日', null, null, null, null, null, null],
  ['姓  名', name, '性别', '女', '出生日期', '1992-03-05', '照片'],
  ['民族', '汉', '籍贯', '江苏南京', '政治面貌', '群众', null],
  ['身份证号', '', '学历', '本科', '婚姻状况', '已婚', null],
  ['部门', '研发部', '岗位', '工程师', '工号', no, null],
  ['入职日期', '2026-03-01', '手机号码', mobile, '邮箱', '', null],
  ['现住址', '南京市鼓楼区', null, null, '邮编', '210000', null],
  ['紧急联系人', '周大山', '与本人关系', '父亲', '联系电话', '13800009999', null],
  ['家庭主要成员', '姓名', '关系', '年龄', '工作单位', '职务', '联系电话'],
  [null, '周大山', '父亲', 60, '退休', '无', '13800009999'],
  [null, '李梅', '母亲', 58, '南京一中', '教师', '13800008888'],
  ['教育经历', '起止时间', '学校', '专业', '学历', '证明人', '电话'],
  [null, '2010-2014', '南京大学', '计算机', '本科', '王老师', '13800007777'],
  ['本人声明以上信息真实', null, null, null, null, null, null],
]
const andreas = {
  name: '周晓',
  mobile: '13912340001',
  employee_no: 'A001',
  position: '工程师',
  entry_on: '2026-03-01',
  departments: [['研发部']],
}

describe('form of one employee', () => {
  it('reads a form as a roster of one without family, schools and emergency contacts, and does not use their phones', () => {
    expect(read(large('周晓', '13912340001', 'A001'))).toEqual({
      kind: 'roster',
      people: 1,
      bad: [],
      rows: [{ ...andreas, form: 'Sheet1' }],
    })
  })
  it('reads as many members as sheets with a form each', () => {
    const { kind, people, rows } = read(large('周晓', '13912340001', 'A001'), large('林涛', '13912340002', 'A002'))
    expect({ kind, people, names: rows.map(({ name, mobile, form }) => [name, mobile, form]) }).toEqual({
      kind: 'roster',
      people: 2,
      names: [
        ['周晓', '13912340001', 'Sheet1'],
        ['林涛', '13912340002', 'Sheet2'],
      ],
    })
  })
  it('reads forms one below the other on a sheet', () => {
    const { people, rows } = read([...large('周晓', '13912340001', 'A001'), [], ...large('林涛', '13912340002', 'A002')])
    expect([people, rows.map(({ name, employee_no }) => [name, employee_no])]).toEqual([
      2,
      [
        ['周晓', 'A001'],
        ['林涛', 'A002'],
      ],
    ])
  })
  it('assigns the number above a name to the form below it, even if the form above has none', () => {
    const small = (no: string | null, name: string): Cells => [
      ['工号', no],
      ['姓名', name, '性别', '男'],
      ['部门', '财务部', '入职日期', '2025-01-02'],
    ]
    const { rows } = read([...small(null, '周晓'), ...small('A002', '林涛')])
    expect(rows.map(({ name, employee_no }) => [name, employee_no])).toEqual([
      ['周晓', null],
      ['林涛', 'A002'],
    ])
  })
  it('leaves an empty phone empty, whatever the emergency contact’s phone', () => {
    expect(read(large('周晓', '', 'A001')).rows).toEqual([{ ...andreas, mobile: null, form: 'Sheet1' }])
  })
  it('reads labels and values in one cell', () => {
    expect(
      read([
        ['入职登记表', null],
        ['姓名：陈一鸣', '性别：男'],
        ['部门：财务部', '职位：出纳'],
        ['手机：139 1234 0003', '入职时间：2025/7/1'],
        ['紧急联系人：陈父', '联系电话：13800006666'],
      ]).rows,
    ).toEqual([
      {
        ...anonymous,
        name: '陈一鸣',
        mobile: '13912340003',
        position: '出纳',
        entry_on: '2025-07-01',
        departments: [['财务部']],
        form: 'Sheet1',
      },
    ])
  })
  it('reads the number above the name, titled sections and emergency contacts in separate rows', () => {
    expect(
      read([
        ['新员工入职登记表', null, null, null],
        ['员工编号', 'B-17', '填表日期', '2026-01-05'],
        ['个人信息', null, null, null],
        ['姓名', '欧阳娜', '性别', '女'],
        ['联系电话', '13912340004', '学历', '大专'],
        ['紧急联系人信息', null, null, null],
        ['姓名', '欧阳父', '联系电话', '13800005555'],
        ['家庭成员', null, null, null],
        ['姓名', '欧阳母', '联系电话', '13800004444'],
        ['入职信息', null, null, null],
        ['入职部门', '客服部', '岗位名称', '客服'],
        ['入职日期', '2026-01-05', '试用期', '3个月'],
      ]).rows,
    ).toEqual([
      {
        name: '欧阳娜',
        mobile: '13912340004',
        employee_no: 'B-17',
        position: '客服',
        entry_on: '2026-01-05',
        departments: [['客服部']],
        form: 'Sheet1',
      },
    ])
  })
  it('ignores a sample form next to the member list', () => {
    const list: Cells = [
      ['姓名', '部门', '手机号'],
      ['王芳', '研发部', '13912340011'],
      ['林涛', '研发部', '13912340012'],
    ]
    expect(read(list, large('周晓', '13912340001', 'A001')).rows.map(({ name }) => name)).toEqual(['王芳', '林涛'])
  })
  it('treats a wide header over empty rows as a template', () => {
    expect(
      read([['序号', '姓名', '用工形式', '部门', '岗位名称', '职族', '身份证号', '发证机关', '入职时间', '司龄']]),
    ).toMatchObject({ kind: 'template', people: 0 })
  })
  it('does not treat a member table as a form', () => {
    expect(
      read([
        ['姓名', '部门', '手机号'],
        ['周晓', '研发部', '13912340001'],
        ['林涛', '研发部', '13912340002'],
      ]),
    ).toMatchObject({ kind: 'roster', people: 2, rows: [{ form: undefined }, { form: undefined }] })
  })
})
