import { useQuery } from '@tanstack/react-query'
import { Button, Radio, Select } from 'antd'
import { type Key, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getSendPlan } from '../../../../server/contract/payslips/send.ts'
import { getPreviewMember } from '../../../../server/contract/sheets/sheet.ts'
import { callQuery } from '../../../api.ts'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { type Columns, DataTable } from '../../../components/table/data-table.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { Money } from '../../../components/value/money.tsx'
import styles from '../send.module.css'

type PreviewMember = CallOutput<typeof getPreviewMember>['list'][number]

const memberColumns: Columns<PreviewMember> = [
  { title: '行', dataIndex: 'row', width: 72, className: 'ui-nowrap', card: 'named' },
  { title: '姓名', fixed: 'left', dataIndex: 'name' },
  { title: '部门', dataIndex: 'department', card: 'line' },
  { title: '实发', dataIndex: 'net_fen', align: 'right', card: 'side', render: (fen: number | null) => <Money fen={fen} /> },
]

type RowNumbers = readonly number[]
const updateRows = (rows: RowNumbers, { add = [], drop: remove = [] }: { add?: RowNumbers; drop?: RowNumbers }): number[] => {
  const removed = new Set(remove)
  return [...new Set([...rows, ...add])].filter((row) => !removed.has(row)).toSorted((a, b) => a - b)
}

/** All recipients, or a selection from a list or by department. `rows` null means all. */
export function SendRecipients(props: {
  batch_id: string
  isRest: boolean
  people: number
  rows: RowNumbers | null
  onRows: (rows: number[] | null) => void
}) {
  const { batch_id, isRest, people: totalCount, rows, onRows } = props
  const [name, setName] = useState<string>()
  const [pagination, setPagination] = useState({ page: 1, pagesize: 10 })
  const isSelection = rows !== null
  const members = useQuery({
    ...callQuery(getPreviewMember, { batch_id, ...pagination, ...(name ? { name } : {}) }),
    enabled: isSelection,
    placeholderData: (old) => old,
  })
  return (
    <section className="ui-card ui-stack" aria-labelledby="who">
      <h2 id="who">发给谁</h2>
      <Radio.Group value={isSelection ? 'some' : 'all'} onChange={(event) => onRows(event.target.value === 'all' ? null : [])}>
        <Radio value="all">
          {isRest ? '其余' : '全部'} {formatCount(totalCount)} 人
        </Radio>
        <Radio value="some">只发给一部分人{isSelection && `（已选 ${formatCount(rows.length)} 人）`}</Radio>
      </Radio.Group>
      {isSelection && (
        <div>
          <div className={`ui-row ${styles.choose}`}>
            <DepartmentSelect batch_id={batch_id} rows={rows} onRows={onRows} />
            <SearchBox
              value={name}
              placeholder="搜索姓名"
              onSearch={(next) => {
                setName(next)
                setPagination({ ...pagination, page: 1 })
              }}
            />
            {rows.length > 0 && <Button onClick={() => onRows([])}>清空已选</Button>}
          </div>
          <DataTable
            requested={members}
            columns={memberColumns}
            rowKey="row"
            unit="人"
            compact
            label="选择接收人"
            empty={{ illustration: 'people', text: name ? `没有叫「${name}」的人` : '这批工资条里没有人' }}
            onPage={(page, pagesize) => setPagination({ page, pagesize })}
            selected={{
              keys: [...rows] satisfies Key[],
              onChange: (keys) => onRows(keys.map(Number)),
              getLabel: ({ name }) => `选择 ${name}`,
            }}
          />
        </div>
      )}
    </section>
  )
}

/** A department is selected if all of its employees are: selecting it adds them, deselecting it removes them. */
function DepartmentSelect({ batch_id, rows, onRows }: { batch_id: string; rows: RowNumbers; onRows: (rows: number[]) => void }) {
  const { data } = useQuery(callQuery(getSendPlan, { batch_id, channels: ['link'], departments: true }))
  const departments = data?.departments ?? []
  const selectedRows = new Set(rows)
  const getRows = (name: unknown): RowNumbers => departments.find((item) => item.name === name)?.rows ?? []
  return (
    <Select
      mode="multiple"
      className="ui-grow"
      aria-label="按部门选择"
      placeholder="按部门选择"
      loading={!data}
      maxTagCount="responsive"
      optionFilterProp="label"
      value={departments.filter((department) => department.rows.every((row) => selectedRows.has(row))).map(({ name }) => name)}
      options={departments.map((department) => ({
        value: department.name,
        label: `${department.name || '没有部门'}（${formatCount(department.rows.length)} 人）`,
      }))}
      onSelect={(name) => onRows(updateRows(rows, { add: getRows(name) }))}
      onDeselect={(name) => onRows(updateRows(rows, { drop: getRows(name) }))}
    />
  )
}
