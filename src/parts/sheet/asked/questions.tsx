import { Button, Select } from 'antd'
import { useState } from 'react'
import type { Question, SheetInfo } from '../../../../server/contract/sheet/sheet.ts'
import { rows_a_part } from '../../../../server/contract/words/words.ts'
import { Icon } from '../../../ui/icon.tsx'
import { columnName } from '../words.ts'
import styles from './asked.module.css'

export type Answer = { id: string; value: string }
/** A cell to look at; `row: null` is the head of the column. */
export type Pointed = { row: number | null; key: string | null }

const shown = 5
/** More choices than these are a list to open. */
const buttons = 4
const labelOf = ({ choices }: Question, value: string) => choices.find((choice) => choice.value === value)?.label ?? value

/** Everything that is asked about a sheet, in one place. A sheet that leaves nothing open, and left nothing, shows no panel. */
export function Questions(props: {
  info: SheetInfo
  busy: boolean
  onAnswer: (answers: Answer[]) => void
  onLook: (place: Pointed) => void
}) {
  const { info, busy, onAnswer, onLook } = props
  const [all, setAll] = useState(false)
  const [changing, setChanging] = useState<readonly string[]>([])
  const { questions } = info
  if (questions.length === 0) return null
  const open = questions.filter(({ answer }) => answer === null)
  const must = open.filter((one) => one.must)
  const sorted = questions.toSorted(
    (a, b) => Number(a.answer !== null) - Number(b.answer !== null) || Number(b.must) - Number(a.must),
  )
  const suggested = open.filter((one) => one.suggested !== '')
  const answer = (one: Answer) => {
    setChanging(changing.filter((id) => id !== one.id))
    onAnswer([one])
  }
  const list = (
    <ul>
      {sorted.slice(0, all ? undefined : shown).map((one) =>
        one.answer !== null && !changing.includes(one.id) ? (
          <li key={one.id} className={styles.done}>
            <Icon name="check" size={16} />
            <span className="ui-grow">
              {one.message} <b>{labelOf(one, one.answer)}</b>
            </span>
            <Button type="link" size="small" disabled={busy} onClick={() => setChanging([...changing, one.id])}>
              改<span className="sr-only">：{one.message}</span>
            </Button>
          </li>
        ) : (
          <Asked key={one.id} one={one} info={info} busy={busy} onAnswer={answer} onLook={onLook} />
        ),
      )}
      {!all && questions.length > shown && (
        <li>
          <Button type="link" onClick={() => setAll(true)}>
            还有 {questions.length - shown} 处
          </Button>
        </li>
      )}
    </ul>
  )
  // Nothing is left to do: one line, that opens for whoever thinks better of it.
  if (open.length === 0)
    return (
      <section className={`${styles.root} ${styles.folded}`} aria-label="需要您确认的">
        <details>
          <summary>{questions.length} 处都确认过了</summary>
          {list}
        </details>
      </section>
    )
  return (
    <section className={`ui-card ${styles.root}`} aria-label="需要您确认的">
      <header className="ui-row">
        <h2 className="ui-grow">
          需要您确认 {open.length} 处{must.length > 0 && <small>其中 {must.length} 处必须回答</small>}
        </h2>
        {suggested.length > 1 && (
          <Button disabled={busy} onClick={() => onAnswer(suggested.map(({ id, suggested: value }) => ({ id, value })))}>
            都按建议
          </Button>
        )}
      </header>
      {list}
    </section>
  )
}

function Asked(props: {
  one: Question
  info: SheetInfo
  busy: boolean
  onAnswer: (answer: Answer) => void
  onLook: (place: Pointed) => void
}) {
  const { one, info, busy, onAnswer, onLook } = props
  const [value, setValue] = useState(one.answer ?? one.suggested)
  const column = info.columns.find(({ key }) => key === one.key)
  return (
    <li className={styles.open}>
      <div className={styles.what}>
        <p>
          {one.must && <b className={styles.must}>必答</b>}
          {one.message}
        </p>
        <p className={styles.where}>
          {column && (
            <button type="button" onClick={() => onLook({ row: null, key: column.key })}>
              {column.col} 列「{columnName(column)}」
            </button>
          )}
          {one.rows.slice(0, 6).map((row) => (
            <button key={row} type="button" onClick={() => onLook({ row, key: one.key })}>
              第 {((row - 1) % rows_a_part) + 1} 行
            </button>
          ))}
          {one.rows.length > 6 && <span>等 {one.rows.length >= 50 ? '50 多' : one.rows.length} 行</span>}
        </p>
      </div>
      {one.choices.length > buttons ? (
        <span className={styles.choose}>
          <Select
            aria-label={one.message}
            value={value || null}
            placeholder="请选择"
            disabled={busy}
            style={{ width: 168 }}
            options={one.choices.map((choice) => ({
              value: choice.value,
              label: choice.value === one.suggested ? `${choice.label}（建议）` : choice.label,
            }))}
            onChange={setValue}
          />
          <Button disabled={busy || !value} onClick={() => onAnswer({ id: one.id, value })}>
            {value ? `用「${labelOf(one, value)}」` : '确认'}
          </Button>
        </span>
      ) : (
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is drawn differently by every browser
        <span className={styles.choose} role="group" aria-label={one.message}>
          {one.choices.map((choice) => (
            <Button
              key={choice.value}
              disabled={busy}
              aria-pressed={one.answer === choice.value}
              className={choice.value === one.suggested ? styles.suggested : ''}
              onClick={() => onAnswer({ id: one.id, value: choice.value })}
            >
              {choice.label}
              {choice.value === one.suggested && <small>建议</small>}
            </Button>
          ))}
        </span>
      )}
    </li>
  )
}
