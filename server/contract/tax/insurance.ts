/** 五险一金: schemes of a city for a period, and the contributions of each member. calls.md §10. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { type CallOutput, defineChange, defineRead, defineView } from '../call.ts'
import { fen, id, month, optionalText, pageParams, paginatedList, requiredText, time } from '../shared/schemas.ts'
import { importedRow, listedSummary } from './import.ts'
import { insuranceCodes, insuranceStates } from './kinds.ts'

export const insuranceRoundings = ['half_up', 'up', 'down'] as const

/** A million yuan a month: above any contribution base. */
const most_fen = 100_000_000
const amount = fen.check(z.gte(0, '金额不能小于零'), z.lte(most_fen, '金额太大，请核对'))
/** Parts per million. */
const rate = z.int().check(z.gte(0, '比例不能小于 0'), z.lte(1_000_000, '比例不能大于 100%'))

export const schemeItem = z.object({
  code: z.enum(insuranceCodes),
  floor_fen: amount,
  /** Null: no ceiling. */
  ceiling_fen: z.nullable(amount),
  /** The rate is null for a housing fund, where each member has an individual rate within the allowed range. */
  employee_ppm: z.nullable(rate),
  employer_ppm: z.nullable(rate),
  from_ppm: z.nullable(rate),
  to_ppm: z.nullable(rate),
  employee_fixed_fen: amount,
  employer_fixed_fen: amount,
  /** The rounding unit of a contribution: 1, 10 or 100 fen. */
  unit_fen: z.int().check(z.gte(1, '请选择取整单位'), z.lte(10_000, '请选择取整单位')),
  mode: z.enum(insuranceRoundings),
  /** What still has to be confirmed about the item. */
  check: z.nullable(optionalText(200)),
})
export type SchemeItemView = z.infer<typeof schemeItem>
const scheme = {
  city: requiredText(20, '请填写城市'),
  valid_from: month,
  valid_to: z.nullable(month),
  document: requiredText(300, '请填写依据的文件'),
  items: z.array(schemeItem).check(z.minLength(1, '请至少填写一个险种'), z.maxLength(8, '险种太多，请核对')),
}
const payroll = requirePower('2')
const count = z.int()

const schemeInfo = z.object({
  ...scheme,
  scheme_id: id,
  version: count,
  /** The last locked month that was computed with it: the scheme can no longer be changed, only replaced. */
  locked_through: z.nullable(month),
  /** A newer version of the same months has replaced it. */
  replaced: z.boolean(),
  by: z.string(),
  changed_at: time,
})
export type SchemeInfo = z.infer<typeof schemeInfo>
const template = z.object(scheme)
export type SchemeTemplate = z.infer<typeof template>

export const getInsuranceSchemeList = defineRead('POST /api/tax/getInsuranceSchemeList', payroll, {
  summary: "Lists the company's insurance schemes with older versions, and the values published by cities as a starting point.",
  input: z.object({}),
  output: z.object({ list: z.array(schemeInfo), templates: z.array(template) }),
})

export const saveInsuranceScheme = defineChange('POST /api/tax/saveInsuranceScheme', payroll, {
  summary:
    'Saves the insurance scheme of a city. A scheme used by a locked period is replaced by a new version and never changed.',
  requiredFeature: 'tax',
  input: z.object({
    /** If null, a new scheme is created, and an open-ended predecessor ends the month before. */
    scheme_id: z.nullable(id),
    /** The version that the user has seen. */
    version: z.optional(count),
    /** Replaces the given scheme, which is kept for the months that were computed with it. */
    as_new_version: z._default(z.boolean(), false),
    ...scheme,
  }),
  output: z.object({
    scheme_id: id,
    version: count,
    /** The period of the previous scheme after this change. */
    previous_period: z.nullable(z.object({ valid_from: month, valid_to: month })),
  }),
  errors: ['not_found', 'wrong_state'],
})

