/** Whether a list is about pay at all, and member details in it, in generated layouts. 200 per rule in trials. */
import { describe } from 'vitest'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { staff } from '../../support/check.ts'
import { grid } from '../../support/files/grid.ts'
import type { Layout } from '../../support/files/sheet-layouts.ts'
import type { Random } from '../../support/random.ts'
import { getCheck } from '../../support/sheets/checked.ts'
import {
  copied,
  getGrid,
  getHead,
  getLeaves,
  indexOf,
  over,
  recognize,
  withColumns,
  wrongIn,
} from '../../support/sheets/spoilt.ts'

/** Items that people are charged for or that are counted; no pay term among them. */
const foreign =
  '份数 房租 水费 电费 物业费 报名费 团费 餐费 押金 会费 书本费 保费 定金 货款 运费 合计 金额 已收 未收 欠款 总额 数量'.split(' ')
const foreignTitles = ['2026年10月水电费收缴表', '班费收支明细', '2026年秋季报名费', '订餐统计', '物业收费一览表', '会费登记']
const payTitles = ['2026年10月工资表', '十月奖金', '薪酬发放表', '劳务费发放明细', '2026年中秋节津贴']
const payLabels = ['实发工资', '基本工资', '绩效奖金', '加班费', '社保', '个税', '津贴', '提成']

/** The same people and amounts, with every amount label from another trade. */
function ofAnotherTrade(one: Layout, random: Random): { rows: StoredValue[][]; amounts: number[] } {
  const rows = copied(one)
  const head = rows[getLeaves(one)] ?? []
  const labels = random.shuffled(foreign)
  const first = indexOf(one.truth.gross) - 3
  const last = indexOf(one.truth.net)
  const amounts = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  for (const [nth, column] of amounts.entries()) head[column] = labels[nth] ?? ''
  for (const cells of rows.slice(0, getHead(one)))
    for (const [column, cell] of cells.entries())
      if (typeof cell === 'string' && !cell.startsWith('单位')) cells[column] = random.pick(foreignTitles)
  return { rows, amounts }
}

describe('recognition of a wage sheet', () => {
  const table = { header: 'one row', body: 'plain' } as const
  const isRequested = (rows: StoredValue[][], one: Layout, name = 'Sheet1') => {
    const { kind, questions } = recognizeWorkbook([grid(rows, { merges: one.merges, name })]).recognition
    return { kind, requested: questions.find(({ kind: about }) => about === 'about_pay') }
  }

  over('rules-pay', 'asks about a sheet without any word of pay, and suggests no answer', table, (one, random) => {
    const { kind, requested } = isRequested(ofAnotherTrade(one, random).rows, one)
    if (kind !== 'wage') return null
    return requested?.must && requested.suggested === '' ? null : `taken for wages: ${kind}`
  })

  over('rules-pay-said', 'accepts a sheet with one word of pay anywhere', table, (one, random) => {
    const { rows, amounts } = ofAnotherTrade(one, random)
    const where = random.pick(['label', 'title', 'name'])
    if (where === 'label') (rows[getLeaves(one)] ?? [])[random.pick(amounts)] = random.pick(payLabels)
    const title: StoredValue[][] = where === 'title' ? [[random.pick(payTitles)]] : []
    // The merges belong to titles that have moved.
    const { kind, requested } = isRequested([...title, ...rows], { ...one, merges: [] }, where === 'name' ? '十月工资' : 'Sheet1')
    return kind === 'wage' && requested === undefined ? null : `said by its ${where}: ${kind}, ${requested?.message}`
  })

  over('rules-pay-wages', 'never asks whether a wage sheet is one', {}, (one) =>
    recognize(one).questions.some(({ kind }) => kind === 'about_pay') ? 'asked' : null,
  )
})

