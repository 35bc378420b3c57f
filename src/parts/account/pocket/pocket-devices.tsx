import { useQuery } from '@tanstack/react-query'
import { endSession } from '../../../../server/contract/account/profile.ts'
import { useCall } from '../../../api.ts'
import { toast } from '../../../ui/over/toast.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import employeeStyles from '../../employee/m.module.css'
import { Sheet } from '../../employee/sheet.tsx'
import { deviceWords } from '../device.ts'
import { devicesQuery } from '../queries.ts'
import styles from './pocket-devices.module.css'

/** Where I am signed in, on a phone; the others can be signed out. */
export function DevicesSheet({ onClose }: { onClose: () => void }) {
  const asked = useQuery(devicesQuery)
  const end = useCall(endSession, { onSuccess: ({ ended }) => toast.done(`已退出 ${ended} 台设备`) })
  const others = asked.data?.list.filter(({ current }) => !current).length ?? 0
  return (
    <Sheet open title="登录的设备" onClose={onClose}>
      {asked.data ? (
        <ul className={styles.root}>
          {asked.data.list.map((device) => (
            <li key={device.session_id}>
              <span>
                <strong>{deviceWords(device.device)}</strong>
                <small>{device.current ? '这台设备' : `最近使用 ${dayAndTime(device.seen_at)}`}</small>
              </span>
              {!device.current && (
                <button
                  type="button"
                  className="ui-button"
                  aria-label={`退出 ${deviceWords(device.device)}`}
                  disabled={end.isPending}
                  onClick={() => end.mutate({ session_id: device.session_id })}
                >
                  退出
                </button>
              )}
            </li>
          ))}
        </ul>
      ) : asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
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
            onClick={() => end.mutate({ others: true })}
          >
            退出其他 {others} 台
          </button>
        )}
      </div>
    </Sheet>
  )
}
