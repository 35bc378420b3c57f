import { useQuery } from '@tanstack/react-query'
import { Button, Radio } from 'antd'
import { type Key, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getPreviewMember } from '../../../server/contract/sheet.ts'
import { query } from '../../api.ts'
import { type Columns, DataTable } from '../../ui/data-table.tsx'
import { Money } from '../../ui/money.tsx'
import { SearchBox } from '../../ui/search-box.tsx'

type Person = OutputOf<typeof getPreviewMember>['list'][number]

const columns: Columns<Person> = [
  { title: '行', dataIndex: 'row', width: 72, className: 'ui-nowrap' },
  { title: '姓名', dataIndex: 'name' },
  { title: '部门', dataIndex: 'department' },
  { title: '实发', dataIndex: 'net_fen', align: 'right', render: (fen: number | null) => <Money fen={fen} /> },
]

/** Everybody, or people chosen from a list. `rows` null means everybody. */
export function SendWho(props: {
  batch_id: string
  people: number
  rows: readonly number[] | null
  onRows: (rows: number[] | null) => void
}) {
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
          <div className="ui-row">
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
            chosen={{ keys: rows as Key[], onChange: (keys) => onRows(keys.map(Number)), nameOf: ({ name }) => `选择 ${name}` }}
          />
        </div>
      )}
    </section>
  )
}
