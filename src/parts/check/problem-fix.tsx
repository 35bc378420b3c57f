import { Button, Input } from 'antd'
import { useState } from 'react'
import type { Problem } from '../../../server/contract/sheet.ts'
import type { Fix } from '../../../server/contract/words.ts'
import { MemberPicker } from './member-picker.tsx'

export type Deal = { problem_id: string; fix: Fix; member_id?: string; value?: string }

/** What can be done about one problem, beside it. */
export function ProblemFix(props: { problem: Problem; value: string; busy: boolean; onDeal: (deal: Deal) => void }) {
  const { problem, value, busy } = props
  const [open, setOpen] = useState<'edit' | 'search' | null>(null)
  const deal = (fix: Fix, more: Pick<Deal, 'member_id' | 'value'> = {}) => props.onDeal({ problem_id: problem.id, fix, ...more })
  const has = (fix: Fix) => problem.fix.includes(fix)
  return (
    <div className="check-fix">
      {has('match') && problem.candidates.length > 0 && (
        <ul aria-label="可能是这些人">
          {problem.candidates.map((person) => (
            <li key={person.member_id}>
              <span>
                {person.name} {person.mobile_masked} <small>{person.departments}</small>
              </span>
              <Button size="small" disabled={busy} onClick={() => deal('match', { member_id: person.member_id })}>
                就是此人
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="ui-row">
        {has('create') && (
          <Button size="small" type="primary" ghost disabled={busy} onClick={() => deal('create')}>
            创建员工
          </Button>
        )}
        {has('edit') && open !== 'edit' && (
          <Button size="small" disabled={busy} onClick={() => setOpen('edit')}>
            修改单元格
          </Button>
        )}
        {has('match') && open !== 'search' && (
          <Button size="small" disabled={busy} onClick={() => setOpen('search')}>
            {problem.candidates.length ? '找其他人' : '在花名册里找'}
          </Button>
        )}
        {has('accept') && (
          <Button size="small" disabled={busy} onClick={() => deal('accept')}>
            没问题
          </Button>
        )}
        {has('skip') && (
          <Button size="small" type="text" disabled={busy} onClick={() => deal('skip')}>
            跳过此人
          </Button>
        )}
      </div>
      {open === 'edit' && (
        <Edit value={value} busy={busy} onSave={(next) => deal('edit', { value: next })} onClose={() => setOpen(null)} />
      )}
      {open === 'search' && <MemberPicker onPick={(member_id) => deal('match', { member_id })} onClose={() => setOpen(null)} />}
    </div>
  )
}

function Edit(props: { value: string; busy: boolean; onSave: (value: string) => void; onClose: () => void }) {
  const [text, setText] = useState(props.value)
  return (
    <form
      className="ui-row"
      onSubmit={(event) => {
        event.preventDefault()
        props.onSave(text)
      }}
      onKeyDown={(event) => event.key === 'Escape' && props.onClose()}
    >
      <Input
        aria-label="改为"
        size="small"
        style={{ width: 200 }}
        value={text}
        maxLength={200}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- opened by the user's own press on 「修改单元格」
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
      />
      <Button size="small" type="primary" htmlType="submit" loading={props.busy} disabled={text === props.value}>
        保存
      </Button>
      <Button size="small" type="text" onClick={props.onClose}>
        取消
      </Button>
    </form>
  )
}
