import { Button, Select } from 'antd'
import { useState } from 'react'
import { rowsPerSheet } from '../../../../server/contract/shared/schemas.ts'
import type { Question, WageSheetInfo } from '../../../../server/contract/sheets/sheet.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { getColumnName } from '../labels.ts'
import styles from './questions.module.css'

/** A label that names a column is already quoted. */
const quoteOnce = (label: string): string => (label.startsWith('「') ? label : `「${label}」`)

export type QuestionAnswer = { id: string; value: string }
/** A cell to show; `row: null` is the column header. */
export type CellPosition = { row: number | null; key: string | null }

const maxVisible = 5
/** More choices than this are shown as a dropdown. */
const maxChoiceButtons = 4
const getChoiceLabel = ({ choices }: Question, value: string) => choices.find((choice) => choice.value === value)?.label ?? value

/** All questions about a wage sheet in one place. Renders nothing if there are no open or answered questions. */
export function SheetQuestions(props: {
  info: WageSheetInfo
  busy: boolean
  onAnswer: (answers: QuestionAnswer[]) => void
  onView: (place: CellPosition) => void
}) {
  const { info, busy, onAnswer, onView: onShowCell } = props
  const [showsAll, setShowsAll] = useState(false)
  const [editedIds, setEditedIds] = useState<readonly string[]>([])
  const { questions } = info
  if (questions.length === 0) return null
  const open = questions.filter(({ answer }) => answer === null)
  const mandatory = open.filter((question) => question.must)
  const sorted = questions.toSorted(
    (a, b) => Number(a.answer !== null) - Number(b.answer !== null) || Number(b.must) - Number(a.must),
  )
  const suggested = open.filter((question) => question.suggested !== '')
  const answer = (one: QuestionAnswer) => {
    setEditedIds(editedIds.filter((id) => id !== one.id))
    onAnswer([one])
  }
  const list = (
    <ul>
      {sorted.slice(0, showsAll ? undefined : maxVisible).map((question) =>
        question.answer !== null && !editedIds.includes(question.id) ? (
          <li key={question.id} className={styles.done}>
            <Icon name="check" size={16} />
            <span className="ui-grow">
              {question.message} <b>{getChoiceLabel(question, question.answer)}</b>
            </span>
            <Button type="link" size="small" disabled={busy} onClick={() => setEditedIds([...editedIds, question.id])}>
              改<span className="sr-only">：{question.message}</span>
            </Button>
          </li>
        ) : (
          <OpenQuestion key={question.id} one={question} info={info} busy={busy} onAnswer={answer} onView={onShowCell} />
        ),
      )}
      {!showsAll && questions.length > maxVisible && (
        <li>
          <Button type="link" onClick={() => setShowsAll(true)}>
            还有 {questions.length - maxVisible} 处
          </Button>
        </li>
      )}
    </ul>
  )
  // Shown when all questions are answered: one line that can be expanded to change answers.
  if (open.length === 0)
    return (
      <section className={`${styles.root} ${styles.folded}`} aria-label="需要您确认的">
        <details>
          <summary>{formatCount(questions.length)} 处都确认过了</summary>
          {list}
        </details>
      </section>
    )
  return (
    <section className={`ui-card ${styles.root}`} aria-label="需要您确认的">
      <header className="ui-row">
        <h2 className="ui-grow">
          需要您确认 {formatCount(open.length)} 处
          {mandatory.length > 0 && <small>其中 {formatCount(mandatory.length)} 处必须回答</small>}
        </h2>
        {suggested.length > 1 && (
          <Button disabled={busy} onClick={() => onAnswer(suggested.map(({ id, suggested: value }) => ({ id, value })))}>
            全部采用建议
          </Button>
        )}
      </header>
      {list}
    </section>
  )
}

function OpenQuestion(props: {
  one: Question
  info: WageSheetInfo
  busy: boolean
  onAnswer: (answer: QuestionAnswer) => void
  onView: (place: CellPosition) => void
}) {
  const { one: question, info, busy, onAnswer, onView: onShowCell } = props
  const [value, setValue] = useState(question.answer ?? question.suggested)
  const column = info.columns.find(({ key }) => key === question.key)
  return (
    <li className={styles.open}>
      <div className={styles.what}>
        <p>
          {question.must && <b className={styles.must}>必答</b>}
          {question.message}
        </p>
        <p className={styles.where}>
          {column && (
            <button type="button" onClick={() => onShowCell({ row: null, key: column.key })}>
              {column.col} 列「{getColumnName(column)}」
            </button>
          )}
          {question.rows.slice(0, 6).map((row) => (
            <button key={row} type="button" onClick={() => onShowCell({ row, key: question.key })}>
              第 {((row - 1) % rowsPerSheet) + 1} 行
            </button>
          ))}
          {question.rows.length > 6 && <span>等 {question.rows.length >= 50 ? '50 多' : question.rows.length} 行</span>}
        </p>
      </div>
      {question.choices.length > maxChoiceButtons ? (
        <span className={styles.choose}>
          <Select
            aria-label={question.message}
            value={value || null}
            placeholder="请选择"
            disabled={busy}
            style={{ width: 168 }}
            options={question.choices.map((choice) => ({
              value: choice.value,
              label: choice.value === question.suggested ? `${choice.label}（建议）` : choice.label,
            }))}
            onChange={setValue}
          />
          <Button disabled={busy || !value} onClick={() => onAnswer({ id: question.id, value })}>
            {value ? `用${quoteOnce(getChoiceLabel(question, value))}` : '确认'}
          </Button>
        </span>
      ) : (
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is drawn differently by every browser
        <span className={styles.choose} role="group" aria-label={question.message}>
          {question.choices.map((choice) => (
            <Button
              key={choice.value}
              disabled={busy}
              aria-pressed={question.answer === choice.value}
              className={choice.value === question.suggested ? styles.suggested : ''}
              onClick={() => onAnswer({ id: question.id, value: choice.value })}
            >
              {choice.label}
              {choice.value === question.suggested && <small>建议</small>}
            </Button>
          ))}
        </span>
      )}
    </li>
  )
}
