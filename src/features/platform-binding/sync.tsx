import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { applySync, type BindingStatus, getSyncStatus } from '../../../server/contract/platform-binding/binding.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { toast } from '../../components/overlay/toast.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { ProgressBar } from '../../components/state/progress.tsx'
import { formatDateTime } from '../../components/value/dates.ts'
import styles from './platform.module.css'
import { SyncChangesDialog } from './sync-changes.tsx'

type SyncState = NonNullable<CallOutput<typeof getSyncStatus>['sync']>
const isSyncRunning = (sync: SyncState | null | undefined) => sync?.state === 'reading' || sync?.state === 'applying'

const formatSyncCounts = ({ created, updated, left, back }: Pick<SyncState, 'created' | 'updated' | 'left' | 'back'>): string =>
  [
    [created, '新增'],
    [updated, '有变化'],
    [left, '离开'],
    [back, '回来'],
  ]
    .flatMap(([count, label]) => (count ? [`${label} ${count.toLocaleString('zh-CN')} 人`] : []))
    .join('，') || '没有变化'

/** The directory sync: running, waiting for review, or the result of the last one. */
export function SyncCard({ status, onDone }: { status: BindingStatus; onDone: () => void }) {
  const syncStatus = useQuery({
    ...callQuery(getSyncStatus, {}),
    refetchInterval: ({ state }) => (isSyncRunning(state.data?.sync) ? 1_000 : false),
  })
  const sync = syncStatus.data?.sync
  const state = sync ? `${sync.sync_id} ${sync.state}` : undefined
  const previousState = useRef(state)
  // The rest of the page shows outdated data once the sync has ended.
  useEffect(() => {
    if (previousState.current !== undefined && previousState.current !== state) onDone()
    previousState.current = state
  }, [state, onDone])
  const refetch = () => void syncStatus.refetch()
  return (
    <section className="ui-card ui-stack" aria-labelledby="platform-sync">
      <div className={styles.head}>
        <h2 id="platform-sync">通讯录同步</h2>
        <SyncButtons status={status} sync={sync ?? null} onDone={refetch} />
      </div>
      {syncStatus.data ? (
        <SyncResult sync={sync ?? null} onDone={refetch} />
      ) : syncStatus.error ? (
        <ErrorState error={syncStatus.error} retry={refetch} />
      ) : (
        // A placeholder of the same height as the final content.
        <p className="ui-hint">正在查询上次同步…</p>
      )}
    </section>
  )
}

function SyncButtons({ status, sync, onDone }: { status: BindingStatus; sync: SyncState | null; onDone: () => void }) {
  const startSync = useCallMutation(applySync, { onSuccess: onDone })
  if (isSyncRunning(sync) || status === 40 || status === 50) return null
  return (
    <div className="ui-row">
      <Button loading={startSync.isPending} onClick={() => startSync.mutate({ mode: 'incremental' })}>
        同步变动
      </Button>
      <Button
        type={sync?.state === 'held' ? 'default' : 'primary'}
        loading={startSync.isPending}
        onClick={() => startSync.mutate({ mode: 'full' })}
      >
        全部同步
      </Button>
    </div>
  )
}

function SyncResult({ sync, onDone }: { sync: SyncState | null; onDone: () => void }) {
  if (!sync) return <p className="ui-hint">还没有同步过。</p>
  if (isSyncRunning(sync))
    return (
      <>
        <ProgressBar label={sync.state === 'reading' ? '正在读取' : '正在更新'} done={sync.progress} total={100} unit="%" />
        <p className="ui-hint">{`已读取 ${sync.departments.toLocaleString('zh-CN')} 个部门、${sync.people.toLocaleString('zh-CN')} 人次。可以离开这个页面。`}</p>
      </>
    )
  if (sync.state === 'held') return <SyncConfirmation sync={sync} onDone={onDone} />
  if (sync.state === 'failed')
    return (
      <p className={styles.failed} role="alert">
        {sync.errors.map(({ words: message }) => message).join('；')}
        <small>{`${formatDateTime(sync.ended_at)} · 原有人员没有改动，系统会自动重试`}</small>
      </p>
    )
  if (sync.state === 'dropped')
    return <p className="ui-hint">{`${formatDateTime(sync.ended_at)} 的同步已放弃，没有改动任何人。`}</p>
  return <p>{`${formatDateTime(sync.ended_at)} 完成：${formatSyncCounts(sync)}。${sync.by ? '' : '每天自动同步一次。'}`}</p>
}

function SyncConfirmation({ sync, onDone }: { sync: SyncState; onDone: () => void }) {
  const [open, setOpen] = useState(false)
  const decideSync = useCallMutation(applySync, {
    onSuccess: (_, { discard }) => {
      toast.success(discard ? '已放弃这次同步，没有改动任何人' : '正在更新')
      onDone()
    },
  })
  const { sync_id, review_reason } = sync
  return (
    <>
      <p>
        {review_reason === 'first' ? '第一次同步，请先看看会有哪些变化：' : '这次会有很多人离开，请先确认不是可见范围设错了：'}
        <strong>{formatSyncCounts(sync)}</strong>
      </p>
      <div className="ui-row">
        <Button onClick={() => setOpen(true)}>查看名单</Button>
        <Button
          type="primary"
          danger={review_reason === 'many_left'}
          loading={decideSync.isPending}
          onClick={() => decideSync.mutate({ sync_id })}
        >
          确认更新
        </Button>
        <Button type="text" disabled={decideSync.isPending} onClick={() => decideSync.mutate({ sync_id, discard: true })}>
          放弃
        </Button>
      </div>
      <p className="ui-hint">更新只记下平台上有谁、在哪个部门。花名册里的姓名、手机号和工号不会被改动，也不会自动增加或离职。</p>
      {open && <SyncChangesDialog sync_id={sync_id} onClose={() => setOpen(false)} />}
    </>
  )
}
