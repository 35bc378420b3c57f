/** The parts of a correction: its cells, the consequences, and the two reasons. */
import { Input } from 'antd'
import { useId, useState } from 'react'
import { moneyRoles } from '../../../../server/contract/sheets/column-roles.ts'
import { Icon } from '../../../components/icon.tsx'
import styles from '../batch/batch.module.css'
import { type EditColumn, formatPayslipValue, hasMinus, isInvalidAmount } from './cells.ts'

/** All cells that can be corrected; if there are many, a search by name. */
export function CorrectionCells(props: {
  columns: readonly EditColumn[]
  getWas: (key: string) => string
  valueOf: (column: EditColumn) => string
  changes: readonly EditColumn[]
  onType: (key: string, text: string) => void
}) {
  const { columns } = props
  const id = useId()
  const [searchText, setSearchText] = useState('')
  const visibleColumns = columns.filter(({ label }) => label.includes(searchText.trim()))
  return (
    <>
      {columns.length > 12 && (
        <Input
          allowClear
          value={searchText}
          aria-label="查找项目"
          placeholder="查找项目"
          onChange={(event) => setSearchText(event.target.value)}
          onPressEnter={(event) => event.preventDefault()}
          prefix={<Icon name="search" />}
        />
      )}
      <ul className={styles.editCells} aria-label="工资项目">
        {visibleColumns.map((column) => (
          <CellField
            key={column.key}
            id={`${id}-${column.key}`}
            column={column}
            original={props.getWas(column.key)}
            value={props.valueOf(column)}
            changed={props.changes.includes(column)}
            onChange={(text) => props.onType(column.key, text)}
          />
        ))}
        {visibleColumns.length === 0 && <li className="ui-label">没有叫这个名字的项目</li>}
      </ul>
    </>
  )
}

type CellFieldProps = {
  id: string
  column: EditColumn
  original: string
  value: string
  changed: boolean
  onChange: (text: string) => void
}
/** A cell in the format of the wage sheet; a deduction has its minus sign before the field. */
const CellField = ({ id, column, original, value, changed, onChange }: CellFieldProps) => {
  const isInvalid = changed && isInvalidAmount(column, value)
  return (
    <li data-changed={changed || undefined}>
      <label htmlFor={id}>{column.label}</label>
      <Input
        id={id}
        value={value}
        maxLength={200}
        className={column.kind === 'text' || column.kind === 'date' ? '' : styles.editAmount}
        {...(hasMinus(column, original) ? { prefix: '−' } : {})}
        // A keypad of digits has no minus sign, which a negative amount needs.
        {...(moneyRoles.has(column.role) && !/^[-−(（]/.test(original) ? { inputMode: 'decimal' } : {})}
        {...(isInvalid ? { status: 'error', 'aria-invalid': true, 'aria-describedby': `${id}-error` } : {})}
        onChange={(event) => onChange(event.target.value)}
      />
      {isInvalid && (
        <p id={`${id}-error`} className={styles.formError} role="alert">
          请填写数字
        </p>
      )}
    </li>
  )
}

/** A total that is not the sum of its items: accept the calculated sum, or give a reason that the employee can read. */
export function MismatchReason(props: {
  uneven: readonly { label: string; expected: string }[]
  value: string
  wrong: boolean
  onChange: (why: string) => void
}) {
  const id = useId()
  return (
    <div className={styles.editWarn}>
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

/** The changes, old and new, with the updated totals. */
export function CorrectionChanges(props: {
  changes: readonly EditColumn[]
  was: (key: string) => string
  now: (key: string) => string
  followed: ReadonlyMap<string, string>
}) {
  const { changes, was: getOriginal, now: getCurrent, followed } = props
  if (changes.length === 0) return null
  return (
    <ul className={styles.editChanges} aria-label="将要更正" aria-live="polite">
      {changes.map((column) => (
        <li key={column.key}>
          <span>{column.label}</span>
          <del>{formatPayslipValue(column, getOriginal(column.key)) || '空'}</del> <span aria-hidden="true">→</span>{' '}
          <ins>{formatPayslipValue(column, getCurrent(column.key)) || '空'}</ins>
          {followed.has(column.key) && <small className="ui-hint"> 自动重算</small>}
        </li>
      ))}
    </ul>
  )
}

/** The reason for the correction, which the employee reads. */
export function CorrectionReason({
  value,
  missing: isMissing,
  onChange,
}: {
  value: string
  missing: boolean
  onChange: (reason: string) => void
}) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="ui-label">
        更正原因（员工会看到）
      </label>
      <Input
        id={id}
        value={value}
        maxLength={200}
        placeholder="例如：补发 10 月夜班津贴"
        status={isMissing ? 'error' : ''}
        aria-invalid={isMissing}
        aria-describedby={`${id}-error`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-error`} className={styles.formError} role="alert">
        {isMissing && '请填写更正原因'}
      </p>
    </div>
  )
}
