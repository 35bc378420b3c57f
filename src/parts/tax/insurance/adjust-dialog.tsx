import { Radio } from 'antd'
import { useState } from 'react'
import { type InsuranceEntry, type MemberInsurance, saveMemberInsurance } from '../../../../server/contract/wage/insurance.ts'
import { ApiError, useCall } from '../../../api.ts'
import { Dropdown, unchosen } from '../../../ui/form/select.tsx'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Money } from '../../../ui/value/money.tsx'
import { FenField, Labelled, MonthField, RateField } from '../fields.tsx'
import styles from '../tax.module.css'
import { emptyEntry } from './words.ts'

type By = 'average' | 'same'

type Wish = { by: By; from: string; fen: number | null; city: string; fund: number | null }
// Who is not insured here is not by an adjustment.
const baseOf = ({ last_year, entries: [newest] }: MemberInsurance, { by, fen }: Wish): number | null =>
  newest && !newest.insured ? null : by === 'average' ? (last_year?.average_fen ?? null) : fen
function entryOf(person: MemberInsurance, wish: Wish): InsuranceEntry {
  const { from, city, fund } = wish
  const [newest] = person.entries
  const before = newest ?? { ...emptyEntry(from, city), housing_fund_ppm: fund }
  return { ...before, insured: true, city: before.city || city, from, social_fen: baseOf(person, wish) ?? 0 }
}
/** With whose it is. */
function saidOf({ field = '', message }: ApiError, people: readonly MemberInsurance[]): string {
  const who = people[Number(/^members\.(\d+)\./.exec(field)?.[1] ?? -1)]
  return who ? `${who.name}：${message}` : message
}

/** The year's adjustment of several people at once; what is before its month stays as it was. */
export function AdjustDialog(props: {
  people: readonly MemberInsurance[]
  cities: readonly string[]
  month: string
  onClose: () => void
}) {
  const { people, cities, month, onClose } = props
  const hasAverage = people.some(({ last_year }) => last_year !== null)
  const [by, setBy] = useState<By>(hasAverage ? 'average' : 'same')
  const [from, setFrom] = useState(month)
  const [fen, setFen] = useState<number | null>(null)
  const [city, setCity] = useState(cities[0] ?? '')
  const [fund, setFund] = useState<number | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const save = useCall(saveMemberInsurance, { handles: (error) => error.field !== undefined })
  const wish = { by, from, fen, city, fund }
  const ready = people.filter((one) => baseOf(one, wish) !== null)
  const isNew = people.some(({ entries }) => entries.length === 0)
  const confirm = () => {
    const members = ready.map((person) => ({
      member_id: person.member_id,
      version: person.version,
      entries: [...person.entries.filter((entry) => entry.from !== from), entryOf(person, wish)],
    }))
    save.mutate(
      { members },
      {
        onSuccess: ({ saved }) => {
          toast.done(`已调整 ${saved} 人的缴费基数`)
          onClose()
        },
        onError: (error) => {
          if (error instanceof ApiError && error.field !== undefined) setWrong(saidOf(error, ready))
        },
      },
    )
  }
  return (
    <Dialog
      open
      title={`调整 ${people.length} 人的缴费基数`}
      action={`调整 ${ready.length} 人`}
      verdict={ready.length > 0 ? true : by === 'average' ? '所选员工没有上年的工资条' : '请填写缴费基数'}
      busy={save.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className={styles.form}>
        <Labelled label="从哪个月起">
          <MonthField label="从哪个月起" clear={false} value={from} onChange={(next) => next && setFrom(next)} />
        </Labelled>
        <Radio.Group
          aria-label="新的基数"
          value={by}
          onChange={({ target }) => setBy(target.value)}
          options={[
            { value: 'average', label: '用各人的上年月平均工资', disabled: !hasAverage },
            { value: 'same', label: '都用同一个基数' },
          ]}
        />
        {by === 'same' && (
          <Labelled label="社保缴费基数">
            <FenField label="社保缴费基数" value={fen} onChange={setFen} />
          </Labelled>
        )}
        {isNew && <NewFields {...{ cities, city, setCity, fund, setFund }} />}
        {by === 'average' && <Averages people={people} />}
        {wrong && (
          <p className={styles.wrong} role="alert">
            {wrong}
          </p>
        )}
        <p className="ui-hint">低于下限或高于上限的，按方案的上下限计算。以前月份不变。</p>
      </div>
    </Dialog>
  )
}

type NewProps = {
  cities: readonly string[]
  city: string
  setCity: (city: string) => void
  fund: number | null
  setFund: (ppm: number | null) => void
}
/** Of people of whom nothing was entered yet. */
const NewFields = ({ cities, city, setCity, fund, setFund }: NewProps) => (
  <>
    <Labelled label="参保城市（原来没有填写的人）">
      <Dropdown<string>
        label="参保城市"
        width="100%"
        {...(city ? { value: city } : {})}
        options={cities.map((value) => ({ value, label: value }))}
        onChange={(next) => next !== unchosen && setCity(next)}
      />
    </Labelled>
    <Labelled label="公积金比例（原来没有填写的人）">
      <RateField label="公积金比例" hint="不填表示不缴" value={fund} onChange={setFund} />
    </Labelled>
  </>
)

const Averages = ({ people }: { people: readonly MemberInsurance[] }) => (
  <ul className={styles.importRows} aria-label="新的基数">
    {people.map((person) => (
      <li key={person.member_id}>
        <strong>{person.name}</strong>
        <span>
          {person.last_year ? (
            <>
              <Money fen={person.last_year.average_fen} />（{person.last_year.months} 个月）
            </>
          ) : (
            '没有上年的工资条，或没有参保：不调整'
          )}
        </span>
      </li>
    ))}
  </ul>
)
