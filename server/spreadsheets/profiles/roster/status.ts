/**
 * Parses the employment status of a cell. Words are matched as a whole, with known prefixes and suffixes: a part of a
 * word never decides (退休返聘 is employed, 未离职 has not left). Unknown words become a question.
 */
import { isEmptyMark } from '../../../rules/decimal.ts'
import { normalizeText } from '../../../rules/text.ts'
import { parseDate } from './cells.ts'

/** `unsure`: the text does not determine the status. Null: no text. */
type ParsedStatus = 'active' | 'left' | 'unsure' | null

const workingPattern =
  '在职|在岗|在册|在籍|在编|在聘|在任|现职|在役|到岗|已转正|转正|正式|正常|试用|试用期|见习|见习期|实习|实习期|启用|激活|有效|聘用|聘任|返聘|回聘|留用|借调|借用|外派|派驻|全职|兼职|劳务|劳务派遣|派遣|外包|临时|临时工|合同工|正式工|小时工|顾问|续签|续聘'
const onLeavePattern =
  '病假|长病假|长期病假|病休|产假|陪产假|哺乳假|事假|休假|年假|婚假|丧假|育儿假|工伤|工伤假|休产假|休病假|休长假|长假|医疗期|产休'
const terminatedPattern =
  '离职|离岗|离厂|离司|离店|辞职|辞退|自离|自动离职|开除|除名|解雇|解聘|退休|离休|离退休|退职|停用|裁员|被裁|解除|解除合同|解除劳动合同|解除劳动关系|终止|终止合同|合同终止|终止劳动合同|劳动合同终止|去世|身故|死亡|调离|调出'
/** Employed again after retirement. */
const rehiredPattern = /^(?:已?(?:退休|离退休|离休|到龄|超龄|退)(?:后|人员)?)?(?:返聘|回聘|再聘|再聘用|反聘|复聘|续聘|聘用|留用)$/
const prefixPattern = '(?:已经|已|现|目前|当前|仍|正|均|本人)?'
const suffixPattern = '(?:中|人员|员工|状态|了|期)?'

const activeStatusPattern = new RegExp(
  `^${prefixPattern}(?:正式|正常|仍)?(?:(?:${workingPattern}|${onLeavePattern}))(?:${workingPattern}|${onLeavePattern})?${suffixPattern}$`,
)
const terminatedStatusPattern = new RegExp(
  `^(?:已经|已|现已|均已)?(?:正常|主动|被动|自愿|非自愿|自动|协商|个人)?(?:${terminatedPattern})(?:人员|员工|状态|了)?$`,
)
/** Matches 未离职 and 尚未辞职: a negation reverses the meaning. */
const negatedStatusPattern = new RegExp(
  `^(?:未|没有|没|尚未|还未|还没|还没有|并未|并没有|未曾|从未|非|不是|并非)(?:已|办理|正式)?(?:${terminatedPattern})(?:人员|员工|状态)?$`,
)
/** 待离职, 拟退休: not left yet. */
const pendingStatusPattern = new RegExp(
  `^(?:待|拟|即将|将|将要|准备|预|预计|计划|打算)(?:办理)?(?:${terminatedPattern})(?:人员|员工|状态)?$`,
)
const noLongerActivePattern = /^(?:现|已|已经|目前)?(?:不|不再)(?:在职|在册)(?:人员|员工|状态|了)?$/
const probationPattern = /^(?:试用期?)?(?:未|待|尚未|还未|没有|没)转正$/
const englishStatuses: Readonly<Record<string, 'active' | 'left'>> = {
  ...Object.fromEntries(
    [
      'active',
      'employed',
      'on board',
      'onboard',
      'current',
      'working',
      'enabled',
      'probation',
      'on probation',
      'permanent',
      'regular',
      'confirmed',
      'contract',
      'full time',
      'part time',
      'fulltime',
      'parttime',
      'intern',
      'on leave',
      'maternity leave',
      'sick leave',
      'not left',
      'not resigned',
      'not terminated',
      '재직',
      '재직중',
      '在籍',
      '在籍中',
      'đang làm',
      'đang làm việc',
      'активен',
      'активный',
      'работает',
    ].map((word) => [word, 'active' as const]),
  ),
  ...Object.fromEntries(
    [
      'left',
      'resigned',
      'terminated',
      'inactive',
      'retired',
      'dismissed',
      'quit',
      'former',
      'separated',
      'no longer employed',
      '퇴사',
      '퇴직',
      'nghỉ việc',
      'đã nghỉ việc',
      'уволен',
      'уволена',
    ].map((word) => [word, 'left' as const]),
  ),
}
/** The status of the account on a platform, not of the employment. */
const accountStatusPattern = /^(?:未激活|未加入|未认证|已认证|未邀请|已邀请|待激活)$/
const yesPattern = /^(?:1|是|yes|true|y|√|✓|✔)$/
const noPattern = /^(?:0|否|no|false|n|×|✗)$/
const isBlankStatus = (text: string) =>
  text === '' || isEmptyMark(text) || /^(?:无|暂无|空|null|none|nil|n\/a|未填|未知|待补充?)$/.test(text)

