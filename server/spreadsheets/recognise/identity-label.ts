/** Determines whom a label refers to: the employee, if it contains little else, or another person. */
import type { ColumnRole } from '../../contract/shared/schemas.ts'
import { isDepartment, isName } from '../../contract/sheets/column-roles.ts'
import { findContainedSynonym } from './synonyms.ts'

export const latinPattern = /^[\p{Script=Latin}\p{Script=Cyrillic}]/u
export const amountEndingPattern = /(?:工资|薪|薪资|津贴|补贴|补助|奖|奖金|费|金|款|额|提成|报酬|绩效|补偿|红|收入)$/

/** Phone numbers of other people, and numbers that are not bank accounts. */
export const otherPersonPattern =
  /紧急|联系人|家属|家庭|配偶|亲属|父亲|母亲|父母|介绍人|推荐人|担保|负责人|主管|领导|上级|发起人|审批人|处理人|创建人|经办人|咨询人|客户|顾客|供应商|商品|产品|座机|办公电话|传真|公积金账|社保账|社保号|医保号|税号|合同|单号|emergency|next of kin|father|mother|husband|spouse|client|customer|manager|supervisor|guardian/

const codePattern = /编号|编码|代码|(?:^|\P{L})(?:id|code|ид|код|номер)(?:\P{L}|$)/u
/** Returns the role of an identifying word if the label contains little else and does not name an amount (电话补贴). */
export function getIdentityRole(label: string): ColumnRole | undefined {
  if (
    amountEndingPattern.test(label) ||
    /是否|类型|类别|银行名|状态|开户|曾用|英文|拼音|外文|所属(?:[期月年]|行业|地区|客户)|用户名/.test(label) ||
    otherPersonPattern.test(label)
  )
    return undefined
  if (
    /^(?!公司|单位|岗位|职位|职务|产品|项目|银行|合同).{0,6}(?:部门|科室|班组|车间|门店|网点|站点|店铺|[部站店厂所院校队组]名称)$/.test(
      label,
    )
  )
    return 'department'
  const synonym = findContainedSynonym(label, ['who'])
  if (!synonym || synonym.word.length < 2) return undefined
  // 店铺编号 is not a department and Сотрудник ID is a number, although they contain such words.
  if (codePattern.test(label) && isDepartment(synonym.role)) return undefined
  if (codePattern.test(label) && isName(synonym.role)) return 'employee_no'
  const rest = label.length - synonym.word.length
  const maxRest = latinPattern.test(synonym.word) ? 12 : 4
  return rest <= maxRest && (latinPattern.test(synonym.word) ? synonym.word.length >= 4 && rest <= synonym.word.length : true)
    ? synonym.role
    : undefined
}
