import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getReconciliationDetail } from '../../../../server/contract/tax/comparison.ts'
import { callQuery } from '../../../api.ts'
import { Drawer } from '../../../components/overlay/layers.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { Money } from '../../../components/value/money.tsx'
import { AmountField } from '../fields.tsx'
import styles from '../period/period.module.css'
import { CalculationSteps } from '../steps.tsx'
import taxStyles from '../tax.module.css'
import { formatBonusMethod, formatExemption, ReconciliationDue } from './labels.tsx'

const otherIncomeLabels = {
  elsewhere_fen: '其他单位的工资',
  elsewhere_special_fen: '其他单位的社保公积金',
  elsewhere_withheld_fen: '其他单位已扣的税',
  labor_fen: '劳务报酬',
  illness_fen: '大病医疗自付',
  more_fen: '没有报给单位的扣除',
} as const
type OtherIncomeField = keyof typeof otherIncomeLabels
const isOtherIncomeField = (name: string): name is OtherIncomeField => name in otherIncomeLabels
const otherIncomeFields: readonly OtherIncomeField[] = Object.keys(otherIncomeLabels).filter(isOtherIncomeField)

/** One employee's annual reconciliation with its steps; income from elsewhere can be tried out and is never stored. */
export function ReconciliationDrawer(props: { year: number; member_id: string | undefined; onClose: () => void }) {
  const { year, member_id, onClose } = props
  return (
    <Drawer open={member_id !== undefined} title={`${year} 年度汇算`} size="min(560px, 100vw)" onClose={onClose} destroyOnHidden>
      {member_id && <ReconciliationContent key={`${year} ${member_id}`} year={year} member_id={member_id} />}
    </Drawer>
  )
}

function ReconciliationContent({ year, member_id }: { year: number; member_id: string }) {
  const [otherIncome, setOtherIncome] = useState<Partial<Record<OtherIncomeField, number | undefined>>>({})
  const reconciliation = useQuery({
    ...callQuery(getReconciliationDetail, { year, member_id, ...otherIncome }),
    gcTime: 0,
    placeholderData: (before) => before,
    meta: { quiet: true },
  })
  const { data } = reconciliation
  if (!data)
    return reconciliation.error ? (
      <ErrorState error={reconciliation.error} retry={() => void reconciliation.refetch()} />
    ) : (
      <Skeleton rows={9} />
    )
  return (
    <div className={styles.person}>
      <div className="ui-row">
        <strong>{data.name}</strong>
        <span className="ui-label">{[data.employee_no, data.departments].filter((text) => text !== '').join(' · ')}</span>
      </div>
      <dl className={styles.details} aria-live="polite">
        <div>
          <dt>结果</dt>
          <dd>
            <ReconciliationDue of={data} />
          </dd>
        </div>
        <div>
          <dt>应纳税额</dt>
          <dd>
            <Money fen={data.tax_fen} />
          </dd>
        </div>
        <div>
          <dt>已预缴</dt>
          <dd>
            <Money fen={data.withheld_fen} />
          </dd>
        </div>
        {data.separate_fen !== null && (
          <div>
            <dt>奖金单独 / 并入</dt>
            <dd>
              <Money fen={data.separate_fen} /> / <Money fen={data.merged_fen} />
              <small className="ui-hint"> {formatBonusMethod(data)}</small>
            </dd>
          </div>
        )}
      </dl>
      {data.payment_exempt && data.exemption_limits && <p className="ui-label">{formatExemption(data.exemption_limits)}</p>}
      <h3>计算步骤</h3>
      <CalculationSteps steps={data.steps} />
      <h3>在别处的情况（试算，不保存）</h3>
      <div className={styles.fields}>
        {otherIncomeFields.map((field) => (
          <div key={field} className={taxStyles.told}>
            <span aria-hidden="true">{otherIncomeLabels[field]}</span>
            <AmountField
              label={otherIncomeLabels[field]}
              value={otherIncome[field] ?? null}
              onChange={(fen) => setOtherIncome((previous) => ({ ...previous, [field]: fen ?? undefined }))}
            />
          </div>
        ))}
      </div>
    </div>
  )
}
