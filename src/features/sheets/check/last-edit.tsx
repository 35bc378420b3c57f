import { Button } from 'antd'
import { useEffect, useEffectEvent, useRef } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { type checkWageData, undoEdit } from '../../../../server/contract/sheets/sheet.ts'
import { useCallMutation } from '../../../api.ts'
import { isFocusLost } from '../../../components/form/focus.ts'
import { toast } from '../../../components/overlay/toast.ts'
import { formatCount } from '../../../components/value/counts.ts'
import { getColumnName } from '../labels.ts'
import { useSheetQuery } from '../wizard.tsx'
import styles from './check.module.css'
import { formatRowLabel } from './issue-labels.ts'

type CellEdit = NonNullable<CallOutput<typeof checkWageData>['last_edit']>
const editableSelector = 'input, textarea, select, [contenteditable="true"], [role="combobox"]'

/** The last correction with its undo: a button, or Ctrl+Z, until the next step. */
export function LastEditBar({ batch_id, edit, busy }: { batch_id: string; edit: CellEdit | null; busy: boolean }) {
  const statusLine = useRef<HTMLParagraphElement>(null)
  const sheet = useSheetQuery(batch_id).data
  const undo = useCallMutation(undoEdit, {
    onSuccess: () => {
      toast.success('已撤销，改回原来的内容')
      // The pressed button may have been removed. After Ctrl+Z the focus is elsewhere and stays there.
      if (isFocusLost() || statusLine.current?.contains(document.activeElement)) statusLine.current?.focus()
    },
  })
  const isBusy = busy || undo.isPending
  const undoLast = () => {
    if (edit && !isBusy) undo.mutate({ batch_id, edit_id: edit.edit_id })
  }
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
    // A text field has its own undo; an open dialog has its own context.
    if (event.target instanceof Element && event.target.closest(`${editableSelector}, [role="dialog"]`)) return
    if (!edit) return
    event.preventDefault()
    undoLast()
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <p ref={statusLine} className={styles.last} role="status" tabIndex={-1}>
      {edit && (
        <>
          <span>{formatEdit(edit, sheet)}</span>
          <Button
            size="small"
            type="link"
            disabled={isBusy}
            title="Ctrl+Z"
            aria-keyshortcuts="Control+Z Meta+Z"
            onClick={undoLast}
          >
            撤销
          </Button>
        </>
      )}
    </p>
  )
}

function formatEdit(
  { kind, rows, name, column, from, to, cells }: CellEdit,
  sheet: ReturnType<typeof useSheetQuery>['data'],
): string {
  const [row = 0, other] = rows.map((one) => formatRowLabel(one, sheet?.parts))
  if (kind === 'swap' && other !== undefined) return `最近改过：${row}和${other}的金额换了回来`
  const matchingColumn = sheet?.columns.find(({ key }) => key === column)
  const suffix = cells > 1 ? `，一共 ${formatCount(cells)} 格` : ''
  return `最近改过：${row} ${name}的「${matchingColumn ? getColumnName(matchingColumn) : ''}」从 ${from || '空'} 改成 ${to || '空'}${suffix}`
}
