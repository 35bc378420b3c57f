import { useQuery } from '@tanstack/react-query'
import { Button, Input, type InputRef } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import { type Column, getSheetRow } from '../../../../../server/contract/sheets/sheet.ts'
import { callQuery } from '../../../../api.ts'
import { LightForm } from '../../../../components/form/light-form.tsx'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { getColumnName } from '../../labels.ts'
import styles from './card.module.css'

/**
 * A row of the wage sheet with its labels. Any cell can be selected and corrected; the cell in question is selected
 * first.
 */
export function RowCells(props: {
  batch_id: string
  row: number
  columns: readonly Column[]
  /** The key of the column in question. */
  marked: string | null
  /** The column selected first; with null, none is selected. */
  begin: string | null
  busy: boolean
  /** The error message for the typed value. */
  wrong: string | null
  onSave: (column: string, value: string) => void
  onClose: () => void
}) {
  const { batch_id, row, columns, marked: issueColumn } = props
  const sheetRow = useQuery(callQuery(getSheetRow, { batch_id, row }))
  const [selectedKey, setSelectedKey] = useState(props.begin)
  if (sheetRow.error && !sheetRow.data) return <ErrorState error={sheetRow.error} retry={() => void sheetRow.refetch()} />
  if (!sheetRow.data) return <p className="ui-hint">正在读取这一行…</p>
  const { cells } = sheetRow.data
  const column = columns.find(({ key }) => key === selectedKey)
  return (
    <>
      <CellStrip columns={columns} of={sheetRow.data} marked={issueColumn} selected={selectedKey} onChoose={setSelectedKey} />
      {column ? (
        <CellEditor
          key={`${column.key}:${cells[column.key] ?? ''}`}
          label={getColumnName(column)}
          value={cells[column.key] ?? ''}
          busy={props.busy}
          wrong={props.wrong}
          onSave={(value) => props.onSave(column.key, value)}
          onClose={props.onClose}
        />
      ) : (
        <div className="ui-row">
          <span className="ui-hint">要改哪一格，就点哪一格</span>
          <Button
            size="small"
            type="text"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- opened by the user's own press
            autoFocus
            onClick={props.onClose}
          >
            收起
          </Button>
        </div>
      )}
    </>
  )
}

/** The cells in one row, scrolled to the cell in question. */
function CellStrip(props: {
  columns: readonly Column[]
  of: CallOutput<typeof getSheetRow>
  marked: string | null
  selected: string | null
  onChoose: (key: string) => void
}) {
  const { columns, marked: issueColumn, selected: selectedKey, onChoose: onSelect } = props
  const { cells, edited } = props.of
  const strip = useRef<HTMLUListElement>(null)
  // Centers the cell in question between its neighbours.
  useEffect(() => {
    const container = strip.current
    const cell = container?.querySelector<HTMLElement>('[data-marked]')
    if (container && cell) container.scrollLeft = cell.offsetLeft - (container.clientWidth - cell.offsetWidth) / 2
  }, [])
  return (
    <ul ref={strip} className={styles.checkCells} aria-label="这一行的单元格">
      {columns.map((column) => {
        const text = cells[column.key] ?? ''
        const label = getColumnName(column)
        const note = edited.includes(column.key) ? '，已改过' : ''
        return (
          <li key={column.key} data-marked={column.key === issueColumn || undefined} data-edited={note !== '' || undefined}>
            <button
              type="button"
              aria-pressed={column.key === selectedKey}
              aria-label={`${label}：${text || '空'}${note}，点按修改`}
              onClick={() => onSelect(column.key)}
            >
              <span>{label}</span>
              <b>{text || '空'}</b>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function CellEditor(props: {
  label: string
  value: string
  busy: boolean
  wrong: string | null
  onSave: (value: string) => void
  onClose: () => void
}) {
  const [text, setText] = useState(props.value)
  // The error belongs to the submitted text; a changed text has none.
  const [sent, setSent] = useState<string | null>(null)
  const error = sent === text ? props.wrong : null
  const input = useRef<InputRef>(null)
  // While the value is checked, the focus waits on the item; a refused value is typed again at once.
  useEffect(() => {
    if (error && !props.busy) input.current?.focus()
  }, [error, props.busy])
  const { busy, onSave } = props
  // A press while the previous save is still being checked is executed as soon as that is done.
  const isSavePending = useRef(false)
  useEffect(() => {
    if (!isSavePending.current || busy || sent === null) return
    isSavePending.current = false
    onSave(sent)
  }, [busy, sent, onSave])
  return (
    <LightForm
      className={styles.checkForm}
      onSubmit={() => {
        if (text === props.value) return
        setSent(text)
        if (busy) isSavePending.current = true
        else onSave(text)
      }}
    >
      <div className="ui-row">
        <label className={styles.checkEdit}>
          <span>「{props.label}」改为</span>
          <Input
            ref={input}
            size="small"
            value={text}
            maxLength={200}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- opened by the user's own press
            autoFocus
            {...(error ? { status: 'error', 'aria-invalid': true } : {})}
            onFocus={(event) => event.target.select()}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <Button size="small" type="primary" htmlType="submit" loading={busy && sent === text} disabled={text === props.value}>
          保存
        </Button>
        <Button size="small" type="text" onClick={props.onClose}>
          取消
        </Button>
      </div>
      {error && (
        <p className="ui-error" role="alert">
          {error}
        </p>
      )}
    </LightForm>
  )
}
