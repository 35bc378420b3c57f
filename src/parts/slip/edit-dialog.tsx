import { type ButtonProps, Input, Modal } from 'antd'
import { type FormEvent, useId, useState } from 'react'
import { editSalaryDetail } from '../../../server/contract/slip.ts'
import { ApiError, intent, useCall } from '../../api.ts'
import { Icon } from '../../ui/icon.tsx'
import { toast } from '../../ui/toast.ts'
import type { Detail, SlipLine } from './words.ts'
import './batch.css'

/** Who it is cannot be corrected on the slip; that is the roster's business. */
const identity = new Set(['name', 'last_name', 'first_name', 'mobile', 'id_card', 'employee_no', 'email', 'ignore'])

/** Correcting one person's slip: change cells, see from → to, say why. Mounted while it is open. */
export function EditDialog({ line, columns, onClose }: { line: SlipLine; columns: Detail['columns']; onClose: () => void }) {
  const form = useId()
  const [key] = useState(intent)
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [reason, setReason] = useState('')
  const [asked, setAsked] = useState('')
  const [tried, setTried] = useState(false)
  const edit = useCall(editSalaryDetail, {
    key,
    handles: (error) => error.field !== undefined,
    onSuccess: () => {
      toast.done(`已更正 ${line.name} 的工资条`)
      onClose()
    },
  })
  const was = (key: string) => line.cells[key]?.value ?? ''
  const changes = columns.filter(({ key }) => key in typed && typed[key] !== was(key))
  const shown = columns.filter(({ label, role }) => !identity.has(role) && label.includes(asked.trim()))
  const noReason = tried && reason.trim() === ''
  const refused = edit.error instanceof ApiError && edit.error.field !== undefined ? edit.error : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (changes.length === 0 || reason.trim() === '') return
    edit.mutate({ salary_id: line.salary_id, reason, cells: changes.map(({ key }) => ({ key, value: typed[key] ?? '' })) })
  }
  const net = columns.find(({ role }) => role === 'net')
  const forgotNet =
    net && changes.some(({ role }) => role === 'earning' || role === 'deduction' || role === 'tax') && !changes.includes(net)
  return (
    <Modal
      open
      width={640}
      title={`修改 ${line.name} 的工资条`}
      okText={changes.length ? `更正 ${changes.length} 项` : '更正'}
      cancelText="取消"
      confirmLoading={edit.isPending}
      okButtonProps={{ htmlType: 'submit', form, disabled: changes.length === 0 } as ButtonProps}
      onCancel={onClose}
      mask={{ closable: false }}
      destroyOnHidden
    >
      <form id={form} onSubmit={submit} className="ui-stack" noValidate>
        {columns.length > 12 && (
          <Input
            allowClear
            value={asked}
            aria-label="查找项目"
            placeholder="查找项目"
            onChange={(event) => setAsked(event.target.value)}
            onPressEnter={(event) => event.preventDefault()}
            prefix={<Icon name="search" />}
          />
        )}
        <ul className="edit-cells" aria-label="工资项目">
          {shown.map(({ key, label, kind }) => (
            <li key={key} data-changed={changes.some((change) => change.key === key) || undefined}>
              <label htmlFor={`${form}-${key}`}>{label}</label>
              <Input
                id={`${form}-${key}`}
                value={typed[key] ?? was(key)}
                maxLength={200}
                className={kind === 'text' || kind === 'date' ? '' : 'edit-amount'}
                onChange={(event) => setTyped({ ...typed, [key]: event.target.value })}
              />
            </li>
          ))}
          {shown.length === 0 && <li className="ui-label">没有叫这个名字的项目</li>}
        </ul>
        {changes.length > 0 && (
          <ul className="edit-changes" aria-label="将要更正" aria-live="polite">
            {changes.map(({ key, label }) => (
              <li key={key}>
                <span>{label}</span>
                <del>{was(key) || '空'}</del> <span aria-hidden="true">→</span> <ins>{typed[key] || '空'}</ins>
              </li>
            ))}
          </ul>
        )}
        {forgotNet && (
          <p className="edit-warn">
            <Icon name="warn" size={16} /> 「{net.label}」不会自动重算，请一起修改。
          </p>
        )}
        {refused && (
          <p className="form-error" role="alert">
            {refused.message}
          </p>
        )}
        <div>
          <label htmlFor={`${form}-reason`} className="ui-label">
            修改原因（员工会看到）
          </label>
          <Input
            id={`${form}-reason`}
            value={reason}
            maxLength={200}
            placeholder="例如：补发 10 月夜班津贴"
            status={noReason ? 'error' : ''}
            aria-invalid={noReason}
            aria-describedby={`${form}-reason-error`}
            onChange={(event) => setReason(event.target.value)}
          />
          <p id={`${form}-reason-error`} className="form-error" role="alert">
            {noReason && '请填写修改原因'}
          </p>
        </div>
        <p className="ui-hint">
          更正后 {line.name} 会收到通知，看到更正了哪些项目；之前的查看和确认不再有效，需要重新查看和确认。修改记录不能删除。
        </p>
      </form>
    </Modal>
  )
}
