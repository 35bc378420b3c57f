import { useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { type ImportInFile, type ImportInfo, undoImport } from '../../../../server/contract/people/import.ts'
import { sendInviteCode } from '../../../../server/contract/people/invite.ts'
import { intent, useCall } from '../../../api.ts'
import { Act } from '../../../ui/act.tsx'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { dayAndTime } from '../../../ui/value/dates.ts'
import { DownloadFaults } from './faults.tsx'
import styles from './import.module.css'
import { leftOut } from './sheet-words.ts'

const shown = (value: number) => value.toLocaleString('zh-CN')

/** What was done, what stayed out, and the way back. */
export function ImportResult(props: { info: ImportInFile; invited: boolean; onInvited: () => void; onAgain: () => void }) {
  const { info, invited, onInvited, onAgain } = props
  const { import_id, counts, result, undo_until } = info
  const navigate = useNavigate()
  const [undoing, setUndoing] = useState(false)
  const invite = useCall(sendInviteCode, {
    onSuccess: ({ queued, skipped }) => {
      onInvited()
      toast.done(`已安排邀请 ${queued.platform + queued.sms} 人${skipped > 0 ? `，跳过 ${skipped} 人` : ''}`)
    },
  })
  if (!result) return null
  const open = counts.conflict + counts.fault
  const left = leftOut(info.sheets)
  return (
    <>
      <Numbers
        items={[
          { key: 'created', label: '新增', value: shown(result.created), tone: 'ok' },
          { key: 'updated', label: '更新', value: shown(result.updated), tone: 'info' },
          ...(result.left > 0 ? [{ key: 'left', label: '离职', value: shown(result.left), tone: 'warn' as const }] : []),
          {
            key: 'skipped',
            label: '没有导入',
            value: shown(result.skipped),
            tone: open > 0 ? 'warn' : 'ink3',
            note: '没有变化、跳过或有问题',
          },
          { key: 'departments', label: '新建部门', value: shown(result.departments), tone: 'ink' },
        ]}
      />
      <section className={`ui-card ${styles.done}`} aria-label="导入结果">
        <p>
          <strong>「{info.file_name}」已经导入。</strong>
          {open > 0 && `有 ${shown(open)} 行没有导入：改好后再导入一次，已经导入的人不会重复。`}
        </p>
        {left && <p>{left}</p>}
        <div className="ui-row">
          {result.created > 0 && !invited && (
            <Button type="primary" loading={invite.isPending} onClick={() => invite.mutate({ import_id })}>
              邀请新增的 {shown(result.created)} 人
            </Button>
          )}
          {open > 0 && <DownloadFaults import_id={import_id} rows={open} />}
          <Button onClick={onAgain}>再导入一份</Button>
          <Button
            type={result.created > 0 && !invited ? 'default' : 'primary'}
            onClick={() => void navigate({ to: '/companyMember', search: {} })}
          >
            查看花名册
          </Button>
          <Act danger verdict={undo_until ? true : '导入超过一天，不能再整体撤销'} onClick={() => setUndoing(true)}>
            撤销这次导入
          </Act>
        </div>
        {undo_until && <p className="ui-hint">{dayAndTime(undo_until)} 之前、导入的人还没有加入或改动时，可以整体撤销。</p>}
      </section>
      {undoing && <UndoDialog info={info} onClose={() => setUndoing(false)} />}
    </>
  )
}

/** Mounted while it is open. */
function UndoDialog({ info: { import_id, result }, onClose }: { info: ImportInfo; onClose: () => void }) {
  const [refused, setRefused] = useState<string | null>(null)
  const [key] = useState(intent)
  const undo = useCall(undoImport, {
    key,
    handles: (error) => {
      setRefused(error.message)
      return error.is('wrong_state')
    },
    onSuccess: ({ removed, restored }) => {
      toast.done(`已撤销这次导入：移除 ${removed} 人，恢复 ${restored} 人`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      title="撤销这次导入？"
      action="撤销导入"
      danger
      busy={undo.isPending}
      onConfirm={() => undo.mutate({ import_id })}
      onClose={onClose}
    >
      <p>
        新增的 {shown(result?.created ?? 0)} 人会从花名册移除，更新的 {shown((result?.updated ?? 0) + (result?.left ?? 0))}{' '}
        人恢复成导入之前的样子，空的新部门会删除。已经发出的邀请同时失效。
      </p>
      {refused && (
        <p role="alert" className={styles.problem}>
          {refused}
        </p>
      )}
    </ConfirmDialog>
  )
}
