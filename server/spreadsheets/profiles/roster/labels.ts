/**
 * Column labels of rosters. Labels that identify people are the same as in wage sheets; a roster has additional ones
 * (position, entry date, account), and amounts have no meaning.
 */
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { otherPersonPattern } from '../../recognise/identity-label.ts'
import { createLabelDictionary, getLabelMeaning, type LabelMeaning } from '../../recognise/label-meaning.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { getDepartmentLabel } from './departments.ts'

export type RosterRole =
  | 'name'
  | 'given_name'
  | 'family_name'
  | 'mobile'
  | 'phone'
  | 'employee_no'
  | 'id_card'
  | 'bank_account'
  | 'department'
  | 'position'
  | 'entry_date'
  | 'email'
  | 'status'
  | 'account'
  | 'leader'
  | 'gender'
  | 'birth_date'
  | 'info'

export interface RosterMeaning {
  role: RosterRole
  /** 3 unambiguous, 2 usual, 1 only if the sheet has nothing better, 0 unknown. */
  certainty: 0 | 1 | 2 | 3
  /** The label is unknown and does not refer to another person, so the values of the column may decide. */
  isOpen?: true
}

interface RosterLabelEntry {
  role: RosterRole
  certainty: 1 | 2 | 3
  label: RegExp
}

