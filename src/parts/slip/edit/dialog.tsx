import { type FormEvent, useId, useState } from 'react'
import { editSalaryDetail } from '../../../../server/contract/slip/slip.ts'
import { formatFen, signed } from '../../../../server/contract/words/money.ts'
import { ApiError, intent, useCall } from '../../../api.ts'
import { FormFrame } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import styles from '../batch/batch.module.css'
import type { Detail, SlipLine } from '../words.ts'
import { isSame, ofRows, reckon, spelled } from './cells.ts'
import { Cells, Changes, Reason, Uneven } from './fields.tsx'

/** Who it is cannot be corrected on the slip; that is the roster's business. */
const identity = new Set(['name', 'last_name', 'first_name', 'mobile', 'id_card', 'employee_no', 'email', 'ignore'])

/** What comes of it. */
const told = ({ name, status }: SlipLine) =>
  status === 'withdrawn'
    ? '这张工资条已经撤回：更正后不会自动发出，请再点「重新发送」。修改记录不能删除。'
    : `更正后 ${name} 会收到通知，看到更正了哪些项目；之前的查看和确认不再有效，需要重新查看和确认。修改记录不能删除。`

type Editing = Pick<Detail, 'columns' | 'sums'> & { line: SlipLine; onClose: () => void }

/** What was typed, what comes of it, and what is sent: nothing before there is a change and its reasons. */
function useCorrection({ line, columns, sums, onClose }: Editing) {
  const [key] = useState(intent)
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [reason, setReason] = useState('')
  const [whyNot, setWhyNot] = useState('')
  const [tried, setTried] = useState(false)
  const edit = useCall(editSalaryDetail, {
    key,
    handles: (error) => error.field !== undefined,
    onSuccess: () => {
      toast.done(`已更正 ${line.name} 的工资条${line.status === 'withdrawn' ? '，还没有重新发送' : ''}`)
      onClose()
    },
  })
  const was = (key: string) => line.cells[key]?.value ?? ''
  const { followed, uneven } = reckon(line, { columns, sums }, typed)
  const now = (key: string) => typed[key] ?? followed.get(key) ?? was(key)
  const changes = columns.filter((column) => !isSame(column, now(column.key), was(column.key)))
  const missing = { reason: reason.trim() === '', whyNot: uneven.length > 0 && whyNot.trim() === '' }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    const mine = changes.filter(({ key }) => key in typed)
    if (mine.length === 0 || missing.reason || missing.whyNot) return
    edit.mutate({
      salary_id: line.salary_id,
      reason,
      cells: mine.map(({ key }) => ({ key, value: now(key) })),
      ...(uneven.length > 0 ? { why_not: whyNot } : {}),
    })
  }
  return {
    was,
    now,
    followed,
    changes,
    uneven: uneven.map(({ key, expected }) => {
      const column = columns.find((one) => one.key === key)
      return { label: column?.label ?? '', expected: formatFen(signed(expected, column?.sign ?? 'own')) }
    }),
    typed,
    type: (key: string, text: string) => setTyped({ ...typed, [key]: text }),
    reason: { value: reason, missing: tried && missing.reason, onChange: setReason },
    whyNot: { value: whyNot, wrong: tried && missing.whyNot, onChange: setWhyNot },
    refused: edit.error instanceof ApiError && edit.error.field !== undefined ? edit.error : null,
    isPending: edit.isPending,
    submit,
  }
}

/** Correcting one person's slip: change cells, see from → to, say why. Totals move with their items. Mounted while it is open. */
export function EditDialog(props: Editing) {
  const { line, onClose } = props
  const { columns, sums } = ofRows(line, props)
  const form = useId()
  const { was, now, changes, followed, uneven, typed, type, refused, ...rest } = useCorrection({ ...props, columns, sums })
  return (
    <FormFrame
      open
      width={640}
      title={`修改 ${line.name} 的工资条`}
      action={changes.length ? `更正 ${changes.length} 项` : '更正'}
      id={form}
      busy={rest.isPending}
      idle={changes.length === 0}
      onClose={onClose}
    >
      <form id={form} onSubmit={rest.submit} className="ui-stack" noValidate>
        <Cells
          columns={columns.filter(({ role }) => !identity.has(role))}
          wasOf={was}
          // What one types stays as it is typed.
          valueOf={(column) => typed[column.key] ?? spelled(column, now(column.key))}
          changes={changes}
          onType={type}
        />
        <Changes changes={changes} was={was} now={now} followed={followed} />
        {uneven.length > 0 && <Uneven uneven={uneven} {...rest.whyNot} />}
        {refused && (
          <p className={styles.formError} role="alert">
            {refused.message}
          </p>
        )}
        <Reason {...rest.reason} />
        <p className="ui-hint">{told(line)}</p>
      </form>
    </FormFrame>
  )
}
