import { type ButtonProps, Input, Modal } from 'antd'
import { type FormEvent, useId, useState } from 'react'
import { formatFen, parseFen, plainFen } from '../../../server/contract/money.ts'
import { editSalaryDetail, follow } from '../../../server/contract/slip.ts'
import { ApiError, intent, useCall } from '../../api.ts'
import { Icon } from '../../ui/icon.tsx'
import { toast } from '../../ui/toast.ts'
import type { Detail, SlipLine } from './words.ts'
import './batch.css'

/** Who it is cannot be corrected on the slip; that is the roster's business. */
const identity = new Set(['name', 'last_name', 'first_name', 'mobile', 'id_card', 'employee_no', 'email', 'ignore'])

const fenOf = (text: string | undefined) => parseFen((text ?? '').replaceAll(/[,，\s¥￥]/g, ''))
const amountsOf = (texts: Record<string, string | undefined>) =>
  new Map(
    Object.entries(texts).flatMap(([key, text]) => {
      const fen = text === '' ? 0 : fenOf(text)
      return fen === null ? [] : [[key, fen] as const]
    }),
  )

/** What moves along with what was typed, and what contradicts it: as the server reckons it. */
function reckon(line: SlipLine, { columns, sums }: Pick<Detail, 'columns' | 'sums'>, typed: Record<string, string>) {
  const money = new Set(sums.flatMap(({ key, plus, minus }) => [key, ...plus, ...minus]))
  const texts = columns.flatMap(({ key }) => (money.has(key) && line.cells[key] ? [[key, line.cells[key].value] as const] : []))
  const changed = Object.entries(typed).filter(([key, text]) => money.has(key) && text !== (line.cells[key]?.value ?? ''))
  const { followed, uneven } = follow(sums, amountsOf(Object.fromEntries(texts)), amountsOf(Object.fromEntries(changed)))
  return { followed: new Map([...followed].map(([key, fen]) => [key, plainFen(fen)])), uneven }
}

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
  const [asked, setAsked] = useState('')
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
  const changes = columns.filter(({ key }) => now(key) !== was(key))
  const mine = changes.filter(({ key }) => key in typed)
  const shown = columns.filter(({ label, role }) => !identity.has(role) && label.includes(asked.trim()))
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
                value={now(key)}
                maxLength={200}
                className={kind === 'text' || kind === 'date' ? '' : 'edit-amount'}
                onChange={(event) => setTyped({ ...typed, [key]: event.target.value })}
              />
            </li>
          ))}
          {shown.length === 0 && <li className="ui-label">没有叫这个名字的项目</li>}
        </ul>
        <Changes changes={changes} was={was} now={now} followed={followed} />
        {uneven.length > 0 && (
          <Uneven
            uneven={uneven.map((one) => ({ ...one, label: columns.find(({ key }) => key === one.key)?.label ?? '' }))}
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

/** A total that is not the sum of its items: right as the items say, or with a reason that the person can read. */
function Uneven(props: {
  uneven: readonly { label: string; expected: number }[]
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
            「{label}」按各项算应是 <strong>{formatFen(expected)}</strong>，和您填的不一样。
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
  changes: readonly { key: string; label: string }[]
  was: (key: string) => string
  now: (key: string) => string
  followed: ReadonlyMap<string, string>
}) {
  const { changes, was, now, followed } = props
  if (changes.length === 0) return null
  return (
    <ul className="edit-changes" aria-label="将要更正" aria-live="polite">
      {changes.map(({ key, label }) => (
        <li key={key}>
          <span>{label}</span>
          <del>{was(key) || '空'}</del> <span aria-hidden="true">→</span> <ins>{now(key) || '空'}</ins>
          {followed.has(key) && <small className="ui-hint"> 随各项变动</small>}
        </li>
      ))}
    </ul>
  )
}
