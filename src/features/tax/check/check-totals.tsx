import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import { AmountChange, Money } from '../../../components/value/money.tsx'
import type { CheckedPeriod } from '../period/labels.ts'

/** The totals of the month compared with the previous one, and the computed tax compared with the tax in the wage sheets. */
export function TaxCheckTotals({ checked: checkResult }: { checked: CheckedPeriod }) {
  const { current, previous, sheet_tax_fen } = checkResult
  const tax = current.tax_fen + current.bonus_tax_fen
  const renderDifference = (value: number) => (previous ? <AmountChange value={value} /> : '没有上月的期间')
  return (
    <StatisticCards
      items={[
        {
          key: 'people',
          label: previous ? `人数，比${formatMonth(previous.month)}` : '人数',
          value: current.people,
          note: previous ? <AmountChange value={current.people - previous.people} unit="人" /> : '没有上月的期间',
        },
        {
          key: 'income',
          label: '本期收入',
          value: <Money fen={current.income_fen} />,
          note: renderDifference(current.income_fen - (previous?.income_fen ?? 0)),
        },
        {
          key: 'tax',
          label: '应扣个税',
          value: <Money fen={tax} />,
          note: renderDifference(tax - (previous ? previous.tax_fen + previous.bonus_tax_fen : 0)),
        },
        {
          key: 'sheet',
          label: '工资表扣的个税',
          value: <Money fen={sheet_tax_fen} />,
          note:
            sheet_tax_fen === null ? (
              '工资表里没有个税列'
            ) : (
              <>
                比应扣 <AmountChange value={sheet_tax_fen - current.tax_fen} />
              </>
            ),
        },
      ]}
    />
  )
}
