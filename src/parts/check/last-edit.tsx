import { Button } from 'antd'
import { useEffect, useEffectEvent, useRef } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { type checkWageData, undoEdit } from '../../../server/contract/sheet/sheet.ts'
import { useCall } from '../../api.ts'
import { isLost } from '../../ui/form/hand.ts'
import { toast } from '../../ui/over/toast.ts'
import { useSheet } from '../sheet/wizard.tsx'
import { columnName } from '../sheet/words.ts'
import styles from './check.module.css'
import { rowWords } from './problem-words.ts'

type Edit = NonNullable<OutputOf<typeof checkWageData>['last_edit']>
const typing = 'input, textarea, select, [contenteditable="true"], [role="combobox"]'

/** What was corrected last, and the way back: a button beside it, or Ctrl+Z, until the next step. */
export function LastEdit({ batch_id, edit, busy }: { batch_id: string; edit: Edit | null; busy: boolean }) {
  const line = useRef<HTMLParagraphElement>(null)
  const sheet = useSheet(batch_id).data
  const undo = useCall(undoEdit, {
    onSuccess: () => {
      toast.done('已撤销，改回原来的内容')
      // The button that was pressed may be gone with what it was for. By the keys the hand is elsewhere, and stays there.
      if (isLost() || line.current?.contains(document.activeElement)) line.current?.focus()
    },
  })
  const isBusy = busy || undo.isPending
  const take = () => {
    if (edit && !isBusy) undo.mutate({ batch_id, edit_id: edit.edit_id })
  }
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
    // What is being typed has an undo of its own; a dialog asks something else.
    if (event.target instanceof Element && event.target.closest(`${typing}, [role="dialog"]`)) return
    if (!edit) return
    event.preventDefault()
    take()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
  return (
    <p ref={line} className={styles.last} role="status" tabIndex={-1}>
      {edit && (
        <>
          <span>{sentenceOf(edit, sheet)}</span>
          <Button size="small" type="link" disabled={isBusy} title="Ctrl+Z" aria-keyshortcuts="Control+Z Meta+Z" onClick={take}>
            撤销
          </Button>
        </>
      )}
    </p>
  )
}

function sentenceOf({ kind, rows, name, column, from, to, cells }: Edit, sheet: ReturnType<typeof useSheet>['data']): string {
  const [row = 0, other] = rows.map((one) => rowWords(one, sheet?.parts))
  if (kind === 'swap' && other !== undefined) return `最近改过：${row}和${other}的金额换了回来`
  const found = sheet?.columns.find(({ key }) => key === column)
  const more = cells > 1 ? `，一共 ${cells} 格` : ''
  return `最近改过：${row} ${name}的「${found ? columnName(found) : ''}」从 ${from || '空'} 改成 ${to || '空'}${more}`
}
