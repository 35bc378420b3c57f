import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { getDepartList } from '../../../../server/contract/people/member.ts'
import { query } from '../../../api.ts'
import { FilterTag } from '../../../ui/page/filter-tag.tsx'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { PartsBar } from '../../../ui/state/progress.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import type { RowAct } from '../../../ui/table/row-menu.tsx'
import { TreePicker } from '../../../ui/tree/tree-picker.tsx'
import { figures, figureWords } from '../batch/batch-head.tsx'
import { type Detail, nameOfDepartment, partsOf, type SlipLine } from '../words.ts'
import { ColumnsPicker, useChosenColumns } from './chosen-columns.tsx'
import { detailColumns } from './detail-columns.tsx'
import type { DetailSearch } from './search.ts'

/** The answer about one batch, as `useQuery` gives it. */
export type DetailAsked = {
  data: Detail | undefined
  error: unknown
  isFetching: boolean
  dataUpdatedAt: number
  refetch: () => unknown
}
type Props = {
  search: DetailSearch
  asked: DetailAsked
  data: Detail
  filter: (change: Partial<DetailSearch>) => void
  actsOf: (line: SlipLine) => RowAct[]
  onOpen: (line: SlipLine) => void
  onLog: () => void
}

/** How a batch stands in figures, and whose slips are in it. */
export function DetailPeople({ search, asked, data, filter, actsOf, onOpen, onLog }: Props) {
  const { status, name, department_id } = search
  const { batch, columns } = data
  const { chosen, choose, reset } = useChosenColumns()
  const filtered = Boolean(status || name || department_id)
  return (
    <>
      <Numbers items={figures(batch)} chosen={status ?? null} onChoose={(key) => filter({ status: key ?? undefined })} />
      <section className="ui-card ui-stack">
        <PartsBar parts={partsOf(batch.counts)} total={batch.counts.total} words />
        <div className="ui-row">
          <Filters search={search} filter={filter} />
          <span className="ui-grow" />
          <Button onClick={onLog}>修改记录</Button>
          <ColumnsPicker columns={columns} chosen={chosen} onChoose={choose} onReset={reset} />
        </div>
        <DataTable
          asked={asked}
          columns={detailColumns({ columns, chosen, actsOf, batch, onOpen })}
          rowKey="salary_id"
          unit="人"
          label="工资条"
          empty={{
            drawing: 'search',
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

function Filters({ search: { status, name, department_id }, filter }: Pick<Props, 'search' | 'filter'>) {
  const departments = useQuery(query(getDepartList, {})).data?.list ?? []
  const department = nameOfDepartment(departments, department_id)
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
      {status && <FilterTag onRemove={() => filter({ status: undefined })}>{figureWords[status]}</FilterTag>}
      {name && <FilterTag onRemove={() => filter({ name: undefined })}>{`姓名：${name}`}</FilterTag>}
      {department && <FilterTag onRemove={() => filter({ department_id: undefined })}>{department}</FilterTag>}
    </>
  )
}
