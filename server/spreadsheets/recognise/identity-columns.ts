/**
 * Determines the columns that identify the employee of a row: by their labels, and by their values where labels are
 * missing or wrong.
 */
import { isName } from '../../contract/sheets/column-roles.ts'
import { type Grid, type GridCell, getCell, getText } from '../grid.ts'
import { otherPersonPattern } from './identity-label.ts'
import type { LabelMeaning } from './label-meaning.ts'
import { findExactSynonym, normalizeHeader } from './synonyms.ts'
import type { Header, IdentityColumns } from './types.ts'

/** Maximum number of rows examined below the header. */
const maxCheckedRows = 200

const notNamePattern =
  /^(?:姓名|员工|无|空|空白|空缺|待定|未知|暂无|无此人|不详|示例|样例|例|n\/a|null|none|nil|tbd|unknown|xxx+|某某某?|合计|小计|总计|[共计]*\d+(?:人|名|位)|(?:20\d\d年)?(?:\d{1,2}月)?(?:\d{1,2}[日号])?)$/i
/** A department in the name column is not a person; 阿部 and 长谷部 are. */
const departmentPattern =
  /(?:财务|人事|人力资源?|行政|销售|生产|市场|技术|研发|采购|仓储|物流|客服|运营|工程|质检|后勤|管理|综合|设计|品质|维修|安全|总务|业务|企划|法务|信息|项目|储运|餐饮|保安|保洁|事业)[一二三四五六七八九十\d]*部$|车间$|公司$|办公室$|中心$|班组$|门店$|分店$/

/** Last characters of department names, which few person names have. */
const departmentEndings = new Set('部间司室心组店')

const isDepartmentName = (text: string) => departmentEndings.has(text.at(-1) ?? '') && departmentPattern.test(text)

/** 基本工资 in the name column means that the table is transposed. */
const isPayTerm = (text: string) => /^[\u4e00-\u9fff]/.test(text) && findExactSynonym(text)?.nature === 'money'

/** A name contains letters and no colon; 15 is not a name, 3adad is one, and {name} is a placeholder of a program. */
export function isPersonName(cell: GridCell): boolean {
  if (cell.kind !== 'text' || cell.decimal !== null || cell.text.length > 60) return false
  const text = cell.text
  const joined = text.replace(/\s/g, '')
  return (
    /\p{L}/u.test(text) &&
    !/[:：{}]/.test(text) &&
    !notNamePattern.test(joined) &&
    !isDepartmentName(joined) &&
    !isPayTerm(joined)
  )
}

const surnamePattern =
  /^(?:欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|令狐|慕容|司徒|夏侯|[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文庞樊兰殷施陶洪翟安颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂丛焦向柳邢路岳齐梅莫庄辛管祝左涂谷祁时舒耿牟卜詹关苗凌费纪靳盛童欧甄项曲成游阳裴席卫查屈鲍位覃霍翁隋植甘景薄单包司柏宁柯阮桂闵解强柴华车冉房边辜吉饶刁瞿戚丘古米池滕晋苑邬臧畅宫来嵺苟全褚廉简娄盖符奚木穆党燕郎邸冀谈姬屠连郜晏栾郁商蒙计喻揭窦迟宇敖糜鄢冷卓花仇艾蓝都巩稽井练仲乐虞卞封竺冼原官衣楚佟栗匡宗应台巫鞠僧桑荆谌银扬明沙薄伏岑习胥保和蔺])[\u4e00-\u9fff·]{1,3}$/u
const latinNamePattern = /^\p{Lu}[\p{L}'.-]*(?:,? \p{Lu}[\p{L}'.-]*){1,3}$/u
const koreanNamePattern = /^[김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민][가-힣]{1,3}$/

/** Returns whether a text looks like a name without any context. */
export const isLikelyName = (text: string) => {
  const joined = text.replace(/\s/g, '')
  // 应发合计 and 单位 begin with surnames.
  if (sumPattern.test(joined) || findExactSynonym(normalizeHeader(text)) !== undefined) return false
  return surnamePattern.test(joined) || latinNamePattern.test(text) || koreanNamePattern.test(text)
}
const sumPattern = /合计|小计|总计|共计|总额/

