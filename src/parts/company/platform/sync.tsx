import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { applySync, type BindingStatus, getSyncStatus } from '../../../../server/contract/people/binding.ts'
import { query, useCall } from '../../../api.ts'
import { toast } from '../../../ui/over/toast.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Progress } from '../../../ui/state/progress.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import styles from './platform.module.css'
import { SyncChanges } from './sync-changes.tsx'

type Sync = NonNullable<OutputOf<typeof getSyncStatus>['sync']>
const isWorking = (sync: Sync | null | undefined) => sync?.state === 'reading' || sync?.state === 'applying'

const countsOf = ({ created, updated, left, back }: Pick<Sync, 'created' | 'updated' | 'left' | 'back'>): string =>
  [
    [created, '新增'],
    [updated, '有变化'],
    [left, '离开'],
    [back, '回来'],
  ]
    .flatMap(([count, word]) => (count ? [`${word} ${count.toLocaleString('zh-CN')} 人`] : []))
    .join('，') || '没有变化'

/** The reading of the directory: under way, waiting to be looked at, or how the last one went. */
export function SyncCard({ status, onDone }: { status: BindingStatus; onDone: () => void }) {
  const asked = useQuery({
    ...query(getSyncStatus, {}),
    refetchInterval: ({ state }) => (isWorking(state.data?.sync) ? 1_000 : false),
  })
  const sync = asked.data?.sync
  const state = sync ? `${sync.sync_id} ${sync.state}` : undefined
  const before = useRef(state)
  // What the rest of the page shows is another one when it has ended.
  useEffect(() => {
    if (before.current !== undefined && before.current !== state) onDone()
    before.current = state
  }, [state, onDone])
  const again = () => void asked.refetch()
  return (
    <section className="ui-card ui-stack" aria-labelledby="platform-sync">
      <div className={styles.head}>
        <h2 id="platform-sync">通讯录同步</h2>
        <Buttons status={status} sync={sync ?? null} onDone={again} />
      </div>
      {asked.data ? (
        <Shown sync={sync ?? null} onDone={again} />
      ) : asked.error ? (
        <ErrorState error={asked.error} retry={again} />
      ) : (
        // As high as what comes in its place.
        <p className="ui-hint">正在查询上次同步…</p>
      )}
    </section>
  )
}

function Buttons({ status, sync, onDone }: { status: BindingStatus; sync: Sync | null; onDone: () => void }) {
  const begin = useCall(applySync, { onSuccess: onDone })
  if (isWorking(sync) || status === 40 || status === 50) return null
  return (
    <div className="ui-row">
      <Button loading={begin.isPending} onClick={() => begin.mutate({ mode: 'incremental' })}>
        同步变动
      </Button>
      <Button
        type={sync?.state === 'held' ? 'default' : 'primary'}
        loading={begin.isPending}
        onClick={() => begin.mutate({ mode: 'full' })}
      >
        全部同步
      </Button>
    </div>
  )
}

function Shown({ sync, onDone }: { sync: Sync | null; onDone: () => void }) {
  if (!sync) return <p className="ui-hint">还没有同步过。</p>
  if (isWorking(sync))
    return (
      <>
        <Progress label={sync.state === 'reading' ? '正在读取' : '正在更新'} done={sync.progress} total={100} unit="%" />
        <p className="ui-hint">{`已读取 ${sync.departments.toLocaleString('zh-CN')} 个部门、${sync.people.toLocaleString('zh-CN')} 人次。可以离开这个页面。`}</p>
      </>
    )
  if (sync.state === 'held') return <Held sync={sync} onDone={onDone} />
  if (sync.state === 'failed')
    return (
      <p className={styles.failed} role="alert">
        {sync.errors.map(({ words }) => words).join('；')}
        <small>{`${dayAndTime(sync.ended_at)} · 原有人员没有改动，系统会自动重试`}</small>
      </p>
    )
  if (sync.state === 'dropped') return <p className="ui-hint">{`${dayAndTime(sync.ended_at)} 的同步已放弃，没有改动任何人。`}</p>
  return <p>{`${dayAndTime(sync.ended_at)} 完成：${countsOf(sync)}。${sync.by ? '' : '每天自动同步一次。'}`}</p>
}

function Held({ sync, onDone }: { sync: Sync; onDone: () => void }) {
  const [open, setOpen] = useState(false)
  const settle = useCall(applySync, {
    onSuccess: (_, { drop }) => {
      toast.done(drop ? '已放弃这次同步，没有改动任何人' : '正在更新')
      onDone()
    },
  })
  const { sync_id, held_for } = sync
  return (
    <>
      <p>
        {held_for === 'first' ? '第一次同步，请先看看会有哪些变化：' : '这次会有很多人离开，请先确认不是可见范围设错了：'}
        <strong>{countsOf(sync)}</strong>
      </p>
      <div className="ui-row">
        <Button onClick={() => setOpen(true)}>查看名单</Button>
        <Button
          type="primary"
          danger={held_for === 'many_left'}
          loading={settle.isPending}
          onClick={() => settle.mutate({ sync_id })}
        >
          确认更新
        </Button>
        <Button type="text" disabled={settle.isPending} onClick={() => settle.mutate({ sync_id, drop: true })}>
          放弃
        </Button>
      </div>
      <p className="ui-hint">更新只记下平台上有谁、在哪个部门。花名册里的姓名、手机号和工号不会被改动，也不会自动增加或离职。</p>
      {open && <SyncChanges sync_id={sync_id} onClose={() => setOpen(false)} />}
    </>
  )
}
