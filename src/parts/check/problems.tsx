import { useQueries } from '@tanstack/react-query'
import { Button } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { type checkWageData, dealWithSalaryList, getDetailUpload, type Problem } from '../../../server/contract/sheet.ts'
import type { Cell, ProblemKind } from '../../../server/contract/words.ts'
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
const a_page = 100

/** The cells of these rows, by row. Rows that have problems come a page at a time; only the pages that are shown are asked for. */
function useCells(batch_id: string, all: readonly Problem[], shown: readonly Problem[]) {
  const pages = useMemo(() => {
    const rows = [...new Set(all.map(({ row }) => row))].filter((row) => row > 0).toSorted((a, b) => a - b)
    const rank = new Map(rows.map((row, at) => [row, at]))
    return [...new Set(shown.map(({ row }) => Math.floor((rank.get(row) ?? 0) / a_page) + 1))]
  }, [all, shown])
  return useQueries({
    queries: pages.map((page) => query(getDetailUpload, { batch_id, only: 'problems', page, pagesize: a_page })),
    combine: (answers) =>
      new Map<number, Record<string, Cell>>(
        answers.flatMap(({ data }) => data?.list ?? []).map(({ row, cells }) => [row, cells]),
      ),
  })
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
  const listed = useMemo(
    () => checked.problems.filter((one) => one.kind === chosen?.kind && one.level === chosen.level),
    [checked.problems, chosen],
  )
  const sheet = useSheet(batch_id).data
  const columns = sheet?.columns ?? []
  const labels = useMemo(() => new Map(sheet?.columns.map((one) => [one.key, columnName(one)])), [sheet?.columns])
  const cells = useCells(batch_id, checked.problems, listed)
  const valueOf = ({ row, column }: Problem) => (column ? (cells.get(row)?.[column]?.value ?? '') : '')
  const [asking, setAsking] = useState<FixAll | null>(null)
  const [done, setDone] = useState<Done | null>(null)
  const deal = useCall(dealWithSalaryList, { onSuccess: () => setAsking(null) })
  const busy = deal.isPending || props.fetching
  if (!chosen) return null
  const found = searchIn(listed, search.find, valueOf)
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
          cellOf={(problem) =>
            problem.column && cells.has(problem.row) ? { label: labels.get(problem.column) ?? '', value: valueOf(problem) } : null
          }
          busy={busy}
          solved={props.solved}
          onDeal={(one, at) => {
            props.onSolve({ id: one.problem_id, at })
            run([one], 1, listed)
          }}
        />
        <Rest kind={chosen} listed={listed.length} found={found.length} find={search.find} />
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

/** What the list does not show, said plainly. */
function Rest({ kind, listed, found, find }: { kind: Kind; listed: number; found: number; find: string | undefined }) {
  if (find && found === 0) return <p className="ui-hint">这一类里没有「{find}」</p>
  if (listed === kind.count) return null
  return (
    <p className="ui-hint">
      {listed === 0
        ? '前面的问题太多，这一类还没有列出；处理一些以后会列出来，也可以下载问题清单一次看全。'
        : `先列出 ${listed} 个，共 ${kind.count.toLocaleString('zh-CN')} 个；处理后会继续列出，也可以下载问题清单一次看全。`}
    </p>
  )
}
