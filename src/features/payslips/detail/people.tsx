import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { getDepartList } from '../../../../server/contract/directory/members.ts'
import { callQuery } from '../../../api.ts'
import { FilterTag } from '../../../components/page/filter-tag.tsx'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { SegmentedBar } from '../../../components/state/progress.tsx'
import { DataTable } from '../../../components/table/data-table.tsx'
import type { RowAction } from '../../../components/table/row-menu.tsx'
import { TreePicker } from '../../../components/tree/tree-picker.tsx'
import { detailStatusLabels, getBatchStatistics } from '../batch/batch-head.tsx'
import { type BatchDetail, findDepartmentName, getProgressSegments, type PayslipListItem } from '../labels.ts'
import { createDetailColumns } from './detail-columns.tsx'
import type { DetailSearch } from './search.ts'
import { ColumnsPicker, useSelectedColumns } from './selected-columns.tsx'

/** The query result for one batch, as returned by `useQuery`. */
export type DetailQuery = {
  data: BatchDetail | undefined
  error: unknown
  isFetching: boolean
  dataUpdatedAt: number
  refetch: () => unknown
}
type DetailPeopleProps = {
  search: DetailSearch
  detailQuery: DetailQuery
  data: BatchDetail
  filter: (change: Partial<DetailSearch>) => void
  getActions: (line: PayslipListItem) => RowAction[]
  onOpen: (line: PayslipListItem) => void
  /** Leads to the recipients who have no payslip yet. */
  onUnsent: () => void
  onLog: () => void
}

export function BatchPayslips({ search, detailQuery, data, filter, getActions, onOpen, onUnsent, onLog }: DetailPeopleProps) {
  const { status, name, department_id } = search
  const { batch, columns } = data
  const { selected, choose: select, reset } = useSelectedColumns()
  const filtered = Boolean(status || name || department_id)
  return (
    <>
      <StatisticCards
        items={getBatchStatistics(batch)}
        selected={status ?? null}
        onChoose={(key) => (key === 'unsent' ? onUnsent() : filter({ status: key ?? undefined }))}
      />
      <section className="ui-card ui-stack">
        <SegmentedBar sections={getProgressSegments(batch.counts)} total={batch.counts.total + batch.counts.unsent} labels />
        <div className="ui-row">
          <DetailFilters search={search} filter={filter} />
          <span className="ui-grow" />
          <Button onClick={onLog}>修改记录</Button>
          <ColumnsPicker columns={columns} selected={selected} onChoose={select} onReset={reset} />
        </div>
        <DataTable
          requested={detailQuery}
          columns={createDetailColumns({ columns, selected, getActs: getActions, batch, onOpen })}
          rowKey="salary_id"
          unit="人"
          compact
          label="工资条"
          empty={{
            illustration: 'search',
            text: filtered ? '没有符合条件的人。' : '这一批里没有人。',
            action: filtered && (
              <Button onClick={() => filter({ status: undefined, name: undefined, department_id: undefined })}>清除筛选</Button>
            ),
          }}
        />
      </section>
    </>
  )
}

function DetailFilters({ search: { status, name, department_id }, filter }: Pick<DetailPeopleProps, 'search' | 'filter'>) {
  const departments = useQuery(callQuery(getDepartList, {})).data?.list ?? []
  const department = findDepartmentName(departments, department_id)
  return (
    <>
      <SearchBox value={name} placeholder="搜索姓名" width={200} onSearch={(text) => filter({ name: text })} />
      <div style={{ width: 200 }}>
        <label htmlFor="department" className="sr-only">
          部门
        </label>
        <TreePicker
          id="department"
          tree={departments}
          placeholder="全部部门"
          value={department_id}
          onChange={(id) => filter({ department_id: id })}
        />
      </div>
      {status && <FilterTag onRemove={() => filter({ status: undefined })}>{detailStatusLabels[status]}</FilterTag>}
      {name && <FilterTag onRemove={() => filter({ name: undefined })}>{`姓名：${name}`}</FilterTag>}
      {department && <FilterTag onRemove={() => filter({ department_id: undefined })}>{department}</FilterTag>}
    </>
  )
}
