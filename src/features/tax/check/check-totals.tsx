import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import { Money } from '../../../components/value/money.tsx'
import type { CheckedPeriod, PeriodDetail } from '../period/labels.ts'
import { TaxChange } from '../tax-change.tsx'

/**
 * The totals of the month compared with the previous one, and the computed tax compared with the tax in the wage
 * sheets. Before the month is computed there is no figure, which is not the same as zero.
 */
export function TaxCheckTotals({ checked: checkResult, status }: { checked: CheckedPeriod } & Pick<PeriodDetail, 'status'>) {
  const { current, previous, sheet_tax_fen } = checkResult
  const isComputed = status === 'computed' || status === 'locked'
  const tax = current.tax_fen + current.bonus_tax_fen
  const renderChange = (value: number) => (isComputed ? previous ? <TaxChange value={value} /> : '无上期数据' : '计算后显示')
  return (
    <StatisticCards
      items={[
        {
          key: 'people',
          label: previous ? `人数，比${formatMonth(previous.month)}` : '人数',
          value: current.people,
          note: previous ? <TaxChange value={current.people - previous.people} unit="人" /> : '无上期数据',
        },
        {
          key: 'income',
          label: '本期收入',
          value: <Money fen={isComputed ? current.income_fen : null} />,
          note: renderChange(current.income_fen - (previous?.income_fen ?? 0)),
        },
        {
          key: 'tax',
          label: '应扣个税',
          value: <Money fen={isComputed ? tax : null} />,
          note: renderChange(tax - (previous ? previous.tax_fen + previous.bonus_tax_fen : 0)),
        },
        {
          key: 'sheet',
          label: '工资表已扣个税',
          value: <Money fen={sheet_tax_fen} />,
          note:
            sheet_tax_fen === null ? (
              '工资表里没有个税列'
            ) : isComputed ? (
              <>
                比应扣 <TaxChange value={sheet_tax_fen - current.tax_fen} isDifference />
              </>
            ) : (
              '计算后与应扣比较'
            ),
        },
      ]}
    />
  )
}
