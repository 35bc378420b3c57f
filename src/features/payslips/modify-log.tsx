import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getSalaryModifyLog } from '../../../server/contract/payslips/send.ts'
import { callQuery } from '../../api.ts'
import { RestoreFocus } from '../../components/overlay/dialogs.tsx'
import { Drawer } from '../../components/overlay/layers.tsx'
import { getPageSize } from '../../components/state/page-size.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import styles from './batch/batch.module.css'

type CorrectionLogEntry = CallOutput<typeof getSalaryModifyLog>['list'][number]
const logColumns: Columns<CorrectionLogEntry> = [
  { title: '时间', dataIndex: 'at', className: 'ui-nowrap', render: (at: string) => formatDateTime(at) },
  { title: '姓名', dataIndex: 'name', className: 'ui-nowrap', card: 'side' },
  { title: '项目', dataIndex: 'column' },
  { title: '原来', dataIndex: 'from', align: 'right', render: (from: string) => <del>{from || '空'}</del> },
  { title: '改为', dataIndex: 'to', align: 'right', render: (to: string) => <ins>{to || '空'}</ins> },
  { title: '原因', dataIndex: 'reason', className: styles.logReason },
  { title: '操作人', dataIndex: 'by', className: 'ui-nowrap', card: 'named' },
]

/** The log of corrections with reasons. Entries cannot be deleted. */
export function CorrectionLogDrawer({ batch_id, onClose }: { batch_id: string; onClose: () => void }) {
  return (
    <Drawer open title="修改记录" size="min(960px, 100vw)" onClose={onClose}>
      <RestoreFocus />
      <CorrectionLog batch_id={batch_id} />
    </Drawer>
  )
}

function CorrectionLog({ batch_id }: { batch_id: string }) {
  const [{ page, pagesize }, setPagination] = useState({ page: 1, pagesize: getPageSize() })
  const log = useQuery(callQuery(getSalaryModifyLog, { batch_id, page, pagesize }))
  return (
    <DataTable
      requested={log}
      columns={logColumns}
      rowKey="id"
      label="修改记录"
      onPage={(page, pagesize) => setPagination({ page, pagesize })}
      empty={{ illustration: 'sheet', text: '这一批还没有修改过。更正单个人的工资条后，会在这里逐项留下记录。' }}
    />
  )
}