/** The order matters: the first match decides. Labels are normalized and without bracketed text. */
const labelEntries: RosterLabelEntry[] = [
  {
    role: 'leader',
    certainty: 3,
    label:
      /^(?:直[接属线])?(?:上级|主管|领导|经理)(?:姓名)?$|^(?:汇报对象|汇报人|部门负责人|部门主管|负责人)$|^.{0,12}(?:负责人|队长|班组长|组长|带班人|法人|法定代表人|经理|主管|领导)(?:的)?(?:姓名|名字)$|^(?:reporting |line |direct )?(?:manager|supervisor|leaders?)(?: name)?$|^reports? to$|^(?:上司|상사|quản lý|người quản lý|руководитель|начальник)$/,
  },
  {
    role: 'name',
    certainty: 3,
    label:
      /^(?:员工|职工|职员|人员|成员|用户|真实|中文|教师|教职工|雇员|本人|同事|干部|正式|队员|业务员|工人|劳动者|从业人员|参保人|被保险人|纳税人)?姓名$|^(?:员工|成员|人员|用户|职员)名称$|^(?:名字|中文名|员工名)$|^(?:full|real|legal|chinese|display|employees?|emp|staff|associates?|members?|workers?|persons?|personnel)(?:'s)? ?names?$|^name(?: of (?:the )?(?:employee|staff|member))?$|^(?:employee|fullname|realname)$|^(?:社[員员]|従[業业][員员]|スタッフ|[職职][員员])?(?:氏名|名前|お名前)$|^(?:社[員员]名|従[業业][員员]名|[漢汉]字氏名|氏名[漢汉]字)$|^(?:الاسم(?: الكامل| الرباعي| الثلاثي)?|اسم (?:الموظف|العامل|الموظفة))$/,
  },
  { role: 'name', certainty: 2, label: /^显示名(?:称)?$/ },
  { role: 'name', certainty: 1, label: /^(?:员工|人员|成员|昵称|nick ?name|alias)$|^user'?s? ?names?$/ },
  { role: 'family_name', certainty: 3, label: /^(?:姓|姓氏|last ?name|surname|family ?name)$/ },
  { role: 'given_name', certainty: 3, label: /^(?:名|first ?name|given ?names?|forename)$/ },
  {
    role: 'account',
    certainty: 3,
    label:
      /^(?:员工|成员|企业微信|飞书|钉钉|用户|登录|系统|商户|平台|个人|oa|erp)*(?:账号|帐号|账户|用户名|登录名|登陆名|登录id|user ?id|user ?code|userid)(?:名|名称)?$|^用户(?:编号|id|标识|编码)$|^(?:account|login|log ?in)(?: ?(?:name|id))?$|^open ?id$|^union ?id$|^(?:логин|tên đăng nhập|tài khoản)$/,
  },
  {
    role: 'employee_no',
    certainty: 3,
    label:
      /^(?:员工|职工|职员|人员|雇员|公司|oa|hr|教职工|教工)?工号$|^(?:员工|职工|职员|人员|雇员|人事|教工)(?:编号|编码|代码|代号|号|号码|id)$|^(?:employees?|emp|staff|personnel|worker|payroll|associate)(?:'s)? ?(?:no|number|num|id|code|#)\.?$|^ee ?(?:id|no|number|#)\.?$|^(?:社[員员]|従[業业][員员]|[職职][員员])番[号號]$|^(?:رقم الموظف|الرقم الوظيفي|رقم وظيفي|كود الموظف)$/,
  },
  {
    role: 'employee_no',
    certainty: 2,
    label:
      /^(?:社员id|工牌号?|工牌编号|档案编号|档案号|考勤号|考勤编号|badge(?: ?(?:id|no|number|号))?|biometric ?(?:id|no|code|number)|job ?(?:no|number)|学号|警号|司员编号)\.?$/,
  },
  { role: 'employee_no', certainty: 1, label: /^(?:id|编号|code|no\.?|number|员工卡号|卡号|uid)$/ },
  {
    role: 'id_card',
    certainty: 3,
    label:
      /^(?:员工|居民|公民|本人|个人)?(?:身份证|身份)(?:件)?(?:号|号码|编号|证号|证号码)?$|^(?:id ?card(?: ?(?:no|number))?|identity ?(?:card|no|number)?|national id|citizen id)\.?$/,
  },
  {
    role: 'id_card',
    certainty: 2,
    label: /^(?:有效)?(?:证件|证照)(?:号|号码|编号)$|^(?:id ?(?:no|number)|certificate ?(?:no|number))\.?$/,
  },
  {
    role: 'mobile',
    certainty: 3,
    label:
      /^(?:员工|个人|本人|移动|联系|常用|注册|登录|绑定|企业|工作|办公)?手机(?:号|号码|电话|电话号码|联系方式)?1?$|^移动电话(?:号码)?$|^(?:mobile|cell|handphone)(?: ?(?:phone|no|number|num))*\.?$|^mobilephone$|^cellphone$|^携[帯带](?:[電电][話话])?(?:番[号號])?$|^(?:رقم )?(?:الجوال|المحمول|الموبايل|الهاتف المحمول|الهاتف الجوال)$/,
  },
  {
    role: 'mobile',
    certainty: 2,
    label:
      /^(?:本人|员工|个人)?(?:联系|联络)?(?:电话|方式|电话号码|号码)[1一]?$|^(?:tele?|contact )?phone(?: ?(?:no|number))?\.? ?1?$|^(?:tel|telephone|contact(?: ?(?:no|number|primary))?|primary contact|primary phone)\.? ?1?$|^(?:[電电][話话]番[号號]|رقم الهاتف|الهاتف)$/,
  },
  {
    role: 'phone',
    certainty: 3,
    label:
      /座机|固话|固定电话|办公电话|公司电话|单位电话|家庭电话|宅电|分机|传真|短号|备用(?:电话|手机)|其他电话|^(?:电话|手机|联系电话|联系方式)(?:号码?)?[2-9二三]$|^(?:phone|tel|mobile|contact)(?: ?(?:no|number))?\.? ?[2-9]$|secondary|(?:office|home|work|other|alternate) ?(?:phone|tel)|extension/,
  },
  { role: 'email', certainty: 3, label: /^(?:主要)?(?:电子)?邮[箱件](?:地址|账号)?$|^e-? ?mail(?: ?(?:address|id))?$|^mail$/ },
  {
    role: 'email',
    certainty: 2,
    label: /^(?:企业|公司|工作|办公|work |company |business )(?:电子)?(?:邮[箱件](?:地址)?|e-?mail(?: address)?)$/,
  },
  {
    role: 'email',
    certainty: 1,
    label: /^(?:个人|私人|常用|联系|备用|登录|personal |private )(?:电子)?(?:邮[箱件](?:地址)?|e-?mail(?: address)?)$/,
  },
  {
    role: 'entry_date',
    certainty: 3,
    label:
      /^(?:本次|最近|最新|员工|实际|公司|本公司|到)?(?:入职|入司|入厂|入店|入校|入院|入企|进厂|进司|进公司|进(?:本)?单位|到岗|到职|报到|加入|加入公司|加盟|来司|来厂|来校|进校|进场|进店|进站|上岗)(?:公司|本公司|单位)?(?:日期|时间|年月|年月日|日)$|^入职$|^(?:date of |date )?(?:joining|join|hire|hired|joined|entry|employment|onboarding|onboard|appointment)(?: date| day| on)?$|^(?:joining|join|hire|entry|employment|onboard(?:ing)?|employed) ?(?:date|day|time|on)$|^(?:doj|doe|joined(?: on)?|hired(?: on)?)$|^入社(?:年月)?日$|^입사(?:일|일자|년월일|날짜)$|^ngày (?:vào(?: làm| công ty)?|thuê|nhận việc|bắt đầu(?: làm việc)?)$|^дата (?:при[её]ма(?: на работу)?|найма|трудоустройства)$/,
  },
  { role: 'entry_date', certainty: 1, label: /^(?:开始日期|任职日期|任职时间|聘用日期|录用日期|start date|date started)$/ },
  {
    role: 'birth_date',
    certainty: 3,
    label:
      /^(?:出生)(?:日期|年月|年月日|时间)?$|^(?:生日|阳历生日|公历生日)$|^(?:dob|birthday|birth ?date|date of birth|birth)$|^(?:生年月日|誕生日|생년월일|생일|ngày sinh|дата рождения)$/,
  },
  { role: 'gender', certainty: 3, label: /^(?:性[别別]|gender|sex|성별|giới tính|пол)$/ },
  {
    role: 'status',
    certainty: 3,
    label:
      /^(?:在职|员工|人员|在岗|在册|任职|工作|雇佣|就业|用工|成员)状态$|^(?:是否在[职岗]|在职与否|在职情况)$|^(?:employment|employee|work|staff|job) ?status$/,
  },
  {
    role: 'status',
    certainty: 1,
    label: /^(?:状态|status|在职|在职离职|激活状态|账号状态|재직(?:상태|여부)|在籍状況|trạng thái(?: làm việc)?|статус)$/,
  },
  {
    role: 'position',
    certainty: 3,
    label:
      /^(?:现|现任|所任|当前|工作|任职|主|员工)?(?:岗位|职位|职务)(?:名称|\/职务|\/岗位|\/职位)?$|^(?:标准|统一|规范|核定|聘任|聘用|所聘|现聘|实际)(?:岗位|职位|职务)(?:名称)?$|^(?:岗位|职位|职务)(?:\(工种\)|\/工种|或工种|及工种|工种)(?:名称)?$|^(?:岗位职务|职务岗位|职位岗位|岗位职位)$|^(?:position|designation|post|job|occupation)s?(?: ?(?:title|name|position)s?)?$|^job ?titles?$|^plantilla ?position$|^(?:المسمى الوظيفي|الوظيفة|المنصب)$|^(?:役职|职种|직급|직위|직책|직무|chức vụ|chức danh|vị trí(?: công việc)?|(?:название )?должности?|должность)$/,
  },
  {
    role: 'position',
    certainty: 1,
    label:
      /^titles?$|^(?:工种|岗位工种|工种岗位|岗位族|岗位类别|职位类别|岗位编号|职位编号|岗位编码|职位编码|担任职务|头衔|job ?role)$/,
  },
]

/**
 * Matches a reference to a person other than the employee: a contact, a family member, a customer, a student and
 * others.
 */
const rosterOtherPersonPattern =
  /紧急|联系人|会员|学生|应聘|候选人|家属|家庭(?:成员)|配偶|亲属|父亲|母亲|父母|子女|介绍人|推荐人|担保|客户|供应商|报名|逝者|监护|户主|学生家长|房东|租户|商品|产品|元素|emergency|next of kin|father|mother|husband|spouse|child|nominee|client|customer|guardian|vendor|contact ?person|reference/
const ambiguousLabels =
  /转正|离职|合同|到期|截止|签订|注册|登记|创建|更新|司龄|工龄|入党|入团|参加工作|毕业|发证|结束|退休|是否|类型|类别|资格|证书/

/** Matches labels such as 分包人员姓名 and 施工工人身份证号, which start with the person whose data it is. */
const ownerPattern =
  /^[\u4e00-\u9fff]{0,4}(?:人员|工人|员工|职工|人)(?:的)?(?=姓名|名字|身份证|证件|手机|电话|联系|工号|岗位|职务|工种|入职|进场)/

/** Removes spaces and brackets and splits alternatives; 姓名/full_name contains two labels, either of which may be known. */
export function splitLabel(text: string): string[] {
  const plain = normalizeHeader(text.replace(/[(（【[［].*$/s, '') || text)
  const segments = plain.split(/[/|·、]/).map((part) => part.trim())
  // For example Name_EN next to Name_CN.
  const bare = plain.replace(/ (?:en|eng|cn|chn|zh|jp|kr|vi|ru|mn)$/, '')
  return [...new Set([plain, ...segments, bare, plain.replace(ownerPattern, '')])].filter((part) => part !== '')
}

/** Matches a label that says only that it is a number; the group above completes it (身份证 / 编号). */
const isBareNumberLabel = (leaf: string): boolean => /^(?:编号|号码|号|代码|证号|no\.?|number|code|id)$/.test(leaf)
/** Matches groups that only say that the data concerns the employee. */
const employeeGroupPattern =
  /信息|资料|基本|个人|员工|职工|人员|人事|用户|details?$|info(?:rmation)?$|^(?:basic|personal|employ\w*|staff|general|user)\b/

/** Returns a label's meaning with the group above: 身份证 / 编号 is an ID card, 负责人 / 姓名 is not the employee. */
function getMeaningWithGroup(path: readonly string[]): RosterMeaning | null {
  const [group, leaf] = path.slice(-2).map((text) => splitLabel(text)[0] ?? '')
  if (group === undefined || leaf === undefined || group === '' || group === leaf) return null
  const isLatin = /^[\x20-\x7e]+$/.test(group + leaf)
  const existing = getSegmentMeaning(isLatin ? `${group} ${leaf}` : `${group}${leaf}`)
  if (existing && existing.certainty > 1) return existing
  return isBareNumberLabel(leaf) && !employeeGroupPattern.test(group) ? { role: 'info', certainty: 0 } : null
}

function getSegmentMeaning(part: string): RosterMeaning | null {
  const match = labelEntries.find(({ label, role }) => label.test(part) && !(ambiguousLabels.test(part) && role !== 'status'))
  const department = getDepartmentLabel(part)
  if (department && department.certainty > (match?.certainty ?? 0)) return { role: 'department', certainty: department.certainty }
  return match ? { role: match.role, certainty: match.certainty } : null
}

export function getRosterLabelMeaning(path: readonly string[]): RosterMeaning {
  const nothing: RosterMeaning = { role: 'info', certainty: 0 }
  const fullLabel = path.map(normalizeHeader).join(' ')
  if (fullLabel === '' || rosterOtherPersonPattern.test(fullLabel)) return nothing
  if (pronunciationPattern.test(fullLabel)) return nothing
  const grouped = path.length > 1 && !isFieldName(path.at(-2) ?? '') ? getMeaningWithGroup(path) : null
  if (grouped) return grouped
  let best = nothing
  // The label itself takes precedence over its groups: 主要信息 / 手机号; field names may be above labels.
  for (const [up, text] of path.toReversed().entries()) {
    if (up > 0 && (best.certainty > 0 || !isFieldName(text))) break
    for (const part of splitLabel(text)) {
      const meaning = getSegmentMeaning(part)
      if (meaning && meaning.certainty > best.certainty) best = meaning
    }
  }
  return best.certainty > 0 ? best : getWageLabelRole(path, fullLabel)
}

const isFieldName = (text: string): boolean => /^[a-z\d _-]+$/i.test(text)
/** Pronunciation in a column next to the name: 氏名（ひらがな）, 姓名拼音. */
const pronunciationPattern = /ひらがな|カタカナ|ふりがな|フリガナ|カナ|かな|拼音|pinyin|furigana|phonetic/

const roleByColumnRole: Partial<Record<ColumnRole, RosterRole>> = {
  name: 'name',
  last_name: 'family_name',
  first_name: 'given_name',
  mobile: 'mobile',
  id_card: 'id_card',
  employee_no: 'employee_no',
  department: 'department',
  email: 'email',
  bank_account: 'bank_account',
}
/** Recognizes other languages and remarks after a label like wage sheets do. */
function getWageLabelRole(path: readonly string[], fullLabel: string): RosterMeaning {
  const { role, confidence, nature } = getLabelMeaning(path)
  const meaning = roleByColumnRole[role]
  if (otherPersonPattern.test(fullLabel) || ambiguousLabels.test(fullLabel)) return { role: 'info', certainty: 0 }
  if (meaning && confidence >= 0.9) return { role: meaning, certainty: 2 }
  return nature === 'unknown' || nature === 'who' ? { role: 'info', certainty: 0, isOpen: true } : { role: 'info', certainty: 0 }
}

/** Returns whether the labels concern earlier jobs or education, whose dates are not entry dates of this company. */
export function isPastLabel(labels: readonly string[]): boolean {
  const leaves = labels.map((label) => normalizeHeader(label.split(' / ').at(-1) ?? ''))
  const has = (requested: RegExp) => leaves.some((leaf) => requested.test(leaf))
  const isOfWork = has(/^(?:公司|单位|企业|任职公司|工作单位)(?:名称)?$/) && has(/^(?:职位描述|工作描述|证明人|担任职位)$/)
  return isOfWork || (has(/^(?:毕业|就读)?(?:学校|院校)(?:名称)?$/) && has(/^(?:入校|入学)(?:时间|日期)$/))
}

const columnRoleByRole: Partial<Record<RosterRole, ColumnRole>> = {
  name: 'name',
  given_name: 'first_name',
  family_name: 'last_name',
  mobile: 'mobile',
  id_card: 'id_card',
  employee_no: 'employee_no',
  department: 'department',
  email: 'email',
  bank_account: 'bank_account',
}
/** Converts to the form that header, row and member detection expect. */
function toLabelMeaning(path: readonly string[]): LabelMeaning {
  const { role, certainty } = getRosterLabelMeaning(path)
  const quote = path.join('·')
  if (certainty > 0) {
    const who = columnRoleByRole[role] ?? (role === 'account' ? 'info' : undefined)
    return {
      role: columnRoleByRole[role] ?? 'info',
      nature: who !== undefined && certainty > 1 ? 'who' : 'info',
      confidence: certainty === 3 ? 0.97 : certainty === 2 ? 0.92 : 0.7,
      reason: `表头是「${quote}」`,
    }
  }
  // An amount is informational here and does not count as data of a row; a label that names a person refers to another
  // one.
  const meaning = getLabelMeaning(path)
  if (meaning.nature === 'who' || roleByColumnRole[meaning.role] !== undefined)
    return { role: 'info', nature: 'info', confidence: 0.6, reason: meaning.reason }
  return meaning.nature === 'money' ? { ...meaning, role: 'info', nature: 'info' } : meaning
}

/** NAME next to SURNAME is the given name; a further column (显示名称) is the full name. */
function resolveMeanings(meanings: LabelMeaning[]): LabelMeaning[] {
  const has = (role: ColumnRole) => meanings.some((meaning) => meaning.role === role)
  if (!has('last_name') || has('first_name')) return meanings
  const names = meanings.filter(({ role }) => role === 'name')
  const [firstName] = names.toSorted((a, b) => b.confidence - a.confidence)
  return meanings.map((meaning) =>
    meaning.role === 'name' && (meaning.confidence === firstName?.confidence || meaning.confidence < 0.9)
      ? { ...meaning, role: 'first_name' as const }
      : meaning,
  )
}

export const rosterLabels = createLabelDictionary(toLabelMeaning, { together: resolveMeanings })
