import { useQuery } from '@tanstack/react-query'
import { endSession, getSessionList } from '../../../../../server/contract/auth/profile.ts'
import { useCallMutation } from '../../../../api.ts'
import { toast } from '../../../../components/overlay/toast.ts'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import { formatDateTime } from '../../../../components/value/dates.ts'
import { BottomSheet } from '../../../payslips/employee/bottom-sheet.tsx'
import employeeStyles from '../../../payslips/employee/m.module.css'
import { formatDeviceName } from '../device.ts'
import { devicesQuery } from '../queries.ts'
import styles from './devices-sheet.module.css'

/** The current user's signed-in devices on a phone; the others can be signed out. */
export function DevicesSheet({ onClose }: { onClose: () => void }) {
  const sessions = useQuery(devicesQuery)
  const end = useCallMutation(endSession, {
    affects: [getSessionList],
    onSuccess: ({ ended }) => toast.success(`已退出 ${ended} 台设备`),
  })
  const others = sessions.data?.list.filter(({ current }) => !current).length ?? 0
  return (
    <BottomSheet open title="登录的设备" onClose={onClose}>
      {sessions.data ? (
        <ul className={styles.root}>
          {sessions.data.list.map((device) => (
            <li key={device.session_id}>
              <span>
                <strong>{formatDeviceName(device.device)}</strong>
                <small>{device.current ? '这台设备' : `最近使用 ${formatDateTime(device.last_active_at)}`}</small>
              </span>
              {!device.current && (
                <button
                  type="button"
                  className="ui-button"
                  aria-label={`退出 ${formatDeviceName(device.device)}`}
                  disabled={end.isPending}
                  onClick={() => end.mutate({ session_id: device.session_id })}
                >
                  退出
                </button>
              )}
            </li>
          ))}
        </ul>
      ) : sessions.error ? (
        <ErrorState error={sessions.error} retry={() => void sessions.refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
      <div className={employeeStyles.sheetActions}>
        <button type="button" className={`ui-button ${employeeStyles.button}`} onClick={onClose}>
          关闭
        </button>
        {others > 1 && (
          <button
            type="button"
            className={`ui-button ${employeeStyles.button}`}
            disabled={end.isPending}
            onClick={() => end.mutate({ all_others: true })}
          >
            退出其他 {others} 台
          </button>
        )}
      </div>
    </BottomSheet>
  )
}
