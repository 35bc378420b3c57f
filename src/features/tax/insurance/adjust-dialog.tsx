import { Radio } from 'antd'
import { useState } from 'react'
import { type InsuranceEntry, type MemberInsurance, saveMemberInsurance } from '../../../../server/contract/tax/insurance.ts'
import { ApiError, useCallMutation } from '../../../api.ts'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { Money } from '../../../components/value/money.tsx'
import { AmountField, LabeledField, MonthField, RateField } from '../fields.tsx'
import styles from '../tax.module.css'
import { createEmptyEntry } from './labels.ts'
import { NewMemberCityField } from './new-member-city-field.tsx'

type AdjustmentMode = 'average' | 'same'

type Adjustment = { mode: AdjustmentMode; from: string; fen: number | null; city: string; fund: number | null }
// An adjustment does not insure members who are not insured.
const getNewBase = ({ last_year, entries: [newest] }: MemberInsurance, { mode, fen }: Adjustment): number | null =>
  newest && !newest.insured ? null : mode === 'average' ? (last_year?.average_fen ?? null) : fen
function createEntry(member: MemberInsurance, adjustment: Adjustment): InsuranceEntry {
  const { from, city, fund } = adjustment
  const [newest] = member.entries
  const previous = newest ?? { ...createEmptyEntry(from, city), housing_fund_ppm: fund }
  return { ...previous, insured: true, city: previous.city || city, from, social_fen: getNewBase(member, adjustment) ?? 0 }
}
/** Adds the member's name to the error. */
function formatMemberError({ field = '', message }: ApiError, candidates: readonly MemberInsurance[]): string {
  const member = candidates[Number(/^members\.(\d+)\./.exec(field)?.[1] ?? -1)]
  return member ? `${member.name}：${message}` : message
}

/** The annual adjustment for several members at once; earlier months stay unchanged. */
export function AdjustInsuranceDialog(props: {
  people: readonly MemberInsurance[]
  cities: readonly string[]
  month: string
  onClose: () => void
}) {
  const { people: selected, cities, month, onClose } = props
  const hasAverage = selected.some(({ last_year }) => last_year !== null)
  const [mode, setMode] = useState<AdjustmentMode>(hasAverage ? 'average' : 'same')
  const [from, setFrom] = useState(month)
  const [fen, setFen] = useState<number | null>(null)
  const [city, setCity] = useState(cities[0] ?? '')
  const [fund, setFund] = useState<number | null>(null)
  const [errorText, setErrorText] = useState<string | null>(null)
  const save = useCallMutation(saveMemberInsurance, { handles: (error) => error.field !== undefined })
  const adjustment = { mode, from, fen, city, fund }
  const adjustable = selected.filter((member) => getNewBase(member, adjustment) !== null)
  const hasNewMembers = selected.some(({ entries }) => entries.length === 0)
  const confirm = () => {
    const members = adjustable.map((member) => ({
      member_id: member.member_id,
      version: member.version,
      entries: [...member.entries.filter((entry) => entry.from !== from), createEntry(member, adjustment)],
    }))
    save.mutate(
      { members },
      {
        onSuccess: ({ saved }) => {
          toast.success(`已调整 ${saved} 人的缴费基数`)
          onClose()
        },
        onError: (error) => {
          if (error instanceof ApiError && error.field !== undefined) setErrorText(formatMemberError(error, adjustable))
        },
      },
    )
  }
  return (
    <Dialog
      open
      title={`调整 ${selected.length} 人的缴费基数`}
      action={`调整 ${adjustable.length} 人`}
      allowed={adjustable.length > 0 ? true : mode === 'average' ? '所选员工没有上年的工资条' : '请填写缴费基数'}
      busy={save.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className={styles.form}>
        <LabeledField label="从哪个月起">
          <MonthField label="从哪个月起" clear={false} value={from} onChange={(next) => next && setFrom(next)} />
        </LabeledField>
        <Radio.Group
          aria-label="新的基数"
          value={mode}
          onChange={({ target }) => setMode(target.value)}
          options={[
            { value: 'average', label: '用各人的上年月平均工资', disabled: !hasAverage },
            { value: 'same', label: '都用同一个基数' },
          ]}
        />
        {mode === 'same' && (
          <LabeledField label="社保缴费基数">
            <AmountField label="社保缴费基数" value={fen} onChange={setFen} />
          </LabeledField>
        )}
        {hasNewMembers && <NewMemberFields {...{ cities, city, setCity, fund, setFund }} />}
        {mode === 'average' && <AverageWages people={selected} />}
        {errorText && (
          <p className={styles.wrong} role="alert">
            {errorText}
          </p>
        )}
        <p className="ui-hint">低于下限或高于上限的，按方案的上下限计算。以前月份不变。</p>
      </div>
    </Dialog>
  )
}

type NewMemberFieldsProps = {
  cities: readonly string[]
  city: string
  setCity: (city: string) => void
  fund: number | null
  setFund: (ppm: number | null) => void
}
/** Fields for members without any entry yet. */
const NewMemberFields = ({ cities, city, setCity, fund, setFund }: NewMemberFieldsProps) => (
  <>
    <NewMemberCityField cities={cities} city={city} onChange={setCity} />
    <LabeledField label="公积金比例（原来没有填写的人）">
      <RateField label="公积金比例" hint="不填表示不缴" value={fund} onChange={setFund} />
    </LabeledField>
  </>
)

const AverageWages = ({ people: selected }: { people: readonly MemberInsurance[] }) => (
  <ul className={styles.importRows} aria-label="新的基数">
    {selected.map((member) => (
      <li key={member.member_id}>
        <strong>{member.name}</strong>
        <span>
          {member.last_year ? (
            <>
              <Money fen={member.last_year.average_fen} />（{member.last_year.months} 个月）
            </>
          ) : (
            '没有上年的工资条，或没有参保：不调整'
          )}
        </span>
      </li>
    ))}
  </ul>
)
