import { useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { type ImportInfo, type ImportWithSheets, undoImport } from '../../../../server/contract/directory/import.ts'
import { sendInviteCode } from '../../../../server/contract/invites/invite.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { formatDateTime } from '../../../components/value/dates.ts'
import { DownloadErrorsButton } from './download-errors.tsx'
import styles from './import.module.css'
import { formatSkippedSheets } from './sheet-labels.ts'

const formatCount = (value: number) => value.toLocaleString('zh-CN')

/** The import was started from the check of a wage sheet that lacks phone numbers: its answers are stored with the batch. */
export function BackToCheckButton({ batch_id, primary = false }: { batch_id: string; primary?: boolean }) {
  const navigate = useNavigate()
  return (
    <Button type={primary ? 'primary' : 'default'} onClick={() => void navigate({ to: '/check', search: { batch_id } })}>
      返回核对
    </Button>
  )
}

/** The result of an import: what was done, what was left out, and the undo button. */
export function ImportResult(props: {
  info: ImportWithSheets
  invited: boolean
  onInvited: () => void
  onAgain: () => void
  /** The batch whose check started the import. */
  batch_id: string | undefined
}) {
  const { info, invited, onInvited, onAgain, batch_id } = props
  const { import_id, counts, result, undo_until } = info
  const navigate = useNavigate()
  const [isUndoOpen, setUndoOpen] = useState(false)
  const invite = useCallMutation(sendInviteCode, {
    onSuccess: ({ queued, skipped }) => {
      onInvited()
      toast.success(`已安排邀请 ${queued.platform + queued.sms} 人${skipped > 0 ? `，跳过 ${skipped} 人` : ''}`)
    },
  })
  if (!result) return null
  const unresolvedCount = counts.conflict + counts.fault
  const skippedText = formatSkippedSheets(info.sheets)
  return (
    <>
      <StatisticCards
        items={[
          { key: 'created', label: '新增', value: formatCount(result.created), color: 'ok' },
          { key: 'updated', label: '更新', value: formatCount(result.updated), color: 'info' },
          ...(result.terminated > 0
            ? [{ key: 'left', label: '离职', value: formatCount(result.terminated), color: 'warn' as const }]
            : []),
          {
            key: 'skipped',
            label: '未导入',
            value: formatCount(result.skipped),
            color: unresolvedCount > 0 ? 'warn' : 'ink3',
            note: '无变化、已跳过或有问题',
          },
          { key: 'departments', label: '新建部门', value: formatCount(result.departments), color: 'ink' },
        ]}
      />
      <section className={`ui-card ${styles.done}`} aria-label="导入结果">
        <p>
          <strong>「{info.file_name}」已导入。</strong>
          {unresolvedCount > 0 && `有 ${formatCount(unresolvedCount)} 行未导入：修改后重新导入，已导入的人员不会重复。`}
        </p>
        {skippedText && <p>{skippedText}</p>}
        <div className="ui-row">
          {result.created > 0 && !invited && (
            <Button
              type={batch_id ? 'default' : 'primary'}
              loading={invite.isPending}
              onClick={() => invite.mutate({ import_id })}
            >
              邀请新增的 {formatCount(result.created)} 人
            </Button>
          )}
          {unresolvedCount > 0 && <DownloadErrorsButton import_id={import_id} rows={unresolvedCount} />}
          <Button onClick={onAgain}>继续导入</Button>
          {batch_id ? (
            <BackToCheckButton batch_id={batch_id} primary />
          ) : (
            <Button
              type={result.created > 0 && !invited ? 'default' : 'primary'}
              onClick={() => void navigate({ to: '/companyMember', search: {} })}
            >
              查看花名册
            </Button>
          )}
          <ActionButton danger allowed={undo_until ? true : '导入已超过一天，不能撤销'} onClick={() => setUndoOpen(true)}>
            撤销本次导入
          </ActionButton>
        </div>
        {undo_until && <p className="ui-hint">{formatDateTime(undo_until)} 前且人员未加入、未修改时，可撤销本次导入。</p>}
      </section>
      {isUndoOpen && <UndoImportDialog info={info} onClose={() => setUndoOpen(false)} />}
    </>
  )
}

/** Mounted only while open. */
function UndoImportDialog({ info: { import_id, result }, onClose }: { info: ImportInfo; onClose: () => void }) {
  const [errorText, setErrorText] = useState<string | null>(null)
  const [key] = useState(createIdempotencyKey)
  const undo = useCallMutation(undoImport, {
    key,
    handles: (error) => {
      setErrorText(error.message)
      return error.is('wrong_state')
    },
    onSuccess: ({ removed, restored }) => {
      toast.success(`已撤销本次导入：移除 ${removed} 人，恢复 ${restored} 人`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      title="撤销本次导入？"
      action="撤销导入"
      danger
      busy={undo.isPending}
      onConfirm={() => undo.mutate({ import_id })}
      onClose={onClose}
    >
      <p>
        新增的 {formatCount(result?.created ?? 0)} 人会从花名册移除，更新的{' '}
        {formatCount((result?.updated ?? 0) + (result?.terminated ?? 0))}{' '}
        人恢复为导入前的资料，空的新部门将删除。已发出的邀请同时失效。
      </p>
      {errorText && (
        <p role="alert" className={styles.problem}>
          {errorText}
        </p>
      )}
    </ConfirmDialog>
  )
}