/** A member's insurance data from a month on. */
export const insuranceEntry = z.object({
  from: month,
  /** If false, the member is not insured here from this month on. */
  insured: z.boolean(),
  city: z.string().check(z.trim(), z.maxLength(20, '最多 20 个字')),
  social_fen: amount,
  /** If null, the base is the same as for social insurance. */
  housing_fund_fen: z.nullable(amount),
  /** Null: no housing fund. */
  housing_fund_ppm: z.nullable(rate),
  supplementary_ppm: z.nullable(rate),
  not_enrolled: z.array(z.enum(insuranceCodes)).check(z.maxLength(8)),
})
export type InsuranceEntry = z.infer<typeof insuranceEntry>

const contribution = z.object({ code: z.enum(insuranceCodes), base_fen: fen, employee_fen: fen, employer_fen: fen })
const memberInsurance = z.object({
  member_id: id,
  name: z.string(),
  employee_no: z.string(),
  departments: z.string(),
  version: count,
  /** By month, newest first. */
  entries: z.array(insuranceEntry),
  /** Contributions of both sides in the month; null where nothing was entered, or the member is not insured. */
  current: z.nullable(
    z.object({ items: z.array(contribution), employee_fen: fen, employer_fen: fen, steps: z.array(z.string()) }),
  ),
  refused: z.nullable(z.string()),
  /** The monthly average of last year's payslips, and the number of months. */
  last_year: z.nullable(z.object({ average_fen: fen, months: count })),
  /** The member's base is from a month before the city's scheme began. */
  needs_adjustment: z.boolean(),
})
export type MemberInsurance = z.infer<typeof memberInsurance>

export const getMemberInsurance = defineView('POST /api/tax/getMemberInsurance', payroll, {
  summary: "Lists bases and contributions of the members in the caller's scope for a month, with last year's average.",
  rateLimit: 'costly',
  input: z.object({
    /** Default: the current month. */
    month: z.optional(month),
    name: z.optional(optionalText(50)),
    department_id: z.optional(id),
    state: z.optional(z.enum(insuranceStates)),
    ...pageParams,
  }),
  output: z.extend(paginatedList(memberInsurance), {
    month,
    counts: z.object({ people: count, entered: count, missing: count, faulty: count, adjust: count }),
  }),
  errors: ['not_found'],
})

export const saveMemberInsurance = defineChange('POST /api/tax/saveMemberInsurance', payroll, {
  summary: 'Saves the contribution bases of members, with everything that applies to each from its month on, all or none.',
  input: z.object({
    members: z
      .array(
        z.object({
          member_id: id,
          /** The version that the user has seen; 0 where there was none. */
          version: z.int().check(z.gte(0)),
          entries: z.array(insuranceEntry).check(z.maxLength(60, '一个人最多保留 60 次调整')),
        }),
      )
      .check(z.minLength(1, '请先选择员工'), z.maxLength(500, '一次最多保存 500 人')),
  }),
  output: z.object({ saved: count }),
  errors: ['not_found', 'wrong_state'],
})

const insuranceImportRow = z.object({
  ...importedRow,
  city: z.string(),
  before_social_fen: z.nullable(fen),
  social_fen: z.nullable(fen),
  /** The base of the housing fund; null where the member pays none. */
  before_housing_fund_fen: z.nullable(fen),
  housing_fund_fen: z.nullable(fen),
  housing_fund_ppm: z.nullable(rate),
})
export type InsuranceImportRow = z.infer<typeof insuranceImportRow>

export const importInsurance = defineChange('POST /api/tax/importInsurance', payroll, {
  summary:
    "Reads members' contribution bases from a list of the company and returns what would change row by row; with `apply` it saves them. A repeated import changes nothing.",
  requiredFeature: 'tax',
  rateLimit: 'costly',
  requestType: 'file',
  input: z.object({
    /** The first month of the new bases. */
    from: month,
    /** For members without an earlier entry whose row does not name a city. */
    city: z.optional(z.string().check(z.trim(), z.maxLength(20, '最多 20 个字'))),
    apply: z.optional(z.enum(['1'])),
  }),
  output: z.object({ ...listedSummary, rows: z.array(insuranceImportRow) }),
  errors: ['unreadable_sheet'],
})
export type InsuranceImport = CallOutput<typeof importInsurance>
