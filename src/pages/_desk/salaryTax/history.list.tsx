import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button, Select } from 'antd'
import { useState } from 'react'
import { getHistoryList } from '../../../../server/contract/wage/tax/tax-history.ts'
import { holders } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import { CreatePeriod } from '../../../parts/tax/period/create-period.tsx'
import { PeriodTable } from '../../../parts/tax/period/period-table.tsx'
import { type PeriodSearch, periodSearch } from '../../../parts/tax/period/search.ts'
import { TaxTabs } from '../../../parts/tax/tabs.tsx'
import { WhatIf } from '../../../parts/tax/what-if/what-if.tsx'
import { YearEnd } from '../../../parts/tax/year/year-end.tsx'
import { begin, first } from '../../../routed/first.ts'
import { PageHead } from '../../../ui/page/page-head.tsx'

const listQuery = ({ page = 1, pagesize = 12, year }: PeriodSearch) =>
  query(getHistoryList, { page, pagesize, ...(year ? { year } : {}) })

export const Route = createFileRoute('/_desk/salaryTax/history/list')({
  validateSearch: periodSearch,
  staticData: { title: '个税申报', section: 'wage', who: holders('2') },
  loader: ({ route, location }) =>
    first(route, () => {
      const search = periodSearch(location.search)
      return !search.view && begin(listQuery(search))
    }),
  component: HistoryViews,
})

const years = (): number[] => {
  const now = new Date().getFullYear()
  return Array.from({ length: now - 2018 }, (_, at) => now - at)
}

function HistoryViews() {
  const search = Route.useSearch()
  if (search.view === 'year') return <YearEnd search={search} />
  return search.view === 'preview' ? <WhatIf /> : <HistoryList />
}

function HistoryList() {
  const search = Route.useSearch()
  const { year } = search
  const navigate = useNavigate()
  const [creating, setCreating] = useState(false)
  const asked = useQuery(listQuery(search))
  const filter = (next: number | undefined) => void navigate({ to: '/salaryTax/history/list', search: { year: next } })
  const begin = (type: 'primary' | 'default') => (
    <Button type={type} onClick={() => setCreating(true)}>
      新建一期
    </Button>
  )
  return (
    <div className="ui-page">
      <PageHead title="个税申报" action={begin('primary')}>
        <TaxTabs at="periods" />
        <Select
          aria-label="年份"
          placeholder="全部年份"
          allowClear
          style={{ width: 140 }}
          value={year ?? null}
          options={years().map((value) => ({ value, label: `${value} 年` }))}
          onChange={(value) => filter(value ?? undefined)}
        />
      </PageHead>
      <PeriodTable
        asked={asked}
        empty={
          year
            ? {
                drawing: 'search',
                text: `${year} 年还没有税款期间。`,
                action: <Button onClick={() => filter(undefined)}>看全部年份</Button>,
              }
            : {
                drawing: 'sheet',
                text: '还没有税款期间。选择发工资的月份新建一期，从已发送的工资批次取入收入，计算后导出申报表。',
                action: begin('default'),
              }
        }
      />
      {creating && <CreatePeriod onClose={() => setCreating(false)} />}
    </div>
  )
}
