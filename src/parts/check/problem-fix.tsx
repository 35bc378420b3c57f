import { Button, Input } from 'antd'
import { useState } from 'react'
import type { Column, Problem } from '../../../server/contract/sheet.ts'
import type { Fix } from '../../../server/contract/words.ts'
import { columnName } from '../sheet/words.ts'
import { MemberPicker } from './member-picker.tsx'
import { RowCells } from './row-cells.tsx'

export type Deal = { problem_id: string; fix: Fix; member_id?: string; value?: string }
/** A problem is opened to correct its cell, to look somebody up, or only to see its row. */
export type Opened = 'edit' | 'match' | 'look'
export const openedBy = ({ fix, column }: Problem): Opened =>
  fix.includes('edit') && column !== null ? 'edit' : fix.includes('match') ? 'match' : 'look'

/** A problem opened: its row with the cell in question, and what is done about it. */
export function ProblemFix(props: {
  batch_id: string
  problem: Problem
  columns: readonly Column[]
  on: Opened
  busy: boolean
  onDeal: (deal: Deal) => void
  onClose: () => void
}) {
  const { batch_id, problem, columns, on, busy, onDeal, onClose } = props
  const column = columns.find(({ key }) => key === problem.column)
  return (
    <div className="check-fix">
      {problem.row > 0 && (
        <RowCells batch_id={batch_id} row={problem.row} columns={columns} marked={problem.column}>
          {(value) =>
            on === 'edit' &&
            column && (
              <Edit
                key={value}
                label={columnName(column)}
                value={value}
                busy={busy}
                onSave={(next) => onDeal({ problem_id: problem.id, fix: 'edit', value: next })}
                onClose={onClose}
              />
            )
          }
        </RowCells>
      )}
      {on === 'match' && (
        <MemberPicker onPick={(member_id) => onDeal({ problem_id: problem.id, fix: 'match', member_id })} onClose={onClose} />
      )}
      {on === 'look' && (
        <div>
          <Button
            size="small"
            type="text"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- opened by the user's own press
            autoFocus
            onClick={onClose}
          >
            收起
          </Button>
        </div>
      )}
    </div>
  )
}

function Edit(props: { label: string; value: string; busy: boolean; onSave: (value: string) => void; onClose: () => void }) {
  const [text, setText] = useState(props.value)
  return (
    <form
      className="ui-row"
      onSubmit={(event) => {
        event.preventDefault()
        if (text !== props.value) props.onSave(text)
      }}
    >
      <label className="check-edit">
        <span>「{props.label}」改为</span>
        <Input
          size="small"
          value={text}
          maxLength={200}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- opened by the user's own press
          autoFocus
          onFocus={(event) => event.target.select()}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <Button size="small" type="primary" htmlType="submit" loading={props.busy} disabled={text === props.value}>
        保存
      </Button>
      <Button size="small" type="text" onClick={props.onClose}>
        取消
      </Button>
    </form>
  )
}
