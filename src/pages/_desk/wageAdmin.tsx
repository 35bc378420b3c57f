import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button, DatePicker, Select } from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import { requirePower } from '../../../server/contract/access.ts'
import { getWageList } from '../../../server/contract/payslips/send.ts'
import { batchStatuses } from '../../../server/contract/shared/schemas.ts'
import { batchStatusLabels } from '../../../server/contract/shared/statuses.ts'
import { fetchCache } from '../../../server/contract/sheets/sheet.ts'
import { callQuery } from '../../api.ts'
import { FilterTag } from '../../components/page/filter-tag.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { SearchBox } from '../../components/page/search-box.tsx'
import { SectionTabs } from '../../components/page/section-tabs.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { type BatchListSearch, parseBatchListSearch } from '../../features/payslips/labels.ts'
import { BatchTable, batchListQuery } from '../../features/payslips/list/batches.tsx'
import { EvidenceDialog } from '../../features/payslips/list/evidence-dialog.tsx'
import { TitleTable, titleListQuery } from '../../features/payslips/list/titles.tsx'
import { prefetchPage, prefetchQuery } from '../../routed/prefetch.ts'

export const Route = createFileRoute('/_desk/wageAdmin')({
  validateSearch: parseBatchListSearch,
  staticData: { title: '工资条管理', section: 'wage', who: requirePower('2') },
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const search = parseBatchListSearch(location.search)
      return search.view
        ? prefetchQuery(titleListQuery(search))
        : [prefetchQuery(batchListQuery(search)), prefetchQuery(callQuery(fetchCache, {}))]
    }),
  component: WageAdmin,
})

const viewLabels = { batches: '按批次', titles: '按标题' } as const

function WageAdmin() {
  const search = Route.useSearch()
  const { month, status, name, title_id, view } = search
  const navigate = useNavigate()
  const [isExportOpen, setExportOpen] = useState(false)
  const filter = (change: Partial<BatchListSearch>) =>
    void navigate({ to: '/wageAdmin', search: { ...search, page: undefined, ...change } })
  const clear = () => void navigate({ to: '/wageAdmin', search: { view } })
  return (
    <div className="ui-page">
      <SectionTabs section="wages" at="payslips" />
      <PageHeader
        title="工资条管理"
        action={
          <>
            {!view && <Button onClick={() => setExportOpen(true)}>导出证据</Button>}
            <Link to="/wageSend1">
              <Button type="primary" tabIndex={-1}>
                发工资条
              </Button>
            </Link>
          </>
        }
      >
        <Tabs
          label="怎样列出"
          at={view ?? 'batches'}
          labels={viewLabels}
          onGo={(to) => filter({ view: to === 'titles' ? to : undefined, status: undefined, title_id: undefined })}
        />
        <DatePicker
          picker="month"
          aria-label="工资月份"
          placeholder="工资月份"
          value={month ? dayjs(`${month}-01`) : null}
          onChange={(value) => filter({ month: value ? value.format('YYYY-MM') : undefined })}
        />
        {!view && (
          <Select
            aria-label="状态"
            placeholder="全部状态"
            allowClear
            style={{ width: 140 }}
            value={status ?? null}
            options={batchStatuses.map((value) => ({ value, label: batchStatusLabels[value].label }))}
            onChange={(value) => filter({ status: value ?? undefined })}
          />
        )}
        <SearchBox
          value={name}
          placeholder={view ? '搜索标题' : '搜索标题或文件名'}
          onSearch={(text) => filter({ name: text })}
        />
        {name && <FilterTag onRemove={() => filter({ name: undefined })}>{`搜索：${name}`}</FilterTag>}
        {title_id && <TitleFilterTag title_id={title_id} onRemove={() => filter({ title_id: undefined })} />}
      </PageHeader>
      {isExportOpen && <EvidenceDialog month={month} onClose={() => setExportOpen(false)} />}
      {view ? <TitleTable search={search} onClear={clear} /> : <BatchTable search={search} onClear={clear} />}
    </div>
  )
}

/** The filter by pay run title, shown with its name. */
function TitleFilterTag({ title_id, onRemove }: { title_id: string; onRemove: () => void }) {
  const first = useQuery(callQuery(getWageList, { title_id, page: 1, pagesize: 1 })).data?.list[0]
  return <FilterTag onRemove={onRemove}>{first?.title ? `标题：${first.title}` : '一个标题'}</FilterTag>
}
