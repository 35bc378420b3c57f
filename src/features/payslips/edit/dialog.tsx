import { useId, useState } from 'react'
import { editSalaryDetail } from '../../../../server/contract/payslips/send.ts'
import { applySign, formatFen } from '../../../../server/contract/shared/money.ts'
import { ApiError, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { LightForm } from '../../../components/form/light-form.tsx'
import { FormModal } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import styles from '../batch/batch.module.css'
import type { BatchDetail, PayslipListItem } from '../labels.ts'
import { computePropagation, expandRowCells, formatCellInput, isInvalidAmount, isSameCellValue } from './cells.ts'
import { CorrectionCells, CorrectionChanges, CorrectionReason, MismatchReason } from './fields.tsx'

/** The identity of an employee cannot be corrected on the payslip; it belongs to the roster. */
const identityRoles = new Set(['name', 'last_name', 'first_name', 'mobile', 'id_card', 'employee_no', 'email', 'ignore'])

/** Formats the consequence of the correction. */
const formatConsequence = ({ name, status }: PayslipListItem) =>
  status === 'withdrawn'
    ? '这张工资条已经撤回：更正后不会自动发出，请再点「重新发送」。修改记录不能删除。'
    : `更正后 ${name} 会收到通知，看到更正了哪些项目；之前的查看和确认不再有效，需要重新查看和确认。修改记录不能删除。`

type CorrectionParams = Pick<BatchDetail, 'columns' | 'sums'> & { payslip: PayslipListItem; onClose: () => void }

/** The edits, their consequences, and the submission, which requires a change and its reasons. */
function usePayslipCorrection({ payslip, columns, sums, onClose }: CorrectionParams) {
  const [key] = useState(createIdempotencyKey)
  const [edits, setEdits] = useState<Record<string, string>>({})
  const [reason, setReason] = useState('')
  const [mismatchReason, setMismatchReason] = useState('')
  const [isSubmitted, setIsSubmitted] = useState(false)
  const edit = useCallMutation(editSalaryDetail, {
    key,
    handles: (error) => error.field !== undefined,
    onSuccess: ({ approval_no }) => {
      if (approval_no) toast.success('更正的金额较大，已提交另一位管理员审批；同意后，请再保存一次同样的更正')
      else toast.success(`已更正 ${payslip.name} 的工资条${payslip.status === 'withdrawn' ? '，还没有重新发送' : ''}`)
      onClose()
    },
  })
  const getOriginal = (key: string) => payslip.cells[key]?.value ?? ''
  const { followed, uneven: mismatches } = computePropagation(payslip, { columns, sums }, edits)
  const getCurrent = (key: string) => edits[key] ?? followed.get(key) ?? getOriginal(key)
  const changes = columns.filter((column) => !isSameCellValue(column, getCurrent(column.key), getOriginal(column.key)))
  const missing = { reason: reason.trim() === '', whyNot: mismatches.length > 0 && mismatchReason.trim() === '' }
  const submit = () => {
    setIsSubmitted(true)
    const editedColumns = changes.filter(({ key }) => key in edits)
    const isInvalid = editedColumns.some((column) => isInvalidAmount(column, getCurrent(column.key)))
    if (editedColumns.length === 0 || isInvalid || missing.reason || missing.whyNot) return
    edit.mutate({
      salary_id: payslip.salary_id,
      reason,
      cells: editedColumns.map(({ key }) => ({ key, value: getCurrent(key) })),
      ...(mismatches.length > 0 ? { mismatch_reason: mismatchReason } : {}),
    })
  }
  return {
    was: getOriginal,
    now: getCurrent,
    followed,
    changes,
    uneven: mismatches.map(({ key, expected }) => {
      const column = columns.find((other) => other.key === key)
      return { label: column?.label ?? '', expected: formatFen(applySign(expected, column?.sign ?? 'own')) }
    }),
    typed: edits,
    type: (key: string, text: string) => setEdits({ ...edits, [key]: text }),
    reason: { value: reason, missing: isSubmitted && missing.reason, onChange: setReason },
    whyNot: { value: mismatchReason, wrong: isSubmitted && missing.whyNot, onChange: setMismatchReason },
    refused: edit.error instanceof ApiError && edit.error.field !== undefined ? edit.error : null,
    isPending: edit.isPending,
    submit,
  }
}

/**
 * Corrects one employee's payslip: change cells, see from → to, give a reason. Totals change with their items. Mounted
 * only while open.
 */
export function CorrectPayslipDialog(props: CorrectionParams) {
  const { payslip, onClose } = props
  const { columns, sums } = expandRowCells(payslip, props)
  const form = useId()
  const {
    was: getOriginal,
    now: getCurrent,
    changes,
    followed,
    uneven: mismatches,
    typed: edits,
    type: setCell,
    refused: error,
    ...rest
  } = usePayslipCorrection({ ...props, columns, sums })
  return (
    <FormModal
      open
      width={640}
      title={`更正 ${payslip.name} 的工资条`}
      action={changes.length ? `更正 ${changes.length} 项` : '更正'}
      id={form}
      busy={rest.isPending}
      idle={changes.length === 0}
      onClose={onClose}
    >
      <LightForm id={form} onSubmit={rest.submit} className="ui-stack">
        <CorrectionCells
          columns={columns.filter(({ role }) => !identityRoles.has(role))}
          getWas={getOriginal}
          // Typed text stays as it was typed.
          valueOf={(column) => edits[column.key] ?? formatCellInput(column, getCurrent(column.key))}
          changes={changes}
          onType={setCell}
        />
        <CorrectionChanges changes={changes} was={getOriginal} now={getCurrent} followed={followed} />
        {mismatches.length > 0 && <MismatchReason uneven={mismatches} {...rest.whyNot} />}
        {error && (
          <p className={styles.formError} role="alert">
            {error.message}
          </p>
        )}
        <CorrectionReason {...rest.reason} />
        <p className="ui-hint">{formatConsequence(payslip)}</p>
      </LightForm>
    </FormModal>
  )
}
