import { DatePicker, Form, Input, Select } from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import { titleKinds } from '../../../server/contract/shared/schemas.ts'
import { changeTitleMonth, type TitleGuess, titleKindLabels } from './labels.ts'
import styles from './send.module.css'

export type TitleErrors = { title?: string | undefined; month?: string | undefined }

/** Title, month and kind of the pay run on one line. Enter in the title continues to the next step. */
export function TitleForm(props: {
  value: TitleGuess
  errors: TitleErrors
  /** Why the month should be checked. */
  hint: string | null
  onChange: (value: TitleGuess) => void
  onSubmit: () => void
}) {
  const { value, errors, onChange } = props
  return (
    <Form layout="inline" colon={false} className={styles.title} onFinish={props.onSubmit} component="form">
      <Form.Item
        label="标题"
        htmlFor="send-title"
        validateStatus={errors.title ? 'error' : ''}
        help={errors.title}
        className="ui-grow"
      >
        <Input
          id="send-title"
          value={value.title}
          maxLength={40}
          placeholder="如 2026年10月工资，员工会看到"
          onChange={(event) => onChange({ ...value, title: event.target.value })}
        />
      </Form.Item>
      <Form.Item label="月份" htmlFor="send-month" validateStatus={errors.month ? 'error' : ''} help={errors.month}>
        <DatePicker
          id="send-month"
          picker="month"
          aria-describedby={props.hint ? 'send-month-hint' : undefined}
          allowClear={false}
          value={value.month ? dayjs(`${value.month}-01`) : null}
          onChange={(next) => next && onChange(changeTitleMonth(value, next.format('YYYY-MM')))}
          // Enter selects the month; it must not submit the form.
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
      </Form.Item>
      <Form.Item label="类型" htmlFor="send-kind">
        <Select
          id="send-kind"
          value={value.kind}
          style={{ width: 104 }}
          options={titleKinds.map((kind) => ({ value: kind, label: titleKindLabels[kind] }))}
          onChange={(kind) => onChange({ ...value, kind })}
        />
      </Form.Item>
      {props.hint && (
        <p id="send-month-hint" className={`ui-hint ${styles.monthHint}`}>
          {props.hint}
        </p>
      )}
      {/* Enter in a form with several fields submits only if there is a submit button. */}
      <button type="submit" hidden aria-label="核对" />
    </Form>
  )
}

/** Title and month as suggested, until the user types; other sheets of the file get their own suggestions. */
export function useTitleDraft(guess: TitleGuess) {
  const [name, setName] = useState(guess)
  const [offered, setOffered] = useState(guess)
  const isSame = (other: TitleGuess) =>
    other.title === offered.title && other.month === offered.month && other.kind === offered.kind
  if (!isSame(guess)) {
    setOffered(guess)
    if (isSame(name)) setName(guess)
  }
  return [name, setName] as const
}
