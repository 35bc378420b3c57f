import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { clearMember, getDepartList, moveMembers } from '../../../server/contract/people/member.ts'
import { ApiError, ask, askAnew, intent, query, useCall } from '../../api.ts'
import { Act } from '../../ui/act.tsx'
import { ConfirmDialog, Dialog } from '../../ui/over/dialogs.tsx'
import { toast } from '../../ui/over/toast.ts'
import { TreePicker } from '../../ui/tree/tree-picker.tsx'
import { LastDay, today } from './file/leave-dialog.tsx'
import styles from './member.module.css'
import type { Member } from './words.ts'

const InviteDialog = lazy(async () => ({ default: (await import('./invite-dialog.tsx')).InviteDialog }))

type Many = { people: readonly Member[]; onClose: () => void; onDone: () => void }
const most = 500

/** What can be done with everybody who is ticked, and how many that are. */
export function ManyBar(props: {
  people: readonly Member[]
  /** The department that is looked at: who moves leaves that one, and stays in his others. */
  here: { ID: string; NAME: string } | undefined
  onClear: () => void
}) {
  const { people, here, onClear } = props
  const [asking, setAsking] = useState<'move' | 'invite' | 'leave' | null>(null)
  const waiting = people.filter(({ STATUS }) => STATUS === 'invited').map(({ ID }) => ID)
  const asked = { people, onClose: () => setAsking(null), onDone: onClear }
  const tooMany = people.length > most ? (`一次最多 ${most} 人` as const) : true
  return (
    <div className={styles.many} role="region" aria-label="已选的员工">
      <strong>已选 {people.length} 人</strong>
      <Act verdict={tooMany} onClick={() => setAsking('move')}>
        移动到部门
      </Act>
      <Act
        verdict={waiting.length > most ? tooMany : waiting.length > 0 || '选中的人都已经加入'}
        onClick={() => setAsking('invite')}
      >
        {waiting.length > 0 ? `邀请 ${waiting.length} 人` : '邀请加入'}
      </Act>
      <Act verdict={tooMany} onClick={() => setAsking('leave')}>
        标记离职
      </Act>
      <Button type="link" onClick={onClear}>
        取消选择
      </Button>
      {asking === 'move' && <MoveMany {...asked} here={here} />}
      {asking === 'leave' && <LeaveMany {...asked} />}
      {asking === 'invite' && (
        <Suspense fallback={null}>
          <InviteDialog
            member_ids={waiting}
            onClose={(invited) => {
              setAsking(null)
              if (invited) onClear()
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

function MoveMany({ people, here, onClose, onDone }: Many & { here: { ID: string; NAME: string } | undefined }) {
  const [key] = useState(intent)
  const [to, setTo] = useState<string>()
  const tree = useQuery(query(getDepartList, {}))
  const move = useCall(moveMembers, {
    key,
    onSuccess: () => {
      toast.done(`已移动 ${people.length} 人`)
      onClose()
      onDone()
    },
  })
  const ids = people.map(({ ID }) => ID)
  return (
    <Dialog
      open
      title={`把选中的 ${people.length} 人移动到`}
      action={`移动 ${people.length} 人`}
      verdict={to === undefined ? '请选择部门' : true}
      busy={move.isPending}
      onConfirm={() => to && move.mutate({ member_ids: ids, department_id: to, ...(here ? { from_id: here.ID } : {}) })}
      onClose={onClose}
    >
      <div className="ui-stack">
        <TreePicker tree={tree.data?.list ?? []} value={to} placeholder="选择部门" onChange={setTo} />
        <p className="ui-hint">
          {here
            ? `他们离开「${here.NAME}」和它的下级部门；同时所在的其他部门不变。`
            : '他们离开现在所在的部门，只在选中的部门里。能看到他们工资条的管理员会随部门改变。'}
        </p>
      </div>
    </Dialog>
  )
}

/** One after the other: a person who cannot leave (an administrator, say) stays, with the reason, and keeps nobody else. */
function LeaveMany({ people, onClose, onDone }: Many) {
  const [done, setDone] = useState<number | null>(null)
  const [stayed, setStayed] = useState<string[]>([])
  const [left_on, setDay] = useState(today)
  const leave = async () => {
    const reasons: string[] = []
    for (const [at, { ID, NAME }] of people.entries()) {
      setDone(at)
      try {
        await ask(clearMember, { id: ID, left_on })
      } catch (error) {
        reasons.push(`${NAME}：${error instanceof ApiError ? error.message : '没有办到，请稍后重试'}`)
      }
    }
    void askAnew()
    const gone = people.length - reasons.length
    if (gone > 0) toast.done(`已将 ${gone} 人标记为离职`)
    setDone(null)
    setStayed(reasons)
    if (reasons.length > 0) return
    onClose()
    onDone()
  }
  const close = () => {
    if (done !== null) return
    onClose()
    if (stayed.length > 0) onDone()
  }
  if (stayed.length > 0)
    return (
      <Dialog open title={`${stayed.length} 人没有标记为离职`} onClose={close} result={{ text: '知道了', onPress: close }}>
        <ul className={styles.ways}>
          {stayed.map((why) => (
            <li key={why}>{why}</li>
          ))}
        </ul>
      </Dialog>
    )
  return (
    <ConfirmDialog
      open
      danger
      title={`将选中的 ${people.length} 人标记为离职？`}
      action={done === null ? `标记 ${people.length} 人离职` : `正在标记 ${done + 1} / ${people.length}`}
      busy={done !== null}
      onConfirm={() => void leave()}
      onClose={close}
    >
      <LastDay value={left_on} onChange={setDay} disabled={done !== null} />
      <p>
        他们将立即退出登录。离职后能否再看自己的工资条，按「工资条设置」里的「离职后查看」（默认两年，每次验证手机号）。以后的工资表里再出现他们时会提醒您。
      </p>
    </ConfirmDialog>
  )
}
