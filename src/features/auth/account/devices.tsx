import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { endSession, type getSessionList } from '../../../../server/contract/auth/profile.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { useCallMutation } from '../../../api.ts'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatDateTime } from '../../../components/value/dates.ts'
import styles from './account.module.css'
import { formatDeviceName } from './device.ts'
import { devicesQuery } from './queries.ts'

type Device = CallOutput<typeof getSessionList>['list'][number]

/** The current user's signed-in devices; one of the others, or all of them, can be signed out. */
export function SignedInDevices() {
  const sessions = useQuery(devicesQuery)
  const [ending, setEnding] = useState<Device | 'others' | null>(null)
  const others = sessions.data?.list.filter(({ current }) => !current).length ?? 0
  return (
    <section className={`ui-card ${styles.card}`} aria-labelledby="account-devices">
      <div className={styles.head}>
        <h2 id="account-devices">登录的设备</h2>
        {others > 0 && <Button onClick={() => setEnding('others')}>退出其他 {others} 台设备</Button>}
      </div>
      {sessions.data ? (
        <ul className={styles.devices}>
          {sessions.data.list.map((device) => (
            <li key={device.session_id}>
              <div className="ui-grow">
                <strong>{formatDeviceName(device.device)}</strong>
                {device.current && <span className={styles.deviceHere}>这台设备</span>}
                <p className="ui-hint">
                  最近使用 {formatDateTime(device.last_active_at)} · 登录于 {formatDateTime(device.created_at)}
                  {device.address && ` · ${device.address}`}
                  {device.corp_name && ` · ${device.corp_name}`}
                </p>
              </div>
              {!device.current && (
                <Button aria-label={`退出 ${formatDeviceName(device.device)}`} onClick={() => setEnding(device)}>
                  退出
                </Button>
              )}
            </li>
          ))}
        </ul>
      ) : sessions.error ? (
        <ErrorState error={sessions.error} retry={() => void sessions.refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
      {ending && <SignOutDialog ending={ending} others={others} onClose={() => setEnding(null)} />}
    </section>
  )
}

function SignOutDialog(props: { ending: Device | 'others'; others: number; onClose: () => void }) {
  const { ending, others, onClose } = props
  const end = useCallMutation(endSession, {
    onSuccess: ({ ended }) => toast.success(`已退出 ${ended} 台设备`),
    onSettled: onClose,
  })
  const isAllOthers = ending === 'others'
  return (
    <ConfirmDialog
      open
      title={isAllOthers ? '退出其他所有设备？' : '退出这台设备？'}
      action={isAllOthers ? `退出 ${others} 台设备` : '退出这台设备'}
      danger
      busy={end.isPending}
      onConfirm={() => end.mutate(isAllOthers ? { all_others: true } : { session_id: ending.session_id })}
      onClose={onClose}
    >
      {isAllOthers
        ? `除这台设备外的 ${others} 台设备会立即退出登录，没有保存的内容会丢失。`
        : `${formatDeviceName(ending.device)} 会立即退出登录，没有保存的内容会丢失。如果不是您本人在用，请随后修改密码。`}
    </ConfirmDialog>
  )
}
