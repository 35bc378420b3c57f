import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button, Select } from 'antd'
import { useState } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import { getHistoryList } from '../../../../server/contract/tax/history.ts'
import { callQuery } from '../../../api.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { SectionTabs } from '../../../components/page/section-tabs.tsx'
import { CreatePeriodDialog } from '../../../features/tax/period/create-period.tsx'
import { PeriodTable } from '../../../features/tax/period/period-table.tsx'
import { type PeriodSearch, parsePeriodSearch } from '../../../features/tax/period/search.ts'
import { TaxTabs } from '../../../features/tax/tabs.tsx'
import { TaxPreview } from '../../../features/tax/what-if/tax-preview.tsx'
import { ReconciliationList } from '../../../features/tax/year/reconciliation.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

const periodListQuery = ({ page = 1, pagesize = 12, year }: PeriodSearch) =>
  callQuery(getHistoryList, { page, pagesize, ...(year ? { year } : {}) })

export const Route = createFileRoute('/_desk/salaryTax/history/list')({
  validateSearch: parsePeriodSearch,
  staticData: { title: '个税申报', section: 'wage', who: requirePower('2') },
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const search = parsePeriodSearch(location.search)
      return !search.view && prefetchQuery(periodListQuery(search))
    }),
  component: HistoryViews,
})

const listYears = (): number[] => {
  const currentYear = new Date().getFullYear()
  return Array.from({ length: currentYear - 2018 }, (_, index) => currentYear - index)
}

function HistoryViews() {
  const search = Route.useSearch()
  if (search.view === 'year') return <ReconciliationList search={search} />
  return search.view === 'preview' ? <TaxPreview /> : <PeriodList />
}

function PeriodList() {
  const search = Route.useSearch()
  const { year } = search
  const navigate = useNavigate()
  const [isCreateOpen, setCreateOpen] = useState(false)
  const periods = useQuery(periodListQuery(search))
  const filter = (next: number | undefined) => void navigate({ to: '/salaryTax/history/list', search: { year: next } })
  const renderCreateButton = (type: 'primary' | 'default') => (
    <Button type={type} onClick={() => setCreateOpen(true)}>
      新建一期
    </Button>
  )
  return (
    <div className="ui-page">
      <SectionTabs section="wages" at="tax" />
      <PageHeader title="个税申报" action={renderCreateButton('primary')}>
        <TaxTabs at="periods" />
        <Select
          aria-label="年份"
          placeholder="全部年份"
          allowClear
          style={{ width: 140 }}
          value={year ?? null}
          options={listYears().map((value) => ({ value, label: `${value} 年` }))}
          onChange={(value) => filter(value ?? undefined)}
        />
      </PageHeader>
      <PeriodTable
        requested={periods}
        empty={
          year
            ? {
                illustration: 'search',
                text: `${year} 年还没有税款期间。`,
                action: <Button onClick={() => filter(undefined)}>看全部年份</Button>,
              }
            : {
                illustration: 'sheet',
                text: '还没有税款期间。选择发工资的月份新建一期，从已发送的工资批次引入收入，计算后导出申报表。',
                action: renderCreateButton('default'),
              }
        }
      />
      {isCreateOpen && <CreatePeriodDialog onClose={() => setCreateOpen(false)} />}
    </div>
  )
}
