/**
 * Realistic staff lists, combined from small parts by a seed, each with its expected result: header rows, column roles,
 * members and wrong cells.
 */
import { getCheckCharacter } from '../../../../server/rules/id-card.ts'
import type { Merge, StoredValue } from '../../../../server/spreadsheets/grid.ts'
import type { RosterRow } from '../../../../server/spreadsheets/profiles/roster/rows.ts'
import { type Random, seeded } from '../../random.ts'

export interface RosterLayout {
  what: string
  rows: StoredValue[][]
  merges: Merge[]
  truth: {
    header_rows: number[]
    first_data_row: number
    last_data_row: number
    /** Column letters by role; departments from the largest. */
    columns: Record<string, string[]>
    rows: RosterRow[]
    /** In the form `row letter`. */
    bad: string[]
  }
}

const labels: Record<string, readonly string[]> = {
  name: ['姓名', '员工姓名', '名字', '姓  名', '真实姓名', '人员姓名', '职工姓名', '姓名（中文）', 'Name', '*姓名', '姓名/Name'],
  mobile: [
    '手机号',
    '手机号码',
    '手机',
    '联系电话',
    '联系方式',
    '电话',
    '移动电话',
    '本人手机',
    '手机号（必填）',
    '联系手机',
    'Mobile',
    '员工手机号',
  ],
  employee_no: [
    '工号',
    '员工编号',
    '员工工号',
    '人员编号',
    '职工号',
    '员工号',
    '员工代码',
    '人员编码',
    'Employee ID',
    '工号\n(选填)',
  ],
  department: ['部门', '所属部门', '部门名称', '所在部门', '任职部门', 'Department', '部门（必填）', '*所属部门'],
  position: ['岗位', '职位', '职务', '岗位名称', '职位名称', '现任职务', '任职岗位', 'Position', 'Job Title'],
  entry_date: [
    '入职日期',
    '入职时间',
    '入司日期',
    '入司时间',
    '到岗日期',
    '入厂日期',
    '进厂日期',
    '加入日期',
    '入职日期\n(yyyy-mm-dd)',
    'Hire Date',
  ],
  id_card: ['身份证号', '身份证号码', '身份证', '证件号码', '公民身份号码', '居民身份证号'],
  email: ['邮箱', '电子邮箱', '工作邮箱', '企业邮箱', 'E-mail', 'Email', '邮箱地址'],
  status: ['在职状态', '员工状态', '人员状态', '状态', '是否在职'],
}
/** Other columns that must not be taken for them. */
const others: readonly (readonly [label: string, value: (random: Random, at: number) => StoredValue])[] = [
  ['序号', (_, at) => at + 1],
  ['转正日期', (random) => new Date(Date.UTC(2021, random.below(12), 1))],
  ['紧急联系人', (random) => random.pick(['王母', '李父', '赵姐'])],
  ['紧急联系电话', (random) => phone(random)],
  ['年龄', (random) => 20 + random.below(40)],
  ['学历', (random) => random.pick(['本科', '大专', '硕士'])],
  ['民族', () => '汉'],
  ['合同到期日期', (random) => new Date(Date.UTC(2027, random.below(12), 1))],
  ['直接上级', (random) => random.pick(['周总', '吴经理'])],
  ['员工类型', (random) => random.pick(['全职', '兼职', '实习'])],
  ['办公地点', (random) => random.pick(['上海', '北京'])],
  ['备注', () => null],
]

const family = '王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗'
const provided = [
  '伟',
  '芳',
  '娜',
  '秀英',
  '敏',
  '静',
  '丽',
  '强',
  '磊',
  '军',
  '洋',
  '勇',
  '艳',
  '杰',
  '娟',
  '涛',
  '明',
  '超',
  '秀兰',
  '霞',
]
const phone = (random: Random): string =>
  `1${random.pick(['38', '39', '51', '77', '86', '99'])}${String(random.below(100_000_000)).padStart(8, '0')}`
