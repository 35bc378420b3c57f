import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { getMemberTaxDetail } from '../../../../server/contract/tax/history.ts'
import { canTaxPeriod } from '../../../../server/contract/tax/statuses.ts'
import { callQuery } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { Drawer } from '../../../components/overlay/layers.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import { Money } from '../../../components/value/money.tsx'
import { IncomeDialog } from '../income/income-dialog.tsx'
import { CalculationSteps } from '../steps.tsx'
import { amountLabels, amountNames, type MemberTaxDetail, type PeriodDetail } from './labels.ts'
import styles from './period.module.css'
import { TaxYearDialog } from './year-dialog.tsx'

/** One employee in a period: inputs, each calculation step with its legal source, and earlier months. */
export function MemberTaxDrawer(props: { period: PeriodDetail; member_id: string | undefined; onClose: () => void }) {
  const { period, member_id, onClose } = props
  return (
    <Drawer
      open={member_id !== undefined}
      title={`${formatMonth(period.month)} 计税明细`}
      size="min(560px, 100vw)"
      onClose={onClose}
      destroyOnHidden
    >
      {member_id && <MemberTaxContent key={member_id} period={period} member_id={member_id} />}
    </Drawer>
  )
}

function MemberTaxContent({ period, member_id }: { period: PeriodDetail; member_id: string }) {
  const { period_id, status } = period
  const taxDetail = useQuery({ ...callQuery(getMemberTaxDetail, { period_id, member_id }), gcTime: 0, meta: { quiet: true } })
  const [openDialog, setOpenDialog] = useState<'income' | 'year' | null>(null)
  const { data } = taxDetail
  if (!data)
    return taxDetail.error ? <ErrorState error={taxDetail.error} retry={() => void taxDetail.refetch()} /> : <Skeleton rows={9} />
  const close = () => setOpenDialog(null)
  return (
    <div className={styles.person}>
      <div className="ui-row">
        <strong>{data.name}</strong>
        <span className="ui-label">{[data.employee_no, data.departments].filter((text) => text !== '').join(' · ')}</span>
      </div>
      <TaxSummary person={data} />
      <TaxSteps person={data} />
      <h3>本期收入和扣除</h3>
      <IncomeAmounts person={data} />
      <PreviousMonths person={data} />
      <h3>本年情况</h3>
      <TaxYearDetails person={data} />
      <div className={styles.foot}>
        <Button onClick={() => setOpenDialog('year')}>修改本年情况</Button>
        <ActionButton allowed={canTaxPeriod.edit(status)} onClick={() => setOpenDialog('income')}>
          修改收入和扣除
        </ActionButton>
      </div>
      {openDialog === 'income' && <IncomeDialog period={period} member={data} onClose={close} />}
      {openDialog === 'year' && <TaxYearDialog period={period} person={data} onClose={close} />}
    </div>
  )
}

function TaxSummary({ person: { result, sheet_tax_fen, bonus_fen } }: { person: MemberTaxDetail }) {
  if (!result) return <p className="ui-label">还没有计算；在「核对」里点「计算」。</p>
  if (result.refused) return <p className={styles.refused}>{result.refused}</p>
  return (
    <dl className={styles.details}>
      <div>
        <dt>本期应扣个税</dt>
        <dd>
          <Money fen={result.tax_fen} strong />
        </dd>
      </div>
      {bonus_fen !== 0 && (
        <div>
          <dt>奖金应扣个税</dt>
          <dd>
            <Money fen={result.bonus_tax_fen} strong />
          </dd>
        </div>
      )}
      {sheet_tax_fen !== null && (
        <div>
          <dt>工资表扣的</dt>
          <dd>
            <Money fen={sheet_tax_fen} />
          </dd>
        </div>
      )}
      {result.credit_fen > 0 && (
        <div>
          <dt>留抵，年度汇算处理</dt>
          <dd>
            <Money fen={result.credit_fen} />
          </dd>
        </div>
      )}
    </dl>
  )
}

function TaxSteps({ person: { steps, bonus_steps, notes } }: { person: MemberTaxDetail }) {
  return (
    <>
      {steps.length > 0 && (
        <>
          <h3>计算步骤</h3>
          <CalculationSteps steps={steps} />
        </>
      )}
      {bonus_steps.length > 0 && (
        <>
          <h3>全年一次性奖金</h3>
          <CalculationSteps steps={bonus_steps} />
        </>
      )}
      {notes.length > 0 && (
        <>
          <h3>扣除和社保怎么来的</h3>
          <ul className={styles.notes}>
            {notes.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

const IncomeAmounts = ({ person: { amounts, is_manual } }: { person: MemberTaxDetail }) => (
  <>
    <dl className={styles.details}>
      {amountNames
        .filter((name) => name === 'income_fen' || (amounts[name] !== null && amounts[name] !== 0))
        .map((name) => (
          <div key={name}>
            <dt>{amountLabels[name]}</dt>
            <dd>
              <Money fen={amounts[name]} />
            </dd>
          </div>
        ))}
    </dl>
    {is_manual && <p className="ui-hint">有手工填写的内容</p>}
  </>
)

function PreviousMonths({ person: { months } }: { person: MemberTaxDetail }) {
  if (months.length === 0) return null
  return (
    <>
      <h3>本年以前月份</h3>
      <table className={styles.months}>
        <thead>
          <tr>
            <th scope="col">月份</th>
            <th scope="col">收入</th>
            <th scope="col">累计应纳税额</th>
            <th scope="col">已扣</th>
          </tr>
        </thead>
        <tbody>
          {months.map((item) => (
            <tr key={item.month}>
              <td>{item.month}</td>
              <td>
                <Money fen={item.income_fen} />
              </td>
              <td>
                <Money fen={item.cum_tax_fen} />
              </td>
              <td>
                <Money fen={item.withheld_fen} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function TaxYearDetails({ person: member }: { person: MemberTaxDetail }) {
  const { hire_month, leave_month, first_income_of_year, prior_year_under_60000, opening } = member
  const texts = [
    hire_month ? `入职 ${hire_month}` : '花名册里没有入职日期',
    leave_month && `离职 ${leave_month}`,
    first_income_of_year && '当年首次取得工资',
    prior_year_under_60000 && '上年收入不超过六万元',
    opening && `有截至 ${opening.through_month} 月的期初累计`,
  ].filter((text) => typeof text === 'string')
  return <p className="ui-label">{texts.join(' · ')}</p>
}
