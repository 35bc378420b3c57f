import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { getPersonTax } from '../../../../server/contract/wage/tax/tax-history.ts'
import { canTax } from '../../../../server/contract/wage/tax/tax-states.ts'
import { query } from '../../../api.ts'
import { Act } from '../../../ui/act.tsx'
import { Drawer } from '../../../ui/over/layers.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { monthName } from '../../../ui/value/dates.ts'
import { Money } from '../../../ui/value/money.tsx'
import { IncomeDialog } from '../income/income-dialog.tsx'
import { SaidSteps } from '../steps.tsx'
import styles from './period.module.css'
import { amountNames, amountWords, type PeriodHead, type PersonTax } from './words.ts'
import { YearDialog } from './year-dialog.tsx'

/** One person in a month: what went in, each step with its paragraph, the months before. */
export function PersonDrawer(props: { period: PeriodHead; member_id: string | undefined; onClose: () => void }) {
  const { period, member_id, onClose } = props
  return (
    <Drawer
      open={member_id !== undefined}
      title={`${monthName(period.month)} 个税怎么来的`}
      size="min(560px, 100vw)"
      onClose={onClose}
      destroyOnHidden
    >
      {member_id && <Person key={member_id} period={period} member_id={member_id} />}
    </Drawer>
  )
}

function Person({ period, member_id }: { period: PeriodHead; member_id: string }) {
  const { period_id, status } = period
  const asked = useQuery({ ...query(getPersonTax, { period_id, member_id }), gcTime: 0, meta: { quiet: true } })
  const [doing, setDoing] = useState<'income' | 'year' | null>(null)
  const { data } = asked
  if (!data) return asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={9} />
  const close = () => setDoing(null)
  return (
    <div className={styles.person}>
      <div className="ui-row">
        <strong>{data.name}</strong>
        <span className="ui-label">{[data.employee_no, data.departments].filter((one) => one !== '').join(' · ')}</span>
      </div>
      <Facts person={data} />
      <Steps person={data} />
      <h3>本期收入和扣除</h3>
      <Amounts person={data} />
      <Months person={data} />
      <h3>本年情况</h3>
      <Year person={data} />
      <div className={styles.foot}>
        <Button onClick={() => setDoing('year')}>修改本年情况</Button>
        <Act verdict={canTax.edit(status)} onClick={() => setDoing('income')}>
          修改收入和扣除
        </Act>
      </div>
      {doing === 'income' && <IncomeDialog period={period} person={data} onClose={close} />}
      {doing === 'year' && <YearDialog period={period} person={data} onClose={close} />}
    </div>
  )
}

function Facts({ person: { result, sheet_tax_fen, bonus_fen } }: { person: PersonTax }) {
  if (!result) return <p className="ui-label">还没有计算；在「核对」里点「计算」。</p>
  if (result.refused) return <p className={styles.refused}>{result.refused}</p>
  return (
    <dl className={styles.facts}>
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

function Steps({ person: { steps, bonus_steps, notes } }: { person: PersonTax }) {
  return (
    <>
      {steps.length > 0 && (
        <>
          <h3>计算步骤</h3>
          <SaidSteps steps={steps} />
        </>
      )}
      {bonus_steps.length > 0 && (
        <>
          <h3>全年一次性奖金</h3>
          <SaidSteps steps={bonus_steps} />
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

const Amounts = ({ person: { amounts, by_hand } }: { person: PersonTax }) => (
  <>
    <dl className={styles.facts}>
      {amountNames
        .filter((one) => one === 'income_fen' || (amounts[one] !== null && amounts[one] !== 0))
        .map((one) => (
          <div key={one}>
            <dt>{amountWords[one]}</dt>
            <dd>
              <Money fen={amounts[one]} />
            </dd>
          </div>
        ))}
    </dl>
    {by_hand && <p className="ui-hint">有手工填写的内容</p>}
  </>
)

function Months({ person: { months } }: { person: PersonTax }) {
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
          {months.map((one) => (
            <tr key={one.month}>
              <td>{one.month}</td>
              <td>
                <Money fen={one.income_fen} />
              </td>
              <td>
                <Money fen={one.cum_tax_fen} />
              </td>
              <td>
                <Money fen={one.withheld_fen} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function Year({ person }: { person: PersonTax }) {
  const { hire_month, leave_month, first_income_of_year, prior_year_under_60000, opening } = person
  const said = [
    hire_month ? `入职 ${hire_month}` : '花名册里没有入职日期',
    leave_month && `离职 ${leave_month}`,
    first_income_of_year && '当年首次取得工资',
    prior_year_under_60000 && '上年收入不超过六万元',
    opening && `有截至 ${opening.through_month} 月的期初累计`,
  ].filter((one) => typeof one === 'string')
  return <p className="ui-label">{said.join(' · ')}</p>
}
