import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getSalaryModifyLog } from '../../../server/contract/slip/slip.ts'
import { query } from '../../api.ts'
import { ReturnFocus } from '../../ui/over/dialogs.tsx'
import { Drawer } from '../../ui/over/layers.tsx'
import { type Columns, DataTable } from '../../ui/table/data-table.tsx'
import { dayAndTime } from '../../ui/value/dates.ts'
import styles from './batch/batch.module.css'

type Line = OutputOf<typeof getSalaryModifyLog>['list'][number]
const columns: Columns<Line> = [
  { title: '时间', dataIndex: 'at', className: 'ui-nowrap', render: (at: string) => dayAndTime(at) },
  { title: '姓名', dataIndex: 'name', className: 'ui-nowrap', card: 'side' },
  { title: '项目', dataIndex: 'column' },
  { title: '原来', dataIndex: 'from', align: 'right', render: (from: string) => <del>{from || '空'}</del> },
  { title: '改为', dataIndex: 'to', align: 'right', render: (to: string) => <ins>{to || '空'}</ins> },
  { title: '原因', dataIndex: 'reason', className: styles.logReason },
  { title: '操作人', dataIndex: 'by', className: 'ui-nowrap', card: 'named' },
]

/** Who changed what, and why. Nothing here can be deleted. */
export function ModifyLogDrawer({ batch_id, onClose }: { batch_id: string; onClose: () => void }) {
  return (
    <Drawer open title="修改记录" size="min(960px, 100vw)" onClose={onClose}>
      <ReturnFocus />
      <Log batch_id={batch_id} />
    </Drawer>
  )
}

function Log({ batch_id }: { batch_id: string }) {
  const [{ page, pagesize }, turn] = useState({ page: 1, pagesize: 20 })
  const asked = useQuery(query(getSalaryModifyLog, { batch_id, page, pagesize }))
  return (
    <DataTable
      asked={asked}
      columns={columns}
      rowKey="id"
      label="修改记录"
      onPage={(page, pagesize) => turn({ page, pagesize })}
      empty={{ drawing: 'sheet', text: '这一批还没有修改过。更正单个人的工资条后，会在这里逐项留下记录。' }}
    />
  )
}
