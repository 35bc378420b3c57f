import { useQuery } from '@tanstack/react-query'
import { Button, Radio, Select } from 'antd'
import { type Key, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getPreviewMember } from '../../../../server/contract/sheet/sheet.ts'
import { getSendPlan } from '../../../../server/contract/slip/slip.ts'
import { query } from '../../../api.ts'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'
import { Money } from '../../../ui/value/money.tsx'
import styles from '../send.module.css'

type Person = OutputOf<typeof getPreviewMember>['list'][number]

const columns: Columns<Person> = [
  { title: '行', dataIndex: 'row', width: 72, className: 'ui-nowrap', card: 'named' },
  { title: '姓名', fixed: 'left', dataIndex: 'name' },
  { title: '部门', dataIndex: 'department', card: 'line' },
  { title: '实发', dataIndex: 'net_fen', align: 'right', card: 'side', render: (fen: number | null) => <Money fen={fen} /> },
]

type Rows = readonly number[]
const changed = (rows: Rows, { add = [], drop = [] }: { add?: Rows; drop?: Rows }): number[] => {
  const gone = new Set(drop)
  return [...new Set([...rows, ...add])].filter((row) => !gone.has(row)).toSorted((a, b) => a - b)
}

/** Everybody, or people chosen from a list or by department. `rows` null means everybody. */
export function SendWho(props: { batch_id: string; people: number; rows: Rows | null; onRows: (rows: number[] | null) => void }) {
  const { batch_id, people, rows, onRows } = props
  const [name, setName] = useState<string>()
  const [at, setAt] = useState({ page: 1, pagesize: 10 })
  const some = rows !== null
  const asked = useQuery({
    ...query(getPreviewMember, { batch_id, ...at, ...(name ? { name } : {}) }),
    enabled: some,
    placeholderData: (old) => old,
  })
  return (
    <section className="ui-card ui-stack" aria-labelledby="who">
      <h2 id="who">发给谁</h2>
      <Radio.Group value={some ? 'some' : 'all'} onChange={(event) => onRows(event.target.value === 'all' ? null : [])}>
        <Radio value="all">全部 {people} 人</Radio>
        <Radio value="some">只发给一部分人{some && `（已选 ${rows.length} 人）`}</Radio>
      </Radio.Group>
      {some && (
        <div>
          <div className={`ui-row ${styles.choose}`}>
            <ByDepartment batch_id={batch_id} rows={rows} onRows={onRows} />
            <SearchBox
              value={name}
              placeholder="搜索姓名"
              onSearch={(next) => {
                setName(next)
                setAt({ ...at, page: 1 })
              }}
            />
            {rows.length > 0 && <Button onClick={() => onRows([])}>清空已选</Button>}
          </div>
          <DataTable
            asked={asked}
            columns={columns}
            rowKey="row"
            unit="人"
            compact
            label="选择发给谁"
            empty={{ drawing: 'people', text: name ? `没有叫「${name}」的人` : '这批工资条里没有人' }}
            onPage={(page, pagesize) => setAt({ page, pagesize })}
            chosen={{
              keys: [...rows] satisfies Key[],
              onChange: (keys) => onRows(keys.map(Number)),
              nameOf: ({ name }) => `选择 ${name}`,
            }}
          />
        </div>
      )}
    </section>
  )
}

/** A department is chosen when all of its people are: ticking one adds them, taking it away drops them. */
function ByDepartment({ batch_id, rows, onRows }: { batch_id: string; rows: Rows; onRows: (rows: number[]) => void }) {
  const { data } = useQuery(query(getSendPlan, { batch_id, channels: ['link'], departments: true }))
  const departments = data?.departments ?? []
  const chosen = new Set(rows)
  const rowsOf = (name: unknown): Rows => departments.find((one) => one.name === name)?.rows ?? []
  return (
    <Select
      mode="multiple"
      className="ui-grow"
      aria-label="按部门选择"
      placeholder="按部门选择"
      loading={!data}
      maxTagCount="responsive"
      optionFilterProp="label"
      value={departments.filter((one) => one.rows.every((row) => chosen.has(row))).map(({ name }) => name)}
      options={departments.map((one) => ({
        value: one.name,
        label: `${one.name || '没有部门'}（${one.rows.length} 人）`,
      }))}
      onSelect={(name) => onRows(changed(rows, { add: rowsOf(name) }))}
      onDeselect={(name) => onRows(changed(rows, { drop: rowsOf(name) }))}
    />
  )
}
