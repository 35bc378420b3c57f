import { type ButtonProps, Input, Modal } from 'antd'
import { type FormEvent, useId, useState } from 'react'
import { formatFen, signed } from '../../../../server/contract/money.ts'
import { editSalaryDetail } from '../../../../server/contract/slip.ts'
import { ApiError, intent, useCall } from '../../../api.ts'
import { ReturnFocus } from '../../../ui/dialogs.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { toast } from '../../../ui/toast.ts'
import type { Detail, SlipLine } from '../words.ts'
import { type EditColumn, hasMinus, isSame, onSlip, reckon, spelled } from './cells.ts'
import '../batch.css'

/** Who it is cannot be corrected on the slip; that is the roster's business. */
const identity = new Set(['name', 'last_name', 'first_name', 'mobile', 'id_card', 'employee_no', 'email', 'ignore'])

/** What comes of it. */
const told = ({ name, status }: SlipLine) =>
  status === 'withdrawn'
    ? '这张工资条已经撤回：更正后不会自动发出，请再点「重新发送」。修改记录不能删除。'
    : `更正后 ${name} 会收到通知，看到更正了哪些项目；之前的查看和确认不再有效，需要重新查看和确认。修改记录不能删除。`

type Editing = Pick<Detail, 'columns' | 'sums'> & { line: SlipLine; onClose: () => void }
/** Correcting one person's slip: change cells, see from → to, say why. Totals move with their items. Mounted while it is open. */
export function EditDialog({ line, columns, sums, onClose }: Editing) {
  const form = useId()
  const withdrawn = line.status === 'withdrawn'
  const [key] = useState(intent)
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [reason, setReason] = useState('')
  const [whyNot, setWhyNot] = useState('')
  const [tried, setTried] = useState(false)
  const edit = useCall(editSalaryDetail, {
    key,
    handles: (error) => error.field !== undefined,
    onSuccess: () => {
      toast.done(`已更正 ${line.name} 的工资条${withdrawn ? '，还没有重新发送' : ''}`)
      onClose()
    },
  })
  const was = (key: string) => line.cells[key]?.value ?? ''
  const { followed, uneven } = reckon(line, { columns, sums }, typed)
  const now = (key: string) => typed[key] ?? followed.get(key) ?? was(key)
  const changes = columns.filter((column) => !isSame(column, now(column.key), was(column.key)))
  const mine = changes.filter(({ key }) => key in typed)
  const noReason = tried && reason.trim() === ''
  const refused = edit.error instanceof ApiError && edit.error.field !== undefined ? edit.error : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (mine.length === 0 || reason.trim() === '' || (uneven.length > 0 && whyNot.trim() === '')) return
    edit.mutate({
      salary_id: line.salary_id,
      reason,
      cells: mine.map(({ key }) => ({ key, value: now(key) })),
      ...(uneven.length > 0 ? { why_not: whyNot } : {}),
    })
  }
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
      <ReturnFocus />
      <form id={form} onSubmit={submit} className="ui-stack" noValidate>
        <Cells
          columns={columns.filter(({ role }) => !identity.has(role))}
          wasOf={was}
          // What one types stays as it is typed.
          valueOf={(column) => typed[column.key] ?? spelled(column, now(column.key))}
          changes={changes}
          onType={(key, text) => setTyped({ ...typed, [key]: text })}
        />
        <Changes changes={changes} was={was} now={now} followed={followed} />
        {uneven.length > 0 && (
          <Uneven
            uneven={uneven.map(({ key, expected }) => {
              const column = columns.find((one) => one.key === key)
              return { label: column?.label ?? '', expected: formatFen(signed(expected, column?.sign ?? 'own')) }
            })}
            value={whyNot}
            wrong={tried && whyNot.trim() === ''}
            onChange={setWhyNot}
          />
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
        <p className="ui-hint">{told(line)}</p>
      </form>
    </Modal>
  )
}

/** All that can be corrected; of many one looks for a part of its name. */
function Cells(props: {
  columns: readonly EditColumn[]
  wasOf: (key: string) => string
  valueOf: (column: EditColumn) => string
  changes: readonly EditColumn[]
  onType: (key: string, text: string) => void
}) {
  const { columns } = props
  const id = useId()
  const [asked, setAsked] = useState('')
  const shown = columns.filter(({ label }) => label.includes(asked.trim()))
  return (
    <>
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
        {shown.map((column) => (
          <Field
            key={column.key}
            id={`${id}-${column.key}`}
            column={column}
            was={props.wasOf(column.key)}
            value={props.valueOf(column)}
            changed={props.changes.includes(column)}
            onChange={(text) => props.onType(column.key, text)}
          />
        ))}
        {shown.length === 0 && <li className="ui-label">没有叫这个名字的项目</li>}
      </ul>
    </>
  )
}

type FieldProps = {
  id: string
  column: EditColumn
  was: string
  value: string
  changed: boolean
  onChange: (text: string) => void
}
/** A cell, as its sheet wrote it; what is taken off has its minus sign before the field. */
const Field = ({ id, column, was, value, changed, onChange }: FieldProps) => (
  <li data-changed={changed || undefined}>
    <label htmlFor={id}>{column.label}</label>
    <Input
      id={id}
      value={value}
      maxLength={200}
      className={column.kind === 'text' || column.kind === 'date' ? '' : 'edit-amount'}
      {...(hasMinus(column, was) ? { prefix: '−' } : {})}
      onChange={(event) => onChange(event.target.value)}
    />
  </li>
)

/** A total that is not the sum of its items: right as the items say, or with a reason that the person can read. */
function Uneven(props: {
  uneven: readonly { label: string; expected: string }[]
  value: string
  wrong: boolean
  onChange: (why: string) => void
}) {
  const id = useId()
  return (
    <div className="edit-warn">
      <Icon name="warn" size={16} />
      <div className="ui-grow">
        {props.uneven.map(({ label, expected }) => (
          <p key={label}>
            「{label}」按各项算应是 <strong>{expected}</strong>，和您填的不一样。
          </p>
        ))}
        <label htmlFor={id}>改成一致，或说明为什么不一样（员工会看到）</label>
        <Input
          id={id}
          value={props.value}
          maxLength={100}
          placeholder="例如：上月多发的 200 元在这里扣回"
          status={props.wrong ? 'error' : ''}
          aria-invalid={props.wrong}
          onChange={(event) => props.onChange(event.target.value)}
        />
      </div>
    </div>
  )
}

/** From and to, and what moved along. */
function Changes(props: {
  changes: readonly EditColumn[]
  was: (key: string) => string
  now: (key: string) => string
  followed: ReadonlyMap<string, string>
}) {
  const { changes, was, now, followed } = props
  if (changes.length === 0) return null
  return (
    <ul className="edit-changes" aria-label="将要更正" aria-live="polite">
      {changes.map((column) => (
        <li key={column.key}>
          <span>{column.label}</span>
          <del>{onSlip(column, was(column.key)) || '空'}</del> <span aria-hidden="true">→</span>{' '}
          <ins>{onSlip(column, now(column.key)) || '空'}</ins>
          {followed.has(column.key) && <small className="ui-hint"> 随各项变动</small>}
        </li>
      ))}
    </ul>
  )
}
