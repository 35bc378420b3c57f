import { Numbers } from '../../../ui/page/numbers.tsx'
import { monthName } from '../../../ui/value/dates.ts'
import { Difference, Money } from '../../../ui/value/money.tsx'
import type { CheckedPeriod } from '../period/words.ts'

/** The month beside the one before, and what is withheld beside what the sheets withheld. */
export function CheckTotals({ checked }: { checked: CheckedPeriod }) {
  const { now, last, sheet_tax_fen } = checked
  const tax = now.tax_fen + now.bonus_tax_fen
  const before = (value: number) => (last ? <Difference value={value} /> : '没有上月的期间')
  return (
    <Numbers
      items={[
        {
          key: 'people',
          label: last ? `人数，比${monthName(last.month)}` : '人数',
          value: now.people,
          note: last ? <Difference value={now.people - last.people} unit="人" /> : '没有上月的期间',
        },
        {
          key: 'income',
          label: '本期收入',
          value: <Money fen={now.income_fen} />,
          note: before(now.income_fen - (last?.income_fen ?? 0)),
        },
        {
          key: 'tax',
          label: '应扣个税',
          value: <Money fen={tax} />,
          note: before(tax - (last ? last.tax_fen + last.bonus_tax_fen : 0)),
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
                比应扣 <Difference value={sheet_tax_fen - now.tax_fen} />
              </>
            ),
        },
      ]}
    />
  )
}