/** Parses a single word without brackets. */
function parseStatusWord(word: string): ParsedStatus {
  const text = word.replace(/[\s.。!！?？~～]/g, '')
  if (/^[\x20-\x7e]+$/.test(word) || /\p{L}/u.test(text.replace(/\p{Script=Han}/gu, ''))) {
    const match = englishStatuses[word.replace(/[-_\s]+/g, ' ').trim()]
    if (match) return match
  }
  if (terminatedStatusPattern.test(text)) return 'left'
  if (
    activeStatusPattern.test(text) ||
    negatedStatusPattern.test(text) ||
    pendingStatusPattern.test(text) ||
    rehiredPattern.test(text) ||
    probationPattern.test(text)
  )
    return 'active'
  return noLongerActivePattern.test(text) ? 'left' : 'unsure'
}

/** The status says how somebody left, but not whether they did. */
const terminationReasonPattern =
  /^(?:主动|被动|自愿|自动|协商|个人原因|合同到期|已办结|已办理|手续已办|已结清|已交接|主动离职|被动离职)$/
const datePattern = /^[\d年月日号./\-\s]+$/

/** Remarks beside the word (bracketed or after a slash) must not contradict it. `today` decides if a leaving date has come. */
export function parseStatus(cell: string, label = '', today = new Date().toISOString().slice(0, 10)): ParsedStatus {
  const text = normalizeText(cell)
    .toLowerCase()
    .replace(/^[*★☆※●○•]+|[*★☆※●○•]+$/g, '')
    .trim()
  if (isBlankStatus(text) || accountStatusPattern.test(text)) return null
  // 是否在职 contains yes or no, whereas 激活状态 0 proves nothing about the employment.
  if (yesPattern.test(text) || noPattern.test(text)) {
    if (!/在职|在岗|在册|employed|active/i.test(label)) return 'unsure'
    return yesPattern.test(text) ? 'active' : 'left'
  }
  const full = parseStatusWord(text)
  if (full !== 'unsure') return full
  const joined = parseStatusWord(text.replace(/[\s()（）【】[\]/／|、,，;；:：_-]/g, ''))
  if (joined !== 'unsure') return joined
  const [first = '', ...remarks] = text
    .split(/[()（）【】[\]/／|、,，;；:：_-]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return combineStatus(parseStatusWord(first), remarks.join('-'), remarks, today)
}

function combineStatus(main: ParsedStatus, joined: string, remarks: readonly string[], today: string): ParsedStatus {
  if (main !== 'active' && main !== 'left') return 'unsure'
  if (remarks.length === 0) return 'unsure'
  if (datePattern.test(joined)) {
    if (main === 'active') return 'active'
    const { value } = parseDate(joined, 'unknown')
    return value !== null && value <= today ? 'left' : 'unsure'
  }
  const isFitting = remarks.every(
    (remark) => parseStatusWord(remark) === main || (main === 'left' && terminationReasonPattern.test(remark)),
  )
  return isFitting ? main : 'unsure'
}
