import { useQuery } from '@tanstack/react-query'
import { Pagination } from 'antd'
import { useState } from 'react'
import { getSyncChanges } from '../../../server/contract/platform-binding/binding.ts'
import { callQuery } from '../../api.ts'
import { Dialog } from '../../components/overlay/dialogs.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { syncChangeLabels, syncFieldLabels } from './labels.ts'
import styles from './platform.module.css'

/** The members that a sync would add, change or terminate, page by page. */
export function SyncChangesDialog({ sync_id, onClose }: { sync_id: string; onClose: () => void }) {
  const [page, setPage] = useState(1)
  const changes = useQuery(callQuery(getSyncChanges, { sync_id, page, pagesize: 20 }))
  return (
    <Dialog open title="会有的变化" width={640} onClose={onClose}>
      {changes.data ? (
        <>
          <ul className={styles.people}>
            {changes.data.list.map(({ platform_user_id, name, mobile, employee_no, departments, change: changeKind, fields }) => (
              <li key={platform_user_id}>
                <div>
                  <strong>{name || platform_user_id}</strong>
                  <small>{[departments.join('、'), employee_no, mobile].filter(Boolean).join(' · ')}</small>
                </div>
                <span className="ui-hint">
                  {syncChangeLabels[changeKind]}
                  {fields.length > 0 && `：${fields.map((field) => syncFieldLabels[field] ?? field).join('、')}`}
                </span>
              </li>
            ))}
          </ul>
          <Pagination
            current={page}
            pageSize={20}
            total={changes.data.page.total}
            showSizeChanger={false}
            hideOnSinglePage
            onChange={setPage}
          />
        </>
      ) : changes.error ? (
        <ErrorState error={changes.error} retry={() => void changes.refetch()} />
      ) : (
        <Skeleton rows={8} />
      )}
    </Dialog>
  )
}