function idCard(random: Random): string {
  const body = `310115${1970 + random.below(35)}0${1 + random.below(9)}1${random.below(9)}${100 + random.below(899)}`
  return body + getCheckCharacter(body)
}
const tree: readonly (readonly string[])[] = [
  ['总部', '研发中心', '前端组'],
  ['总部', '研发中心', '后端组'],
  ['总部', '财务部'],
  ['总部', '人力资源部', '招聘组'],
  ['华东分公司', '销售部', '一组'],
  ['华东分公司', '销售部', '二组'],
]

type Written = { visible: StoredValue; value: string | null; isBad?: true }
const two = (part: number): string => String(part).padStart(2, '0')
type Day = { year: number; month: number; day: number }
const getIso = ({ year, month, day }: Day): string => `${year}-${two(month)}-${two(day)}`
const dayForms: readonly ((day: Day) => StoredValue)[] = [
  ({ year, month, day }) => new Date(Date.UTC(year, month - 1, day)),
  getIso,
  ({ year, month, day }) => `${year}/${month}/${day}`,
  ({ year, month, day }) => `${year}.${month}.${day}`,
  ({ year, month, day }) => `${year}年${month}月${day}日`,
  ({ year, month, day }) => `${year}${two(month)}${two(day)}`,
  ({ year, month, day }) => Math.round((Date.UTC(year, month - 1, day) - Date.UTC(1899, 11, 30)) / 86_400_000),
  (day) => `${getIso(day)} 00:00:00`,
  // The first member's day is greater than 12, so that the column reveals its date order.
  ({ year, month, day }) => `${two(day)}/${two(month)}/${year}`,
  ({ year, month, day }) => `${month}/${day}/${year}`,
]
const phoneForms: readonly ((mobile: string) => StoredValue)[] = [
  (mobile) => mobile,
  Number,
  (mobile) => `${mobile.slice(0, 3)} ${mobile.slice(3, 7)} ${mobile.slice(7)}`,
  (mobile) => `${mobile.slice(0, 3)}-${mobile.slice(3, 7)}-${mobile.slice(7)}`,
  (mobile) => `+86 ${mobile}`,
  (mobile) => `+86-${mobile}`,
  (mobile) => `0086${mobile}`,
  (mobile) => `(+86)${mobile}`,
  (mobile) => `${mobile}　`,
]

type Ways = { labels: string[]; cells: (way: readonly string[], second: readonly string[] | null) => string[]; several: boolean }
const levelLabels = [
  ['一级部门', '二级部门', '三级部门'],
  ['分公司', '部门', '班组'],
  ['所属机构', '所属部门', '小组'],
  ['部门一级', '部门二级', '部门三级'],
]
function getWays(random: Random): Ways {
  const form = random.pick(['single', 'path', 'path', 'path', 'levels', 'levels'] as const)
  if (form === 'levels')
    return { labels: [...random.pick(levelLabels)], cells: (channel) => [0, 1, 2].map((at) => channel[at] ?? ''), several: false }
  const label = random.pick(labels.department ?? [])
  if (form === 'single') return { labels: [label], cells: (channel) => [channel.at(-1) ?? ''], several: false }
  const step = random.pick(['/', '-', '>', '\\', ' / ', '->'])
  return {
    labels: [label],
    cells: (channel, second) => [
      [channel, ...(second ? [second] : [])].map((one) => one.join(step)).join(random.pick([';', '；'])),
    ],
    several: true,
  }
}

const getLetter = (index: number): string =>
  index < 26 ? String.fromCharCode(65 + index) : `A${String.fromCharCode(39 + index)}`

