import { useQuery } from '@tanstack/react-query'
import { Pagination } from 'antd'
import { useState } from 'react'
import { getSyncChanges } from '../../../../server/contract/people/binding.ts'
import { query } from '../../../api.ts'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import styles from './platform.module.css'
import { fieldNames, verdictWords } from './words.ts'

/** Who would come, change or leave, page by page. */
export function SyncChanges({ sync_id, onClose }: { sync_id: string; onClose: () => void }) {
  const [page, setPage] = useState(1)
  const asked = useQuery(query(getSyncChanges, { sync_id, page, pagesize: 20 }))
  return (
    <Dialog open title="会有的变化" width={640} onClose={onClose}>
      {asked.data ? (
        <>
          <ul className={styles.people}>
            {asked.data.list.map(({ platform_user_id, name, mobile, employee_no, departments, verdict, fields }) => (
              <li key={platform_user_id}>
                <div>
                  <strong>{name || platform_user_id}</strong>
                  <small>{[departments.join('、'), employee_no, mobile].filter(Boolean).join(' · ')}</small>
                </div>
                <span className="ui-hint">
                  {verdictWords[verdict]}
                  {fields.length > 0 && `：${fields.map((field) => fieldNames[field] ?? field).join('、')}`}
                </span>
              </li>
            ))}
          </ul>
          <Pagination
            current={page}
            pageSize={20}
            total={asked.data.page.total}
            showSizeChanger={false}
            hideOnSinglePage
            onChange={setPage}
          />
        </>
      ) : asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <Skeleton rows={8} />
      )}
    </Dialog>
  )
}
