import { useQuery } from '@tanstack/react-query'
import { Button, Input } from 'antd'
import { useEffect, useRef, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { type Column, getSheetRow } from '../../../../server/contract/sheet/sheet.ts'
import { query } from '../../../api.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { columnName } from '../../sheet/words.ts'
import styles from './card.module.css'

/** A row of the sheet as it stands, under its labels. Any of its cells is chosen to be corrected; the one in question is chosen to begin with. */
export function RowCells(props: {
  batch_id: string
  row: number
  columns: readonly Column[]
  /** The key of the column in question. */
  marked: string | null
  /** The column to begin with; null: one looks first. */
  begin: string | null
  busy: boolean
  /** Why what was typed was refused. */
  wrong: string | null
  onSave: (column: string, value: string) => void
  onClose: () => void
}) {
  const { batch_id, row, columns, marked } = props
  const asked = useQuery(query(getSheetRow, { batch_id, row }))
  const [chosen, setChosen] = useState(props.begin)
  if (asked.error && !asked.data) return <ErrorState error={asked.error} retry={() => void asked.refetch()} />
  if (!asked.data) return <p className="ui-hint">正在读取这一行…</p>
  const { cells } = asked.data
  const column = columns.find(({ key }) => key === chosen)
  return (
    <>
      <Strip columns={columns} of={asked.data} marked={marked} chosen={chosen} onChoose={setChosen} />
      {column ? (
        <Edit
          key={`${column.key}:${cells[column.key] ?? ''}`}
          label={columnName(column)}
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

/** Its cells side by side, the one in question in sight. */
function Strip(props: {
  columns: readonly Column[]
  of: OutputOf<typeof getSheetRow>
  marked: string | null
  chosen: string | null
  onChoose: (key: string) => void
}) {
  const { columns, marked, chosen, onChoose } = props
  const { cells, edited } = props.of
  const strip = useRef<HTMLUListElement>(null)
  // The cell in question in the middle, its neighbours on both sides.
  useEffect(() => {
    const all = strip.current
    const cell = all?.querySelector<HTMLElement>('[data-marked]')
    if (all && cell) all.scrollLeft = cell.offsetLeft - (all.clientWidth - cell.offsetWidth) / 2
  }, [])
  return (
    <ul ref={strip} className={styles.checkCells} aria-label="这一行的单元格">
      {columns.map((one) => {
        const text = cells[one.key] ?? ''
        const label = columnName(one)
        const note = edited.includes(one.key) ? '，已改过' : ''
        return (
          <li key={one.key} data-marked={one.key === marked || undefined} data-edited={note !== '' || undefined}>
            <button
              type="button"
              aria-pressed={one.key === chosen}
              aria-label={`${label}：${text || '空'}${note}，点按修改`}
              onClick={() => onChoose(one.key)}
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

function Edit(props: {
  label: string
  value: string
  busy: boolean
  wrong: string | null
  onSave: (value: string) => void
  onClose: () => void
}) {
  const [text, setText] = useState(props.value)
  // Said of what was sent; another text is innocent.
  const [sent, setSent] = useState<string | null>(null)
  const wrong = sent === text ? props.wrong : null
  const { busy, onSave } = props
  // Pressed while what was saved before is being checked: it goes as soon as that is done.
  const waits = useRef(false)
  useEffect(() => {
    if (!waits.current || busy || sent === null) return
    waits.current = false
    onSave(sent)
  }, [busy, sent, onSave])
  return (
    <form
      className={styles.checkForm}
      onSubmit={(event) => {
        event.preventDefault()
        if (text === props.value) return
        setSent(text)
        if (busy) waits.current = true
        else onSave(text)
      }}
    >
      <div className="ui-row">
        <label className={styles.checkEdit}>
          <span>「{props.label}」改为</span>
          <Input
            size="small"
            value={text}
            maxLength={200}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- opened by the user's own press
            autoFocus
            {...(wrong ? { status: 'error', 'aria-invalid': true } : {})}
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
      {wrong && (
        <p className="ui-error" role="alert">
          {wrong}
        </p>
      )}
    </form>
  )
}
