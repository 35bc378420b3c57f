import { Button } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { editMemberInfo } from '../../../server/contract/people/member.ts'
import type { checkWageData, Problem } from '../../../server/contract/sheet/sheet.ts'
import type { ProblemKind } from '../../../server/contract/words/words.ts'
import { useMay } from '../../session.ts'
import { ConfirmDialog } from '../../ui/over/dialogs.tsx'
import { useSheet } from '../sheet/wizard.tsx'
import { columnName } from '../sheet/words.ts'
import { type NewPhone, TakePhone } from './card/take-phone.tsx'
import styles from './check.module.css'
import { KindHead } from './kind-head.tsx'
import { LastEdit } from './last-edit.tsx'
import { actionOf, type FixAll, fixesForAll, wordsOf } from './problem-fixes.ts'
import { kindId, ProblemKinds } from './problem-kinds.tsx'
import { ProblemList, type Solved } from './problem-list.tsx'
import { problemWords, rowWords } from './problem-words.ts'
import { useDeal } from './use-deal.ts'
import { useListed } from './use-listed.ts'

export type ProblemSearch = { kind?: ProblemKind | undefined; level?: Problem['level'] | undefined; find?: string | undefined }

/** Everything that is wrong or asks, by kind; put right one by one or all of a kind, and taken back where the server can. */
export function Problems(props: {
  batch_id: string
  checked: OutputOf<typeof checkWageData>
  fetching: boolean
  search: ProblemSearch
  solved: Solved | null
  onSolve: (solved: Solved) => void
  onSearch: (search: ProblemSearch) => void
  /** Beside the kinds. */
  children: ReactNode
}) {
  const { batch_id, checked, search, onSearch } = props
  const { kinds } = checked.counts
  const chosen = kinds.find((one) => one.kind === search.kind && (!search.level || one.level === search.level)) ?? kinds[0]
  const { listed, found, total, more, busy: coming } = useListed(batch_id, checked, chosen, search.find)
  const sheet = useSheet(batch_id).data
  const columns = sheet?.columns ?? []
  const labels = useMemo(() => new Map(sheet?.columns.map((one) => [one.key, columnName(one)])), [sheet?.columns])
  const may = useMay()
  const [phone, setPhone] = useState<NewPhone | null>(null)
  const [asking, setAsking] = useState<FixAll | null>(null)
  const { run, done, wrong, isPending } = useDeal(batch_id, () => setAsking(null))
  const busy = isPending || props.fetching
  if (!chosen) return null
  const alone = kinds.filter((one) => one.kind === chosen.kind).length === 1

  const fixAll = (all: FixAll) => {
    props.onSolve({ id: '', at: 0 })
    run(all.actions, all.count, listed)
  }
  return (
    <div className={styles.root}>
      <div className={styles.side}>
        <ProblemKinds kinds={kinds} chosen={chosen} onChoose={({ kind, level }) => onSearch({ kind, level })} />
        {props.children}
      </div>
      <section className="ui-card" aria-label={problemWords[chosen.kind].name}>
        <KindHead
          key={kindId(chosen)}
          kind={chosen}
          fixes={fixesForAll(chosen, listed, alone)}
          busy={busy}
          find={search.find}
          onFind={(find) => onSearch({ kind: chosen.kind, level: chosen.level, find })}
          onFixAll={(all) => (wordsOf(all, chosen).asks === null ? fixAll(all) : setAsking(all))}
        />
        <DoneLine done={done} busy={busy} onUndo={(undo) => run(undo, undo.length, [])} />
        <LastEdit batch_id={batch_id} edit={checked.last_edit} busy={busy} />
        <ProblemList
          key={`${kindId(chosen)}:${search.find ?? ''}`}
          batch_id={batch_id}
          problems={found}
          columns={columns}
          rowOf={(row) => rowWords(row, sheet?.parts)}
          labelOf={(column) => labels.get(column ?? '') ?? ''}
          others={listed.map(({ message }) => message)}
          busy={busy}
          wrong={wrong}
          solved={props.solved}
          onDeal={(one, at) => {
            props.onSolve({ id: one.problem_id, at })
            run([actionOf(one)], 1, listed)
          }}
          onPhone={may(editMemberInfo.who) ? setPhone : null}
        />
        <Rest listed={listed.length} total={total} found={found.length} find={search.find} busy={coming} onMore={more} />
      </section>
      <TakePhone wish={phone} onClose={() => setPhone(null)} />
      <AskAll all={asking} kind={chosen} busy={isPending} onConfirm={fixAll} onClose={() => setAsking(null)} />
    </div>
  )
}

type AskAllProps = {
  all: FixAll | null
  kind: Parameters<typeof wordsOf>[1]
  busy: boolean
  onConfirm: (all: FixAll) => void
  onClose: () => void
}
/** What is done to all of a kind at once is asked for once more. */
function AskAll({ all, kind, busy, onConfirm, onClose }: AskAllProps) {
  const said = all && wordsOf(all, kind)
  return (
    <ConfirmDialog
      open={all !== null}
      title={said ? `「${problemWords[kind.kind].name}」${said.button}？` : ''}
      action={said?.action ?? ''}
      busy={busy}
      onConfirm={() => all && onConfirm(all)}
      onClose={onClose}
    >
      <p>{said?.asks}</p>
    </ConfirmDialog>
  )
}

type Done = NonNullable<ReturnType<typeof useDeal>['done']>
/** What was done just now, and the way back where there is one. */
const DoneLine = ({ done, busy, onUndo }: { done: Done | null; busy: boolean; onUndo: (undo: Done['undo']) => void }) => (
  <p className={styles.done} role="status">
    {done?.text}
    {done && done.undo.length > 0 && (
      <Button size="small" type="link" disabled={busy} onClick={() => onUndo(done.undo)}>
        撤销
      </Button>
    )}
  </p>
)

/** What the list does not show yet. */
function Rest(props: {
  listed: number
  total: number
  found: number
  find: string | undefined
  busy: boolean
  onMore: () => void
}) {
  const { listed, total, found, find, busy } = props
  if (busy && listed === 0) return <p role="status">正在列出这一类…</p>
  if (find && found === 0 && listed >= total) return <p className="ui-hint">这一类里没有「{find}」</p>
  if (listed >= total) return null
  return (
    <Button block loading={busy} onClick={props.onMore}>
      已列出 {listed.toLocaleString('zh-CN')} 个，再列出后面的（共 {total.toLocaleString('zh-CN')} 个）
    </Button>
  )
}
