/** Column labels of lists with amounts per member: contribution bases, and incomes of a tax period. */
import { normalizeHeader } from '../../recognise/synonyms.ts'

const identityLabels = [
  ['name', '姓名 员工姓名 纳税人姓名'],
  ['id_card', '证件号 证件号码 身份证 身份证号 身份证号码 身份证件号码'],
  ['employee_no', '工号 员工编号 员工工号'],
  ['mobile', '手机 手机号 手机号码 联系电话'],
] as const
type IdentityLabel = (typeof identityLabels)[number][0]

/** Contribution bases: one for social insurance, or one per insurance; then the city and the rates of the housing fund. */
const baseLabels = [
  ['social', '社保基数 社保缴费基数 社会保险基数 社会保险缴费基数'],
  ['pension', '养老基数 养老缴费基数 养老保险基数 养老保险缴费基数 基本养老保险基数 基本养老保险缴费基数'],
  ['medical', '医疗基数 医疗缴费基数 医疗保险基数 医疗保险缴费基数 基本医疗保险基数 基本医疗保险缴费基数'],
  ['unemployment', '失业基数 失业缴费基数 失业保险基数 失业保险缴费基数'],
  ['injury', '工伤基数 工伤缴费基数 工伤保险基数 工伤保险缴费基数'],
  ['maternity', '生育基数 生育缴费基数 生育保险基数 生育保险缴费基数'],
  ['serious_illness_fund', '大病基数 大病医疗基数 大病医疗缴费基数 大病医疗保险基数 大病医疗保险缴费基数'],
  ['housing_fund', '公积金基数 公积金缴存基数 公积金缴费基数 住房公积金基数 住房公积金缴存基数 住房公积金缴费基数'],
] as const
const rateLabels = [
  ['housing_fund_rate', '公积金比例 公积金缴存比例 住房公积金比例 住房公积金缴存比例 个人公积金比例'],
  ['supplementary_rate', '补充公积金比例 补充公积金缴存比例 补充住房公积金比例'],
] as const
type RateLabel = (typeof rateLabels)[number][0]

/** The month's amounts, with the labels of the import file of the official withholding client among them. */
const incomeLabels = [
  ['income', '本期收入 税前收入 应税收入 应发合计 应发工资'],
  ['exempt', '本期免税收入 免税收入'],
  ['pension', '基本养老保险费 养老保险 养老保险个人 个人养老保险'],
  ['medical', '基本医疗保险费 医疗保险 医疗保险个人 个人医疗保险'],
  ['unemployment', '失业保险费 失业保险 失业保险个人 个人失业保险'],
  ['housing_fund', '住房公积金 公积金 公积金个人 个人公积金'],
  ['social', '个人社保合计 社保个人合计 社保合计'],
  ['annuity', '企业(职业)年金 企业年金 职业年金 年金'],
  ['health', '商业健康保险'],
  ['other', '其他 其他扣除 其他税前扣除'],
  ['donation', '准予扣除的捐赠额 准予扣除的捐赠'],
  ['reduction', '减免税额'],
  ['bonus', '全年一次性奖金 全年一次性奖金额 年终奖 年终奖单独计税'],
  ['withheld', '本期实际扣缴 本期实扣个税 实扣个税'],
] as const

export type MemberAmountKind = 'bases' | 'incomes'
export type MemberAmountName = (typeof baseLabels)[number][0] | (typeof incomeLabels)[number][0]
export type MemberAmountLabel = IdentityLabel | RateLabel | MemberAmountName | 'city'

const toEntries = <T extends MemberAmountLabel>(labels: readonly (readonly [T, string])[]) =>
  labels.flatMap(([label, texts]) => texts.split(' ').map((word): [string, T] => [normalizeHeader(word), label]))

const labelsByKind: Readonly<Record<MemberAmountKind, ReadonlyMap<string, MemberAmountLabel>>> = {
  bases: new Map<string, MemberAmountLabel>([
    ...toEntries(identityLabels),
    ...toEntries(baseLabels),
    ...toEntries(rateLabels),
    ...toEntries([['city', '参保城市 参保地 社保城市 缴费城市']] as const),
  ]),
  incomes: new Map<string, MemberAmountLabel>([...toEntries(identityLabels), ...toEntries(incomeLabels)]),
}
export const findMemberAmountLabel = (kind: MemberAmountKind, text: string): MemberAmountLabel | undefined =>
  labelsByKind[kind].get(normalizeHeader(text))

const otherLabels: ReadonlySet<MemberAmountLabel> = new Set([
  ...identityLabels.map(([label]) => label),
  ...rateLabels.map(([label]) => label),
  'city',
])
export const isRateLabel = (label: MemberAmountLabel): label is RateLabel => rateLabels.some(([one]) => one === label)
export const isAmountLabel = (label: MemberAmountLabel): label is MemberAmountName => !otherLabels.has(label)
