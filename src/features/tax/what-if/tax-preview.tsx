import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { type ReactNode, useDeferredValue, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { previewTax, previewTaxFields } from '../../../../server/contract/tax/preview.ts'
import { callQuery } from '../../../api.ts'
import { CheckboxField } from '../../../components/form/fields.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { SectionTabs } from '../../../components/page/section-tabs.tsx'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { Money } from '../../../components/value/money.tsx'
import { AmountField, MonthField } from '../fields.tsx'
import { formatTaxRate } from '../period/labels.ts'
import periodStyles from '../period/period.module.css'
import { CalculationSteps } from '../steps.tsx'
import { TaxTabs } from '../tabs.tsx'
import styles from '../tax.module.css'
import { TaxChange } from '../tax-change.tsx'

type TaxField = (typeof previewTaxFields)[number]
type PreviewMonth = CallOutput<typeof previewTax>['months'][number]
const taxFieldLabels: Readonly<Record<TaxField, string>> = {
  income_fen: '收入',
  exempt_fen: '免税收入',
  special_fen: '社保公积金（个人）',
  additional_fen: '专项附加扣除',
  other_fen: '其他扣除',
  donation_fen: '准予扣除的捐赠',
  reduction_fen: '减免税额',
}
const monthlyFields = ['income_fen', 'special_fen', 'additional_fen', 'other_fen'] as const
type MonthlyAmounts = Readonly<Record<(typeof monthlyFields)[number], number | null>>
type PreviewInput = {
  readonly year: number
  readonly hireMonth: string | null
  readonly isFirstIncome: boolean
  readonly pay: MonthlyAmounts
}
type MonthChange = { readonly month: number; readonly field: TaxField; readonly to_fen: number | null }

const getCurrentYear = () => new Date().getFullYear()
const listMonthsFrom = (first: number) => Array.from({ length: 13 - first }, (_, index) => first + index)

/** Calculates the tax of a year of equal months, and the effect of one changed amount. Nothing is stored. */
export function TaxPreview() {
  const [input, setInput] = useState<PreviewInput>(() => ({
    year: getCurrentYear(),
    hireMonth: null,
    isFirstIncome: false,
    pay: {
      income_fen: 1_500_000,
      special_fen: 200_000,
      additional_fen: null,
      other_fen: null,
    },
  }))
  const { year, hireMonth, isFirstIncome, pay } = input
  const [change, setChange] = useState<MonthChange>({ month: 12, field: 'income_fen', to_fen: null })
  const firstMonth = hireMonth?.slice(0, 4) === String(year) ? Number(hireMonth.slice(5)) : 1
  const months = listMonthsFrom(firstMonth).map((month) => ({
    month,
    ...Object.fromEntries(monthlyFields.map((field) => [field, pay[field] ?? 0])),
  }))
  const isChanged = change.to_fen !== null && change.month >= firstMonth
  const request = useDeferredValue({
    tax_year: year,
    hire_month: hireMonth,
    first_income_of_year: isFirstIncome,
    months,
    change: isChanged ? { month: change.month, field: change.field, to_fen: change.to_fen ?? 0 } : null,
  })
  const preview = useQuery({ ...callQuery(previewTax, request), placeholderData: keepPreviousData, meta: { quiet: true } })
  return (
    <div className={`ui-page ${periodStyles.page}`}>
      <SectionTabs section="wages" at="tax" />
      <PageHeader title="个税试算" note="按累计预扣法逐月计算，不保存">
        <TaxTabs at="preview" />
      </PageHeader>
      <div className={styles.preview}>
        <div className="ui-stack">
          <MonthlyAmountFields notified={input} onNotification={setInput} />
          <MonthChangeFields change={change} first={firstMonth} onChange={setChange} />
        </div>
        <section className="ui-card" aria-label="试算结果" aria-busy={preview.isFetching}>
          <h2>结果</h2>
          {preview.data ? (
            <PreviewResult match={preview.data} />
          ) : preview.error ? (
            <ErrorState error={preview.error} retry={() => void preview.refetch()} />
          ) : (
            <Skeleton rows={8} />
          )}
        </section>
      </div>
    </div>
  )
}

function MonthlyAmountFields({
  notified: input,
  onNotification: onChange,
}: {
  notified: PreviewInput
  onNotification: (told: PreviewInput) => void
}) {
  const { year, hireMonth, isFirstIncome, pay } = input
  const update = (change: Partial<PreviewInput>) => onChange({ ...input, ...change })
  return (
    <section className="ui-card" aria-label="每月的收入和扣除">
      <h2>每个月</h2>
      <div className={periodStyles.fields}>
        {monthlyFields.map((field) => (
          <PreviewField key={field} word={taxFieldLabels[field]}>
            <AmountField
              label={taxFieldLabels[field]}
              value={pay[field]}
              onChange={(fen) => update({ pay: { ...pay, [field]: fen } })}
            />
          </PreviewField>
        ))}
        <PreviewField word="年份">
          <Select
            aria-label="年份"
            style={{ width: '100%' }}
            value={year}
            options={Array.from({ length: getCurrentYear() - 2017 }, (_, index) => getCurrentYear() + 1 - index).map((value) => ({
              value,
              label: `${value} 年`,
            }))}
            onChange={(value) => update({ year: value })}
          />
        </PreviewField>
        <PreviewField word="入职月份">
          <MonthField
            label="入职月份"
            hint="今年以前入职不填"
            value={hireMonth}
            onChange={(value) => update({ hireMonth: value })}
          />
        </PreviewField>
      </div>
      <CheckboxField checked={isFirstIncome} onChange={(value) => update({ isFirstIncome: value })}>
        当年首次取得工资（减除费用从一月起算）
      </CheckboxField>
    </section>
  )
}

function MonthChangeFields(props: { change: MonthChange; first: number; onChange: (change: MonthChange) => void }) {
  const { change, first: firstMonth, onChange } = props
  return (
    <section className="ui-card" aria-label="调整测算">
      <h2>调整测算</h2>
      <div className={periodStyles.fields}>
        <PreviewField word="月份">
          <Select
            aria-label="调整月份"
            style={{ width: '100%' }}
            value={change.month}
            options={listMonthsFrom(1).map((value) => ({ value, label: `${value} 月` }))}
            onChange={(month) => onChange({ ...change, month })}
          />
        </PreviewField>
        <PreviewField word="项目">
          <Select
            aria-label="项目"
            style={{ width: '100%' }}
            value={change.field}
            options={previewTaxFields.map((value) => ({ value, label: taxFieldLabels[value] }))}
            onChange={(field) => onChange({ ...change, field })}
          />
        </PreviewField>
        <PreviewField word="调整为">
          <AmountField
            label="调整为"
            hint="留空则不变"
            value={change.to_fen}
            onChange={(to_fen) => onChange({ ...change, to_fen })}
          />
        </PreviewField>
      </div>
      {change.month < firstMonth && <p className={styles.wrong}>入职以前的月份没有收入，请选 {firstMonth} 月以后。</p>}
    </section>
  )
}

const PreviewField = ({ word: label, children }: { word: string; children: ReactNode }) => (
  <div className={styles.told}>
    <span aria-hidden="true">{label}</span>
    {children}
  </div>
)

function PreviewResult({ match: { months, total_fen, changed } }: { match: CallOutput<typeof previewTax> }) {
  const [open, setOpen] = useState<number | null>(null)
  const selectedMonth = open ?? months.at(-1)?.month ?? 1
  const selected = (changed?.months ?? months).find(({ month }) => month === selectedMonth)
  return (
    <>
      <StatisticCards
        items={[
          { key: 'total', label: '全年个税', value: <Money fen={total_fen} /> },
          ...(changed
            ? [
                {
                  key: 'changed',
                  label: '调整后',
                  value: <Money fen={changed.total_fen} />,
                  note: (
                    <>
                      全年 <TaxChange value={changed.difference_fen} />
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
      <div className={styles.scroll}>
        <table className={`${periodStyles.months} ${styles.dense}`} aria-label="逐月个税">
          <thead>
            <tr>
              <th scope="col">月份</th>
              <th scope="col">累计应纳税所得额</th>
              <th scope="col">税率</th>
              <th scope="col">本月个税</th>
              {changed && <th scope="col">调整后</th>}
            </tr>
          </thead>
          <tbody>
            {months.map((item, index) => (
              <PreviewRow
                key={item.month}
                one={item}
                then={changed?.months[index]}
                isOpen={item.month === selectedMonth}
                onOpen={setOpen}
              />
            ))}
          </tbody>
        </table>
      </div>
      {selected && (
        <>
          <h3 className={styles.stepsOf}>{selected.month} 月怎么算的</h3>
          <CalculationSteps steps={selected.steps} />
        </>
      )}
    </>
  )
}

function PreviewRow(props: {
  one: PreviewMonth
  then: PreviewMonth | undefined
  isOpen: boolean
  onOpen: (month: number) => void
}) {
  const { one: result, then: changed, isOpen, onOpen } = props
  return (
    <tr data-open={isOpen}>
      <td>
        <button type="button" className={`ui-link ${styles.month}`} aria-pressed={isOpen} onClick={() => onOpen(result.month)}>
          {result.month} 月
        </button>
      </td>
      <td>
        <Money fen={result.cum_taxable_fen} />
      </td>
      <td>{formatTaxRate(result.rate_ppm)}</td>
      <td>
        <Money fen={result.tax_fen} />
      </td>
      {changed && (
        <td>
          <Money fen={changed.tax_fen} strong={changed.tax_fen !== result.tax_fen} />
        </td>
      )}
    </tr>
  )
}
