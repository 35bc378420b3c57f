import type { EmployeeTax } from '../../../../../server/contract/payslips/employee-tax.ts'
import { Money } from '../../../../components/value/money.tsx'
import styles from './tax-sheet.module.css'

const taxFieldLabels = [
  ['cum_income_fen', '累计收入'],
  ['cum_basic_fen', '减除费用'],
  ['cum_special_fen', '社保公积金'],
  ['cum_additional_fen', '专项附加扣除'],
  ['cum_other_fen', '其他扣除'],
  ['cum_taxable_fen', '累计应纳税所得额'],
  ['cum_tax_fen', '累计应纳税额'],
  ['cum_withheld_fen', '以前月份已扣'],
  ['tax_fen', '这次扣'],
  ['credit_fen', '多扣的，以后月份抵用'],
  ['bonus_tax_fen', '年终奖单独计税'],
] as const
const alwaysVisibleFields = new Set(['cum_income_fen', 'cum_taxable_fen', 'cum_tax_fen', 'cum_withheld_fen', 'tax_fen'])

/** The cumulative sums of the year up to a month, then each step; hidden amounts hide the steps, because these are text. */
export function EmployeeTaxAmounts({ tax, hidden }: { tax: EmployeeTax; hidden: boolean }) {
  return (
    <>
      <dl className={styles.root}>
        {taxFieldLabels
          .filter(([key]) => alwaysVisibleFields.has(key) || tax[key] !== 0)
          .map(([key, label]) => (
            <div key={key} data-strong={key === 'tax_fen'}>
              <dt>{label}</dt>
              <dd>
                <Money fen={tax[key]} hidden={hidden} />
                {key === 'cum_taxable_fen' && !hidden && <small>税率 {tax.rate_ppm / 10_000}%</small>}
              </dd>
            </div>
          ))}
      </dl>
      {!hidden && (
        <details className={styles.steps}>
          <summary>每一步怎么算的</summary>
          <ol>
            {tax.steps.map((step) => {
              const [formula = '', source] = step.split('；依据：')
              return (
                <li key={step}>
                  {formula}
                  {source && <small>依据：{source}</small>}
                </li>
              )
            })}
          </ol>
        </details>
      )}
    </>
  )
}
