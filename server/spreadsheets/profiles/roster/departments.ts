/** Labels of department columns, which may be one column or one per level. */

/** Labels with their rank: 1 is the highest level. A column with only a code or a place is used if there is no other. */
const departmentLabels: { rank: number; sure: 1 | 2 | 3; label: RegExp }[] = [
  {
    rank: 50,
    sure: 3,
    label:
      /^(?:所[属在]|任职|归属|隶属|现|主|员工|工作|用人)?部门(?:名称|名|路径|全路径|层级|全称|架构|1)?$|^(?:完整|全部|详细)部门(?:路径)?$/,
  },
  { rank: 50, sure: 3, label: /^(?:department|dept|departments|dept name|department name|department path|dept path)\.?$/ },
  {
    rank: 50,
    sure: 2,
    label:
      /^(?:所[属在])?(?:组织|组织架构|组织机构|组织路径|架构|组织单元|部门组织|org|organi[sz]ations?|organi[sz]ational? unit|org unit|orgs)(?:名称|路径|全称|全路径|长名称)?$/,
  },
  {
    rank: 20,
    sure: 2,
    label:
      /^(?:所[属在])?(?:机构|分支机构|分公司|子公司|事业群|事业部|中心|大区|板块|体系|business unit|bu|division|branch)(?:名称)?$/,
  },
  {
    rank: 60,
    sure: 2,
    label:
      /^(?:所[属在])?(?:科室|处室|组别|班组|小组|课别|团队|工段|工序组|teams?|sections?|groups?|sub ?departments?)(?:名称)?$/,
  },
  {
    rank: 50,
    sure: 2,
    label:
      /^(?:القسم|الإدارة|الادارة|اسم القسم|部署名?|所属(?:部署|部門|課)?|부서명?|소속|bộ phận|phòng ban|phòng|отдел|подразделение|департамент)$/,
  },
  { rank: 60, sure: 1, label: /^(?:组|班|科|课|室)$/ },
  {
    rank: 55,
    sure: 1,
    label:
      /^(?:所[属在])?(?:车间|门店|站点|网点|店铺|店|项目部|项目组|项目|单位|工作单位|用工单位|用人单位|年级组|教研组|区域|片区|地区|支队|院系|学院|班级|工作部门)(?:名称)?$/,
  },
  {
    rank: 50,
    sure: 1,
    label: /^(?:所[属在])?(?:部门|机构|组织|科室)(?:编码|编号|代码|id|号)$|^(?:org|dept|department) ?(?:id|code)$/,
  },
]
const chineseDigits = '一二三四五六七八九'
/** Matches 一级部门 · 部门二级 · 部门3 · Department Level 2. */
const levelPatterns = [
  /^(?:第)?([一二三四五六七八九\d])级(?:部门|组织|机构|架构|单位|科室|中心)(?:名称)?$/,
  /^(?:部门|组织|机构|架构)(?:第)?([一二三四五六七八九\d])级?(?:级|层|名称)?$/,
  /^(?:department|dept|org|level) ?(?:level )?(\d)$/,
]

export interface DepartmentLabel {
  /** 1 is the highest level. */
  rank: number
  certainty: 1 | 2 | 3
  /** Matches 一级部门: the label contains a level number. */
  isLevel: boolean
  /** Matches 部门路径: the entire path in one cell. */
  isPath: boolean
}

export function getDepartmentLabel(label: string): DepartmentLabel | null {
  for (const level of levelPatterns) {
    const [, digit = ''] = level.exec(label) ?? []
    if (digit !== '')
      return { rank: chineseDigits.indexOf(digit) + 1 || Number(digit), certainty: 3, isLevel: true, isPath: false }
  }
  const match = departmentLabels.find((one) => one.label.test(label))
  return match
    ? { rank: match.rank, certainty: match.sure, isLevel: false, isPath: /路径|层级|全称|架构|path/.test(label) }
    : null
}