/** Returns the header with meanings corrected by the values, and the columns that identify employees. */
export function resolveIdentityColumns(grid: Grid, header: Header): { header: Header; who: IdentityColumns } {
  const byLabel = getIdentityColumns(header)
  const rows = findDataRows(grid, header, byLabel)
  if (rows.length === 0) return { header, who: byLabel }
  const values = (column: number) => rows.map((row) => getText(grid, row, column)).filter((text) => text !== '')
  const isEmpty = (column: number | undefined) => column === undefined || values(column).length === 0
  const filledNames = byLabel.names.filter((column) => !isEmpty(column))
  // A column with the same value in every row is not conclusive unless there is nothing better: a sheet of one person
  // over many months.
  const isSame = filledNames.length === 1 && rows.length > 1 && new Set(values(filledNames[0] ?? 0)).size === 1
  const number = isEmpty(byLabel.employee_no) ? undefined : byLabel.employee_no
  const identity: IdentityColumns = {
    ...byLabel,
    names: filledNames,
    employee_no: number !== undefined && rows.length > 2 && new Set(values(number)).size === 1 ? undefined : number,
    id_card: isEmpty(byLabel.id_card) ? undefined : byLabel.id_card,
    mobile: isEmpty(byLabel.mobile) ? undefined : byLabel.mobile,
  }
  const isNamed = filledNames.some((column) => rows.some((row) => isPersonName(getCell(grid, row, column))))
  if (isNamed && !isSame) return { header, who: identity }
  const nameColumn = findNameColumn(grid, header, rows, new Set(filledNames))
  if (nameColumn === undefined) return { header, who: identity }
  const label = header.paths[nameColumn - header.left]?.at(-1) ?? ''
  const meanings = new Map<number, LabelMeaning>([
    ...byLabel.names.map((column): [number, LabelMeaning] => [
      column - header.left,
      { role: 'info', nature: 'info', confidence: 0.6, reason: isSame ? '每一行都相同，无法确认身份' : '这一列里没有姓名' },
    ]),
    [
      nameColumn - header.left,
      { role: 'name', nature: 'who', confidence: 0.55, reason: label ? `「${label}」列的内容像姓名` : '没有表头，内容像姓名' },
    ],
  ])
  const widenedHeader = widenHeader(header, nameColumn)
  const moved = header.left - widenedHeader.left
  const settled = { ...widenedHeader, meanings: widenedHeader.meanings.map((meaning, at) => meanings.get(at - moved) ?? meaning) }
  return { header: settled, who: { ...identity, names: [nameColumn] } }
}

/** How many columns to the left of the first label may contain names without a label. */
const maxUnlabeledColumns = 2
const noMeaning: LabelMeaning = { role: 'ignore', nature: 'unknown', confidence: 0.3, reason: '没有表头' }
function widenHeader(header: Header, column: number): Header {
  const more = Math.max(0, header.left - column)
  const paths = [...Array.from({ length: more }, (): string[] => []), ...header.paths]
  return {
    ...header,
    left: header.left - more,
    paths,
    meanings: [...Array.from({ length: more }, () => noMeaning), ...header.meanings],
  }
}

/** Finds the rows below the header that contain an amount. */
function findDataRows(grid: Grid, header: Header, { money, unknown }: IdentityColumns): number[] {
  const rows: number[] = []
  for (let row = header.bottom + 1; row < grid.rows.length && rows.length < maxCheckedRows; row++)
    if ([...money, ...unknown].some((column) => getCell(grid, row, column).decimal !== null)) rows.push(row)
  return rows
}

/** Finds the leftmost column in which most rows contain a name, nearly all of them different. */
function findNameColumn(grid: Grid, header: Header, rows: readonly number[], excluded: ReadonlySet<number>): number | undefined {
  for (let column = Math.max(0, header.left - maxUnlabeledColumns); column <= header.right; column++) {
    const meaning = header.meanings[column - header.left]
    if (excluded.has(column) || otherPersonPattern.test(header.paths[column - header.left]?.join('') ?? '')) continue
    // Columns with a clear other meaning are skipped: 部门, 岗位, 开户行.
    if (meaning && meaning.nature !== 'unknown' && !isName(meaning.role) && meaning.confidence > 0.8) continue
    // Total rows, however many, do not count against the column.
    const cells = rows.map((row) => getCell(grid, row, column)).filter(({ text }) => !sumPattern.test(text.replace(/\s/g, '')))
    const texts = cells.filter(({ kind }) => kind === 'text')
    // Matches 张三1, 张三2 under 名称 or 人员.
    const isOfPeople = /名|人|员/.test(header.paths[column - header.left]?.join('') ?? '')
    const names = texts.filter(({ text }) => isLikelyName(isOfPeople ? text.replace(/\d{1,3}$/, '') : text))
    const distinct = new Set(names.map(({ text }) => text)).size
    if (names.length * 10 >= cells.length * 6 && names.length * 10 >= texts.length * 7 && distinct * 10 >= names.length * 7)
      return column
  }
  return undefined
}

function getIdentityColumns(header: Header): IdentityColumns {
  const findBest = (role: string) => {
    let bestIndex = -1
    header.meanings.forEach((meaning, at) => {
      if (meaning.role === role && meaning.confidence > (header.meanings[bestIndex]?.confidence ?? 0)) bestIndex = at
    })
    return bestIndex < 0 ? undefined : header.left + bestIndex
  }
  const name = findBest('name')
  const names =
    name !== undefined ? [name] : [findBest('last_name'), findBest('first_name')].filter((column) => column !== undefined)
  const listByNature = (requestedNature: LabelMeaning['nature']) =>
    header.meanings.flatMap(({ nature }, at) => (nature === requestedNature ? [header.left + at] : []))
  return {
    names,
    employee_no: findBest('employee_no'),
    id_card: findBest('id_card'),
    mobile: findBest('mobile'),
    money: listByNature('money'),
    unknown: listByNature('unknown'),
  }
}
