import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { canTax } from '../../../../server/contract/wage/tax/tax-states.ts'
import { holders } from '../../../../server/contract/who.ts'
import { AddPerson } from '../../../parts/tax/income/add-person.tsx'
import { incomeColumns } from '../../../parts/tax/income/income-columns.tsx'
import { IncomeDialog } from '../../../parts/tax/income/income-dialog.tsx'
import { RemovePerson } from '../../../parts/tax/income/remove-person.tsx'
import { Sources } from '../../../parts/tax/income/sources.tsx'
import styles from '../../../parts/tax/period/period.module.css'
import { PeriodPage } from '../../../parts/tax/period/period-page.tsx'
import { peopleQuery, periodQuery } from '../../../parts/tax/period/queries.ts'
import { periodSearch } from '../../../parts/tax/period/search.ts'
import type { PeriodHead, TaxPerson } from '../../../parts/tax/period/words.ts'
import { begin, first } from '../../../routed/first.ts'
import { Act } from '../../../ui/act.tsx'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'

export const Route = createFileRoute('/_desk/salaryTax/add/update')({
  validateSearch: periodSearch,
  staticData: { title: '本期收入', section: 'wage', who: holders('2') },
  loader: ({ route, location }) =>
    first(route, () => {
      const { id, ...search } = periodSearch(location.search)
      return id && [begin(periodQuery(id)), begin(peopleQuery(id, search))]
    }),
  component: Update,
})

function Update() {
  const { id } = Route.useSearch()
  return (
    <PeriodPage
      id={id}
      title="收入"
      renderAction={({ period_id, people }) =>
        people > 0 && (
          <Link to="/salaryTax/add/check" search={{ id: period_id }}>
            <Button type="primary" tabIndex={-1}>{`核对 ${people} 人`}</Button>
          </Link>
        )
      }
    >
      {(period) => (
        <>
          <Sources period={period} />
          <Incomes period={period} />
        </>
      )}
    </PeriodPage>
  )
}

type Doing = { what: 'edit' | 'remove'; person: TaxPerson } | { what: 'add' } | null

function Incomes({ period }: { period: PeriodHead }) {
  const search = Route.useSearch()
  const { name } = search
  const { period_id, status } = period
  const navigate = useNavigate()
  const [doing, setDoing] = useState<Doing>(null)
  const close = () => setDoing(null)
  const asked = useQuery(peopleQuery(period_id, search))
  const may = canTax.edit(status)
  return (
    <section className="ui-card" aria-labelledby="period-incomes">
      <h2 id="period-incomes">人员收入</h2>
      <div className={`ui-row ${styles.tools}`}>
        <SearchBox
          value={name}
          placeholder="搜索姓名、工号"
          onSearch={(text) => void navigate({ to: '/salaryTax/add/update', search: { id: period_id, name: text } })}
        />
        <Act verdict={may} onClick={() => setDoing({ what: 'add' })}>
          手工添加
        </Act>
      </div>
      <DataTable
        asked={asked}
        columns={incomeColumns(may, (what, person) => setDoing({ what, person }))}
        rowKey="member_id"
        unit="人"
        label="人员收入"
        empty={
          name
            ? { drawing: 'search', text: '没有找到这个人，换个姓名或工号试试。' }
            : { drawing: 'people', text: '还没有人。从上面取入一批工资，或手工添加。' }
        }
      />
      {doing?.what === 'edit' && <IncomeDialog period={period} person={doing.person} onClose={close} />}
      {doing?.what === 'remove' && <RemovePerson period={period} person={doing.person} onClose={close} />}
      {doing?.what === 'add' && <AddPerson period={period} onClose={close} />}
    </section>
  )
}