describe('member details in a sheet', () => {
  const positions = ['会计', '销售员', '操作工', '主管', '司机']
  const accounts = (at: number) => `zhangsan${['', '.a', '_b', '-c'][at % 4]}${100 + at}`
  const cards = (at: number) => `62170${String(10_000_000_000_000 + at * 7_919)}`
  /** For each detail, its labels, the expected role, and a value for each. */
  const details = {
    department: {
      labels: ['部门', '所属部门', '部门名称', '科室', '车间'],
      role: 'department',
      value: (at: number) => `第${'一二三四五六七八九'[at % 9]}车间`,
    },
    position: {
      labels: ['岗位', '职位', '职务', '岗位名称'],
      role: 'info',
      value: (at: number) => positions[at % positions.length] ?? '',
    },
    entry_on: {
      labels: ['入职日期', '入职时间', '入司日期'],
      role: 'info',
      value: (at: number) => new Date(Date.UTC(2019, at % 12, 1 + at)),
    },
    bank_account: { labels: ['银行卡号', '工资卡号', '银行账号', '收款账号', '卡号'], role: 'bank_account', value: cards },
    platform_account: {
      labels: ['企业微信账号', '企微UserID', '飞书用户ID', '钉钉UserID', '飞书open_id'],
      role: 'platform_account',
      value: accounts,
    },
  } as const
  type Fact = keyof typeof details
  const decorated = (label: string, random: Random) =>
    random.pick([
      label,
      label,
      `*${label}`,
      `${label}（必填）`,
      label.replace(/(?<=\p{sc=Han})(?=\p{sc=Han})/gu, ' '),
      `${label.slice(0, 2)}\n${label.slice(2)}`,
    ])
  const lacking = (one: Layout): Fact[] =>
    (Object.keys(details) as Fact[]).filter((fact) => one.truth.identity[fact] === undefined)
  /** Adds every detail that the layout lacks right behind the name, each under one of its labels. */
  const withDetails = (one: Layout, random: Random, turned = 0) => {
    const selected = random.shuffled(lacking(one))
    const labels = selected.map((fact) => decorated(random.pick(details[fact].labels), random))
    const at = indexOf(one.truth.identity.name ?? '') + 1
    const nth = new Map(one.truth.people.map((row, position) => [row - 1, position]))
    const count = one.truth.people.length
    const spoilt = withColumns(one, at, labels, (row, column) => {
      const position = ((nth.get(row) ?? 0) + turned) % count
      return details[selected[column] ?? 'position'].value(position)
    })
    return { spoilt, selected, at }
  }

  over(
    'rules-known',
    'reads department, position, entry date, bank card and platform account as such, not as amounts',
    {},
    (one, random) => {
      const { spoilt, selected, at } = withDetails(one, random)
      const match = recognize(spoilt)
      const wrong = wrongIn(spoilt, match)
      if (wrong !== null) return wrong
      const other = selected.find((fact, nth) => {
        const column = match.columns.find(({ col }) => indexOf(col) === at + nth)
        return column?.role !== details[fact].role || column.kind === 'money' || column.kind === 'number'
      })
      return other === undefined ? null : `${other} is ${match.columns.map(({ label, role }) => `${label}=${role}`).join(' ')}`
    },
  )

  over(
    'rules-beside-roster',
    'compares member details with the roster, and reports a shifted row before anything is sent',
    {},
    (one, random) => {
      const notify = (turned: number) => {
        const { spoilt, selected } = withDetails(one, random, turned)
        const getText = (role: string, at: number) => {
          const letter = one.truth.identity[role]
          return letter === undefined ? '' : String(one.rows[(one.truth.people[at] ?? 1) - 1]?.[indexOf(letter)] ?? '')
        }
        const roster = staff(one.truth.people.map((_, at) => getText('name', at))).map((person, at) => ({
          ...person,
          mobile: getText('mobile', at) || person.mobile,
          employee_no: getText('employee_no', at),
          id_card_index: getText('id_card', at) || null,
          ...(selected.includes('department') && { departments: details.department.value(at) }),
          ...(selected.includes('position') && { position: details.position.value(at) }),
          ...(selected.includes('entry_on') && { entry_on: details.entry_on.value(at).toISOString().slice(0, 10) }),
        }))
        return getCheck([getGrid(spoilt)], { roster }).issues.filter(({ kind }) => kind === 'roster_differs')
      }
      if (notify(0).length > 0) return `told without reason: ${notify(0)[0]?.message}`
      return notify(1).some(({ row, level }) => row === 0 && level === 'error') ? null : 'nothing is told'
    },
  )
})