export function rosterLayout(seed: number): RosterLayout {
  const random = seeded(seed * 7_919 + 13)
  const count = 4 + random.below(9)
  const dayForm = random.below(dayForms.length)
  const phoneForm = random.pick(phoneForms)
  const ways = getWays(random)
  const roles = [
    'name',
    'mobile',
    ...['employee_no', 'position', 'entry_date', 'id_card', 'email', 'status'].filter(() => random.chance(0.7)),
  ]
  const hasDepartment = random.chance(0.9)
  type Column = { role: string; label: string; value: (at: number) => Written[] | StoredValue }
  const people: RosterRow[] = []
  const written: Record<string, Written>[] = []
  const departments: string[][] = []
  for (let at = 0; at < count; at++) {
    const mobile = phone(random)
    const isWrong = random.chance(0.08)
    const day: Day = {
      year: 2005 + random.below(20),
      month: 1 + random.below(12),
      day: at === 0 ? 13 + random.below(15) : 1 + random.below(28),
    }
    const visibleDay = dayForms[dayForm]?.(day) ?? getIso(day)
    const noDay = random.chance(0.06)
    const card = idCard(random)
    const wrongCard = random.chance(0.05)
    const channel = tree[random.below(tree.length)] ?? []
    const second = ways.several && random.chance(0.2) ? (tree[random.below(tree.length)] ?? []) : null
    departments.push(ways.cells(channel, second))
    const cells: Record<string, Written> = {
      name: { visible: '', value: `${family[random.below(family.length)]}${random.pick(provided)}` },
      mobile: isWrong ? { visible: mobile.slice(0, 9), value: null, isBad: true } : { visible: phoneForm(mobile), value: mobile },
      employee_no: { visible: `A${1_000 + at}`, value: `A${1_000 + at}` },
      position: { visible: '', value: random.pick(['工程师', '会计', '销售员', '经理']) },
      entry_date: noDay ? { visible: '2019-13-45', value: null, isBad: true } : { visible: visibleDay, value: getIso(day) },
      id_card: wrongCard
        ? { visible: `${card.slice(0, 17)}${card.endsWith('1') ? '2' : '1'}`, value: null, isBad: true }
        : { visible: card, value: card },
      email: { visible: `p${at}@example.cn`, value: `p${at}@example.cn` },
      status: { visible: random.pick(['在职', '离职']), value: null },
    }
    for (const cell of Object.values(cells)) if (cell.visible === '') cell.visible = cell.value
    written.push(cells)
    const of = (role: string) => (roles.includes(role) ? (cells[role]?.value ?? null) : null)
    people.push({
      row: 0,
      name: of('name') ?? '',
      mobile: of('mobile'),
      employee_no: of('employee_no'),
      id_card: of('id_card'),
      bank_account: null,
      departments: !hasDepartment
        ? []
        : [
            ways.several || ways.labels.length > 1 ? [...channel] : [channel.at(-1) ?? ''],
            ...(second && ways.several ? [[...second]] : []),
          ],
      position: of('position'),
      entry_on: of('entry_date'),
      email: of('email'),
      status: roles.includes('status') ? (cells.status?.visible === '离职' ? 'left' : 'active') : null,
    })
  }
  const existing: Column[] = roles.map((role) => ({
    role,
    label: random.pick(labels[role] ?? [role]),
    value: (at) => written[at]?.[role]?.visible ?? null,
  }))
  if (hasDepartment)
    for (const [level, label] of ways.labels.entries())
      existing.push({ role: 'department', label, value: (at) => departments[at]?.[level] ?? null })
  const comparison: Column[] = random
    .shuffled(others)
    .slice(0, random.below(6))
    .map(([label, value]) => {
      const cells = Array.from({ length: count }, (_, at) => value(random, at))
      return { role: 'info', label, value: (at) => cells[at] ?? null }
    })
  return laidOut(random, seed, { columns: random.shuffled([...existing, ...comparison]), people, written })
}

type Laid = {
  columns: { role: string; label: string; value: (at: number) => StoredValue | Written[] }[]
  people: RosterRow[]
  written: Record<string, Written>[]
}

