import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { type ReactNode, useDeferredValue, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { previewTax, taxFields } from '../../../../server/contract/wage/tax/tax.ts'
import { query } from '../../../api.ts'
import { CheckBox } from '../../../ui/form/fields.tsx'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { Difference, Money } from '../../../ui/value/money.tsx'
import { FenField, MonthField } from '../fields.tsx'
import periodStyles from '../period/period.module.css'
import { rateText } from '../period/words.ts'
import { SaidSteps } from '../steps.tsx'
import { TaxTabs } from '../tabs.tsx'
import styles from '../tax.module.css'

type TaxField = (typeof taxFields)[number]
type PreviewMonth = OutputOf<typeof previewTax>['months'][number]
const fieldWords: Readonly<Record<TaxField, string>> = {
  income_fen: '收入',
  exempt_fen: '免税收入',
  special_fen: '社保公积金（个人）',
  additional_fen: '专项附加扣除',
  other_fen: '其他扣除',
  donation_fen: '准予扣除的捐赠',
  reduction_fen: '减免税额',
}
const everyMonth = ['income_fen', 'special_fen', 'additional_fen', 'other_fen'] as const
type EveryMonth = Readonly<Record<(typeof everyMonth)[number], number | null>>
type Told = { readonly year: number; readonly hired: string | null; readonly isFirst: boolean; readonly pay: EveryMonth }
type Change = { readonly month: number; readonly field: TaxField; readonly to_fen: number | null }

const thisYear = () => new Date().getFullYear()
const monthsFrom = (first: number) => Array.from({ length: 13 - first }, (_, at) => first + at)

/** What a year of equal months would be taxed, and what one changed figure changes. Nothing is kept. */
export function WhatIf() {
  const [told, setTold] = useState<Told>(() => ({
    year: thisYear(),
    hired: null,
    isFirst: false,
    pay: {
      income_fen: 1_500_000,
      special_fen: 200_000,
      additional_fen: null,
      other_fen: null,
    },
  }))
  const { year, hired, isFirst, pay } = told
  const [change, setChange] = useState<Change>({ month: 12, field: 'income_fen', to_fen: null })
  const first = hired?.slice(0, 4) === String(year) ? Number(hired.slice(5)) : 1
  const months = monthsFrom(first).map((month) => ({
    month,
    ...Object.fromEntries(everyMonth.map((one) => [one, pay[one] ?? 0])),
  }))
  const isChanged = change.to_fen !== null && change.month >= first
  const asked = useDeferredValue({
    tax_year: year,
    hire_month: hired,
    first_income_of_year: isFirst,
    months,
    change: isChanged ? { month: change.month, field: change.field, to_fen: change.to_fen ?? 0 } : null,
  })
  const found = useQuery({ ...query(previewTax, asked), placeholderData: keepPreviousData, meta: { quiet: true } })
  return (
    <div className={`ui-page ${periodStyles.page}`}>
      <PageHead title="个税试算" note="按累计预扣法逐月计算，不保存">
        <TaxTabs at="preview" />
      </PageHead>
      <Every told={told} onTell={setTold} />
      <Changed change={change} first={first} onChange={setChange} />
      <section className="ui-card" aria-label="试算结果" aria-busy={found.isFetching}>
        <h2>结果</h2>
        {found.data ? (
          <Result found={found.data} />
        ) : found.error ? (
          <ErrorState error={found.error} retry={() => void found.refetch()} />
        ) : (
          <Skeleton rows={8} />
        )}
      </section>
    </div>
  )
}

function Every({ told, onTell }: { told: Told; onTell: (told: Told) => void }) {
  const { year, hired, isFirst, pay } = told
  const tell = (change: Partial<Told>) => onTell({ ...told, ...change })
  return (
    <section className="ui-card" aria-label="每月的收入和扣除">
      <h2>每个月</h2>
      <div className={periodStyles.fields}>
        {everyMonth.map((field) => (
          <Field key={field} word={fieldWords[field]}>
            <FenField label={fieldWords[field]} value={pay[field]} onChange={(fen) => tell({ pay: { ...pay, [field]: fen } })} />
          </Field>
        ))}
        <Field word="年份">
          <Select
            aria-label="年份"
            style={{ width: '100%' }}
            value={year}
            options={Array.from({ length: thisYear() - 2017 }, (_, at) => thisYear() + 1 - at).map((value) => ({
              value,
              label: `${value} 年`,
            }))}
            onChange={(value) => tell({ year: value })}
          />
        </Field>
        <Field word="入职月份">
          <MonthField label="入职月份" hint="今年以前入职不填" value={hired} onChange={(value) => tell({ hired: value })} />
        </Field>
      </div>
      <CheckBox checked={isFirst} onChange={(value) => tell({ isFirst: value })}>
        当年首次取得工资（减除费用从一月起算）
      </CheckBox>
    </section>
  )
}

function Changed(props: { change: Change; first: number; onChange: (change: Change) => void }) {
  const { change, first, onChange } = props
  return (
    <section className="ui-card" aria-label="如果改一个数">
      <h2>如果改一个数</h2>
      <div className={periodStyles.fields}>
        <Field word="月份">
          <Select
            aria-label="改哪个月"
            style={{ width: '100%' }}
            value={change.month}
            options={monthsFrom(1).map((value) => ({ value, label: `${value} 月` }))}
            onChange={(month) => onChange({ ...change, month })}
          />
        </Field>
        <Field word="哪一项">
          <Select
            aria-label="改哪一项"
            style={{ width: '100%' }}
            value={change.field}
            options={taxFields.map((value) => ({ value, label: fieldWords[value] }))}
            onChange={(field) => onChange({ ...change, field })}
          />
        </Field>
        <Field word="改成">
          <FenField label="改成" hint="不填就不改" value={change.to_fen} onChange={(to_fen) => onChange({ ...change, to_fen })} />
        </Field>
      </div>
      {change.month < first && <p className={styles.wrong}>入职以前的月份没有收入，请选 {first} 月以后。</p>}
    </section>
  )
}

const Field = ({ word, children }: { word: string; children: ReactNode }) => (
  <div className={styles.told}>
    <span aria-hidden="true">{word}</span>
    {children}
  </div>
)

function Result({ found: { months, total_fen, changed } }: { found: OutputOf<typeof previewTax> }) {
  const [open, setOpen] = useState<number | null>(null)
  const shown = open ?? months.at(-1)?.month ?? 1
  const own = (changed?.months ?? months).find(({ month }) => month === shown)
  return (
    <>
      <Numbers
        items={[
          { key: 'total', label: '全年个税', value: <Money fen={total_fen} /> },
          ...(changed
            ? [
                {
                  key: 'changed',
                  label: '改了以后',
                  value: <Money fen={changed.total_fen} />,
                  note: (
                    <>
                      全年 <Difference value={changed.difference_fen} />
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
      <div className={styles.scroll}>
        <table className={periodStyles.months} aria-label="逐月个税">
          <thead>
            <tr>
              <th scope="col">月份</th>
              <th scope="col">累计应纳税所得额</th>
              <th scope="col">税率</th>
              <th scope="col">本月个税</th>
              {changed && <th scope="col">改了以后</th>}
            </tr>
          </thead>
          <tbody>
            {months.map((one, at) => (
              <Row key={one.month} one={one} then={changed?.months[at]} isOpen={one.month === shown} onOpen={setOpen} />
            ))}
          </tbody>
        </table>
      </div>
      {own && (
        <>
          <h3 className={styles.stepsOf}>{own.month} 月怎么算的</h3>
          <SaidSteps steps={own.steps} />
        </>
      )}
    </>
  )
}

function Row(props: { one: PreviewMonth; then: PreviewMonth | undefined; isOpen: boolean; onOpen: (month: number) => void }) {
  const { one, then, isOpen, onOpen } = props
  return (
    <tr data-open={isOpen}>
      <td>
        <button type="button" className={`ui-link ${styles.month}`} aria-pressed={isOpen} onClick={() => onOpen(one.month)}>
          {one.month} 月
        </button>
      </td>
      <td>
        <Money fen={one.cum_taxable_fen} />
      </td>
      <td>{rateText(one.rate_ppm)}</td>
      <td>
        <Money fen={one.tax_fen} />
      </td>
      {then && (
        <td>
          <Money fen={then.tax_fen} strong={then.tax_fen !== one.tax_fen} />
        </td>
      )}
    </tr>
  )
}
