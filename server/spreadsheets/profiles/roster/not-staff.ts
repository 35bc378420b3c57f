/** Detects lists that contain names but are not rosters, by their labels and values. */
import { normalizeText } from '../../../rules/text.ts'
import { type Grid, getText } from '../../grid.ts'
import { isBillTable } from '../../recognise/bills.ts'
import { getWageLabelMeaning } from '../../recognise/label-meaning.ts'
import { listTitleTexts } from '../../recognise/sheet-title.ts'
import type { RecognizedTable } from '../../recognise/table.ts'
import type { RosterColumn } from './columns.ts'
import { isEventList } from './events.ts'
import { getRosterLabelMeaning, type RosterRole } from './labels.ts'

/** Returns the reason in Chinese; null if nothing indicates that it is not a roster. */
export function getNotStaffReason(
  { grid, header }: RecognizedTable,
  columns: readonly RosterColumn[],
  people: readonly number[],
): string | null {
  if (isLabelList(grid, columns, people)) return '「姓名」一栏里是列名，这不像员工名单'
  if (people.length === 0) return null
  if (isOtherPersonList(columns)) return '这像是学生、会员、应聘者或考试的名单，不是员工花名册'
  if (isBillTable(header.paths, ...listTitleTexts(grid, header)) && !columns.some(isEmploymentColumn))
    return '这像是发票或账单，不是员工花名册；请上传一人一行的名单'
  if (isAttendanceList(columns)) return '这像是考勤统计或打卡记录，不是员工花名册；请上传写着手机号、工号、部门等员工信息的名单'
  if (isThingList(columns)) return '除了 name 没有一列说的是人，看不出这是员工名单'
  if (isEventList(grid, columns, people))
    return '同一个人有好几行，每行的日期或时间都不同，这像是考勤或打卡记录，不是员工花名册；请上传一人一行的名单'
  return null
}

/** Labels of lists about people who are not employees. */
const otherListPattern =
  /^(?:学号|学籍号|考号|准考证号?|座位号|考场|班级|年级|语文|数学|英语|物理|化学|生物|历史|地理|政治|道德与法治|体育|总分|名次|排名|得分|分数|.*成绩|应聘.*|面试.*|笔试.*|录用.*|期望薪资|简历.*|会员.*|积分|余额|消费.*|开卡.*|订单.*|收货.*|报名.*|客户.*|家长.*|体检.*|收缩压.*|舒张压.*|症状|脉率|体温|腰围|桌号|宾客.*|邀请人数|客人类别)$/
/** A plain id may number anything. */
const isBareId = ({ role, label }: RosterColumn) =>
  role === 'employee_no' && /^(?:id|编号|code|no\.?|number|uid)$/i.test(normalizeText(label))
const employmentRoles: ReadonlySet<RosterRole> = new Set([
  'department',
  'position',
  'entry_date',
  'status',
  'leader',
  'employee_no',
])
const isEmploymentColumn = (column: RosterColumn) => employmentRoles.has(column.role) && !isBareId(column)
/** Requires two such labels and no column that only employees have. */
function isOtherPersonList(columns: readonly RosterColumn[]): boolean {
  const isOther = ({ label }: RosterColumn) => otherListPattern.test(normalizeText(label.split(' / ').at(-1) ?? ''))
  return columns.filter(isOther).length > 1 && !columns.some((column) => isEmploymentColumn(column) && !isOther(column))
}

/** Labels of attendance exports. */
const attendancePattern =
  /^(?:实际|应|本月|平日|工作日|周末|休息日|节假日|法定)?(?:出勤|缺勤|旷工|迟到|早退|请假|事假|病假|年假|调休|婚假|产假|丧假|加班|打卡|未打卡|缺卡|补卡|外勤|外出|出差|上班打卡|下班打卡|签到|签退|班次|考勤)/
const personalRoles: ReadonlySet<RosterRole> = new Set([
  'mobile',
  'id_card',
  'email',
  'entry_date',
  'status',
  'bank_account',
  'birth_date',
])
const minAttendanceColumns = 3
/** Requires attendance columns and no typical roster column. */
function isAttendanceList(columns: readonly RosterColumn[]): boolean {
  const counts = columns.filter(
    ({ role, label }) => role === 'info' && attendancePattern.test(normalizeText(label.split(' / ').at(-1) ?? '')),
  )
  return counts.length >= minAttendanceColumns && !columns.some(({ role }) => personalRoles.has(role))
}

const maxUnknownColumns = 4
/** Airports and films have a NAME as well, so the list is no roster if the sheet has no other column about people. */
function isThingList(columns: readonly RosterColumn[]): boolean {
  const [name, ...others] = columns.filter((column) => column.role !== 'info' && !isBareId(column))
  const ofPeople = /\b(?:age|city|address|country|salary|notes?|remarks?)\b/i
  const unknown = columns.filter(
    ({ role, label }) => role === 'info' && !ofPeople.test(label) && getWageLabelMeaning(label).nature !== 'money',
  )
  return (
    name?.role === 'name' &&
    others.length === 0 &&
    /^name$/i.test(normalizeText(name.label)) &&
    unknown.length > maxUnknownColumns
  )
}

/** A list of fields instead of people: 手机号, 部门, 备注 are in the name column. */
function isLabelList(grid: Grid, columns: readonly RosterColumn[], people: readonly number[]): boolean {
  const name = columns.find(({ role }) => role === 'name')
  if (!name) return false
  const some = people.slice(0, 200)
  const labels = some.filter((row) => getRosterLabelMeaning([getText(grid, row, name.index)]).certainty > 1)
  return labels.length * 4 >= some.length && labels.length > 0
}