function laidOut(random: Random, seed: number, { columns, people, written }: Laid): RosterLayout {
  const rows: StoredValue[][] = []
  const merges: Merge[] = []
  const lead = random.chance(0.2) ? 1 : 0
  const last = lead + columns.length - 1
  const titles = random.below(3)
  if (titles > 0) {
    rows.push([
      ...Array.from({ length: lead }, () => null),
      random.pick(['新禾科技有限公司员工花名册', '2026年在职人员名单', '员工信息登记表', '通讯录']),
    ])
    if (random.chance(0.7)) merges.push({ top: 0, left: lead, bottom: 0, right: last })
  }
  if (titles > 1)
    rows.push([
      ...Array.from({ length: lead }, () => null),
      random.pick(['填表说明：带 * 的为必填项，请勿修改表头。', '统计日期：2026-10-31', '编制单位：人力资源部']),
    ])
  if (titles > 0 && random.chance(0.2)) rows.push([])
  const top = rows.length
  const isTwoRow = random.chance(0.35) && columns.length > 3
  const blank = (): StoredValue[] => Array.from({ length: lead + columns.length }, () => null)
  const groups = blank()
  const leaves = blank()
  // Two to four columns below one label; the others are merged vertically.
  const from = isTwoRow ? 1 + random.below(columns.length - 2) : 0
  const to = isTwoRow ? Math.min(columns.length - 1, from + 1 + random.below(3)) : -1
  const isLevel = (at: number): boolean =>
    columns[at]?.role === 'department' && columns.filter(({ role }) => role === 'department').length > 1
  for (const [at, { label }] of columns.entries()) {
    const isUnder = isTwoRow && at >= from && at <= to
    if (isUnder) leaves[lead + at] = label
    else groups[lead + at] = label
    if (isTwoRow && !isUnder) merges.push({ top, left: lead + at, bottom: top + 1, right: lead + at })
  }
  if (isTwoRow) {
    groups[lead + from] = random.pick(['基本信息', '主要信息', '个人信息', '员工资料'])
    merges.push({ top, left: lead + from, bottom: top, right: lead + to })
  }
  rows.push(groups)
  if (isTwoRow) rows.push(leaves)
  const header_rows = isTwoRow ? [top + 1, top + 2] : [top + 1]
  if (random.chance(0.2)) {
    const nameAt = columns.findIndex(({ role }) => role === 'name')
    rows.push(
      blank().map((_, at) =>
        at === lead + nameAt ? random.pick(['（示例）张三', '示例：李四', '【示例】王五']) : at === lead ? '示例' : null,
      ),
    )
  }
  const first = rows.length
  const bad: string[] = []
  for (const [at, person] of people.entries()) {
    person.row = rows.length + 1
    if (at > 0 && random.chance(0.03)) {
      rows.push([])
      person.row++
    }
    const cells = blank()
    for (const [position, { role, value }] of columns.entries()) {
      const visible = value(at)
      cells[lead + position] = Array.isArray(visible) ? null : visible
      if (written[at]?.[role]?.isBad) bad.push(`${person.row} ${getLetter(lead + position)}`)
    }
    rows.push(cells)
  }
  if (random.chance(0.3)) rows.push([], ['制表人：周某', null, '审核：吴某'])
  if (random.chance(0.2)) rows.push([...Array.from({ length: lead }, () => null), '合计', null, `${people.length} 人`])
  const of: Record<string, string[]> = {}
  const order = ['一级', '二级', '三级', '分公司', '机构', '部门', '班组', '小组']
  const rank = (label: string) => order.findIndex((word) => label.includes(word))
  for (const [at, { role }] of columns.entries()) if (role !== 'info') of[role] = [...(of[role] ?? []), getLetter(lead + at)]
  const departments = columns.flatMap(({ role, label }, at) => (role === 'department' ? [{ label, at }] : []))
  if (departments.length > 0)
    of.department = departments.toSorted((a, b) => rank(a.label) - rank(b.label)).map(({ at }) => getLetter(lead + at))
  const what = `seed ${seed}: ${columns.map(({ label }, at) => `${label}${isLevel(at) ? '*' : ''}`).join(' ')}`
  return {
    what,
    rows,
    merges,
    truth: { header_rows, first_data_row: first + 1, last_data_row: people.at(-1)?.row ?? 0, columns: of, rows: people, bad },
  }
}
