import { useQueries } from '@tanstack/react-query'
import { Button } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { checkWageData, dealWithSalaryList, type Problem } from '../../../server/contract/sheet.ts'
import type { ProblemKind } from '../../../server/contract/words.ts'
import { query, useCall } from '../../api.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { useSheet } from '../sheet/wizard.tsx'
import { columnName } from '../sheet/words.ts'
import { KindHead } from './kind-head.tsx'
import { type Action, doneWords, type FixAll, fixesForAll, type Kind, searchIn, undoOf, wordsOf } from './problem-fixes.ts'
import { kindId, ProblemKinds } from './problem-kinds.tsx'
import { ProblemList, type Solved } from './problem-list.tsx'
import { problemWords, rowWords } from './problem-words.ts'

export type ProblemSearch = { kind?: ProblemKind | undefined; level?: Problem['level'] | undefined; find?: string | undefined }
type Done = { text: string; undo: Action[] }

/** The problems of a kind: those that came with the check, or where it has more of them, page by page. */
function useListed(
  batch_id: string,
  checked: OutputOf<typeof checkWageData>,
  chosen: Kind | undefined,
  find: string | undefined,
) {
  const first = useMemo(
    () => checked.problems.filter((one) => one.kind === chosen?.kind && one.level === chosen.level),
    [checked.problems, chosen],
  )
  const isWhole = !chosen || first.length === chosen.count
  const about = `${chosen?.kind}:${chosen?.level}:${find ?? ''}`
  const [wanted, setWanted] = useState({ about, pages: 1 })
  const pages = wanted.about === about ? wanted.pages : 1
  const asked = useQueries({
    queries:
      chosen && !isWhole
        ? Array.from({ length: pages }, (_, at) =>
            query(checkWageData, { batch_id, kind: chosen.kind, level: chosen.level, ...(find ? { find } : {}), page: at + 1 }),
          )
        : [],
    combine: (answers) => ({
      list: answers.flatMap(({ data }) => data?.problems ?? []),
      total: answers[0]?.data?.problems_total ?? null,
      isPending: answers.some(({ isPending }) => isPending),
    }),
  })
  if (isWhole) return { listed: first, found: searchIn(first, find), total: first.length, busy: false, more: () => undefined }
  // What came with the check, until the first page is there.
  const listed = asked.total === null ? first : asked.list
  return {
    listed,
    // The server has looked through all of them.
    found: asked.total === null ? searchIn(first, find) : listed,
    total: asked.total ?? chosen.count,
    busy: asked.isPending,
    more: () => setWanted({ about, pages: pages + 1 }),
  }
}

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
  const [asking, setAsking] = useState<FixAll | null>(null)
  const [done, setDone] = useState<Done | null>(null)
  const deal = useCall(dealWithSalaryList, { onSuccess: () => setAsking(null) })
  const busy = deal.isPending || props.fetching
  if (!chosen) return null
  const alone = kinds.filter((one) => one.kind === chosen.kind).length === 1

  /** `before`: what the pieces before this one have done. */
  const run = (actions: Action[], wanted: number, of: readonly Problem[], before = 0) => {
    if (deal.isPending) return
    deal.mutate(
      { batch_id, actions },
      {
        onSuccess: (piece) => {
          const count = before + piece.done
          const goesOn = piece.left > 0 && piece.done > 0
          const text = goesOn ? `已处理 ${count} 条，还有 ${piece.left} 条，正在继续…` : doneWords(actions, count, wanted)
          setDone({ text, undo: goesOn ? [] : undoOf(actions, of, count) })
          if (goesOn) run(actions, wanted, of, count)
        },
      },
    )
  }
  const fixAll = (all: FixAll) => {
    props.onSolve({ id: '', at: 0 })
    run(all.actions, all.count, listed)
  }
  const words = asking && wordsOf(asking, chosen)
  return (
    <div className="check">
      <div className="check-side">
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
        <p className="check-done" role="status">
          {done && (
            <>
              {done.text}
              {done.undo.length > 0 && (
                <Button size="small" type="link" disabled={busy} onClick={() => run(done.undo, done.undo.length, [])}>
                  撤销
                </Button>
              )}
            </>
          )}
        </p>
        <ProblemList
          key={`${kindId(chosen)}:${search.find ?? ''}`}
          batch_id={batch_id}
          problems={found}
          columns={columns}
          rowOf={(row) => rowWords(row, sheet?.parts)}
          cellOf={({ column, value }) => (column && value !== null ? { label: labels.get(column) ?? '', value } : null)}
          busy={busy}
          solved={props.solved}
          onDeal={(one, at) => {
            props.onSolve({ id: one.problem_id, at })
            run([one], 1, listed)
          }}
        />
        <Rest listed={listed.length} total={total} found={found.length} find={search.find} busy={coming} onMore={more} />
      </section>
      <ConfirmDialog
        open={asking !== null}
        title={words ? `「${problemWords[chosen.kind].name}」${words.button}？` : ''}
        action={words?.action ?? ''}
        busy={deal.isPending}
        onConfirm={() => asking && fixAll(asking)}
        onClose={() => setAsking(null)}
      >
        <p>{words?.asks}</p>
      </ConfirmDialog>
    </div>
  )
}

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
