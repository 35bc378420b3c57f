/**
 * All rules of the tax engine: the section of tax-rules.md, the legal documents, the tables it reads, and published or
 * computed cases that demonstrate it. `docs/tax-rules.md` is generated from it, and a test checks that no rule lacks a
 * source or an example.
 */
import { formatCitations, type LawTableName } from './tables/law.ts'

type LawRule = {
  readonly title: string
  readonly paragraph: string
  /** Source in the usual citation form. */
  readonly source: string
  readonly tables: readonly LawTableName[]
}
/**
 * `documents` contains keys separated by spaces; `articles` contains those of each document in the same order,
 * separated by ；
 */
const defineRule = (
  title: string,
  paragraph: string,
  [documents, articles]: readonly [documents: string, articles: string],
  tables: readonly LawTableName[] = [],
): LawRule => ({ title, paragraph, source: formatCitations(documents.split(' '), articles, title), tables })

export const lawRules = {
  wage_sums: defineRule('累计收入与累计扣除', '§2、§4', ['2018-61', '第六条']),
  wage_months: defineRule('减除费用按任职月份累计', '§3', ['2018-61', '第六条'], ['basic_deduction']),
  wage_first_income: defineRule(
    '当年首次取得工资：减除费用自一月起',
    '§3',
    ['2020-13', '第一条'],
    ['first_income', 'basic_deduction'],
  ),
  wage_under_60000: defineRule(
    '上年收入不超过六万元：全年减除费用自一月起一次减',
    '§3',
    ['2020-19', '第一条'],
    ['under_60000', 'basic_deduction'],
  ),
  wage_tax: defineRule('累计预扣预缴应纳税额', '§1、§2', ['2018-61', '第六条与附件预扣率表一'], ['annual_rates']),
  wage_withheld: defineRule('本期应预扣预缴税额，负数不退，留抵以后月份', '§2', ['2018-61', '第六条']),
  wage_relief: defineRule('残疾等减免税额', '§2、§16', ['iit_law 2018-61', '第五条；第六条']),
  wage_correction: defineRule('更正以前月份：以后各月依次重算', '§5', ['2018-61', '第六条']),
  bonus_apart: defineRule(
    '全年一次性奖金单独计税',
    '§6',
    ['caishui-2018-164 mof-2023-30 guoshuifa-2005-9', '第一条；第一条；第二条、第三条'],
    ['separate_bonus', 'monthly_rates'],
  ),
  bonus_compare: defineRule(
    '奖金单独计税与并入综合所得比较',
    '§6',
    ['caishui-2018-164', '第一条'],
    ['annual_rates', 'monthly_rates'],
  ),
  labor_expense: defineRule('劳务报酬、稿酬、特许权使用费的减除费用', '§7.1', ['2018-61', '第八条'], ['labor_expense']),
  labor_tax: defineRule(
    '劳务报酬、稿酬、特许权使用费按次预扣',
    '§7.1',
    ['2018-61', '第八条与附件预扣率表二'],
    ['labor_rates', 'labor_expense'],
  ),
  labor_once: defineRule('同一项目一个月内的劳务为一次', '§7.1', ['iit_rules', '第十四条']),
  labor_cumulative: defineRule(
    '实习学生、保险营销员、证券经纪人累计预扣',
    '§7.2、§7.3',
    ['caishui-2018-164 2020-13', '第三条；第二条'],
    ['labor_cumulative', 'annual_rates', 'basic_deduction'],
  ),
  labor_platform: defineRule(
    '互联网平台从业人员累计预扣，按连续取得劳务报酬的月份减除',
    '§7.4',
    ['2025-16 2018-61', '第一条；第六条'],
    ['labor_platform', 'annual_rates', 'basic_deduction'],
  ),
  severance: defineRule(
    '解除劳动合同一次性补偿',
    '§8',
    ['caishui-2018-164 caishui-2001-157', '第五条（一）；第二条'],
    ['severance', 'annual_rates'],
  ),
  early_retirement: defineRule(
    '提前退休一次性补贴',
    '§8',
    ['caishui-2018-164', '第五条（二）'],
    ['annual_rates', 'basic_deduction'],
  ),
  internal_retirement: defineRule(
    '内部退养一次性收入',
    '§8',
    ['caishui-2018-164 guoshuifa-1999-58', '第五条（三）；第一条'],
    ['monthly_rates', 'basic_deduction'],
  ),
  equity_income: defineRule('股权激励收入额', '§8', ['caishui-2018-164 guoshuihan-2009-461', '第二条；第三条']),
  equity_tax: defineRule(
    '上市公司股权激励全年合并单独计税',
    '§8',
    ['caishui-2018-164 mof-2023-25', '第二条；第一条、第二条'],
    ['equity_separate', 'annual_rates'],
  ),
  equity_deferred: defineRule('非上市公司股权激励递延至转让时纳税', '§8', ['caishui-2016-101', '第一条'], ['transfer']),
  nonresident_wage: defineRule(
    '非居民个人工资按月计税',
    '§9',
    ['2018-61 mof-2019-35', '第九条；第三条'],
    ['nonresident', 'monthly_rates'],
  ),
  nonresident_bonus: defineRule('非居民个人数月奖金', '§9', ['mof-2019-35', '第三条'], ['nonresident', 'monthly_rates']),
  nonresident_labor: defineRule(
    '非居民个人劳务报酬、稿酬、特许权使用费',
    '§9',
    ['2018-61', '第九条'],
    ['nonresident', 'monthly_rates'],
  ),
  sourcing: defineRule('无住所个人的工资收入额', '§9', ['mof-2019-35', '第二条'], ['nonresident']),
  six_years: defineRule('无住所居民个人连续满六年', '§9', ['mof-2019-34 mof-2019-35', '第一条；第二条'], ['annual_rates']),
  residence_change: defineRule(
    '居民身份改变后的年终结算',
    '§9',
    ['mof-2019-35', '第五条'],
    ['annual_rates', 'monthly_rates', 'nonresident'],
  ),
  expat_choice: defineRule(
    '外籍个人津补贴与专项附加扣除二选一',
    '§9',
    ['mof-2023-29', '第一条'],
    ['expat_allowances', 'annual_rates'],
  ),
  expat_exempt: defineRule('外籍个人津补贴免税的取得形式', '§9', ['caishuizi-1994-20', '第二条']),
  additional: defineRule(
    '专项附加扣除的标准与月份',
    '§10.2',
    ['guofa-2018-41 guofa-2023-13 2022-7', '第五条至第二十三条；第一条至第三条；第四条'],
    ['additional'],
  ),
  fund_cap: defineRule('住房公积金税前限额', '§10.1', ['caishui-2006-10', '第二条'], ['caps']),
  annuity_cap: defineRule('年金个人缴费税前限额', '§10.3', ['caishui-2013-103', '第一条'], ['caps']),
  annuity_withdrawal: defineRule(
    '年金领取单独计税',
    '§1、§10.3',
    ['caishui-2013-103 caishui-2018-164', '第三条；第四条'],
    ['monthly_rates', 'annual_rates'],
  ),
  health_cap: defineRule('商业健康保险每月限额', '§10.3', ['caishui-2017-39', '第一条'], ['caps']),
  pension_cap: defineRule('个人养老金每年限额', '§10.3', ['mof-2022-34 mof-2024-21', '第一条；第一条'], ['personal_pension']),
  pension_withdrawal: defineRule('个人养老金领取', '§10.3', ['mof-2022-34 mof-2024-21', '第一条；第一条'], ['personal_pension']),
  donation_cap: defineRule('公益捐赠的扣除限额', '§10.4', ['mof-2019-99', '第三条'], ['caps']),
  insurance_base: defineRule('社会保险与公积金的缴费基数', '§11', ['insurance_law fund_rules', '第十二条、第二十三条；第十六条']),
  insurance_amount: defineRule('社会保险与公积金的缴费额', '§11、§12', [
    'insurance_law fund_rules',
    '第十二条、第二十三条；第十八条',
  ]),
  payslip: defineRule('一张工资条：应发、扣缴、实发、人工成本', '§12', ['house 2018-61', '计算顺序；第六条']),
  settlement: defineRule(
    '年度汇算',
    '§2、§6',
    ['iit_law mof-2023-32', '第十一条；第一条'],
    ['annual_rates', 'basic_deduction', 'settlement'],
  ),
} satisfies Readonly<Record<string, LawRule>>

export type LawRuleName = keyof typeof lawRules
/** Returns the documents and articles of a rule in the usual citation form. */
export const getRuleSource = (name: LawRuleName): string => lawRules[name].source
