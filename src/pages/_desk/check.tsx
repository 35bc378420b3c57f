import { useQueries, useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { checkWageData, dealWithSalaryList, getDetailUpload } from '../../../server/contract/sheet.ts'
import { holders } from '../../../server/contract/who.ts'
import { type Cell, type Fix, type ProblemKind, problemKinds } from '../../../server/contract/words.ts'
import { query, useCall } from '../../api.ts'
import { type Kind, ProblemKinds } from '../../parts/check/problem-kinds.tsx'
import { ProblemList } from '../../parts/check/problem-list.tsx'
import { Skipped } from '../../parts/check/skipped.tsx'
import { Changes, Totals } from '../../parts/check/totals.tsx'
import { type BatchSearch, batchOf } from '../../parts/sheet/search.ts'
import { useSheet, WithBatch, WizardPage } from '../../parts/sheet/wizard.tsx'
import { columnName, fixAllWords, problemWords } from '../../parts/sheet/words.ts'
import { Act } from '../../ui/act.tsx'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { oneOf } from '../../ui/search.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toast.ts'
import '../../parts/check/check.css'

type Checked = OutputOf<typeof checkWageData>
const levels = ['error', 'warning'] as const
type Search = BatchSearch & { kind?: ProblemKind | undefined; level?: (typeof levels)[number] | undefined }

export const Route = createFileRoute('/_desk/check')({
  staticData: { title: '核对工资表', section: 'wage', who: holders('2') },
  validateSearch: (raw): Search => ({ ...batchOf(raw), kind: oneOf(raw.kind, problemKinds), level: oneOf(raw.level, levels) }),
  component: Check,
})

const title = '核对'

/** Step 2: totals beside last month's, and everything that is wrong or asks. */
function Check() {
  const { batch_id } = Route.useSearch()
  return (
    <WithBatch step={1} title={title} batch_id={batch_id}>
      {(id) => <Loaded key={id} batch_id={id} />}
    </WithBatch>
  )
}

function Loaded({ batch_id }: { batch_id: string }) {
  const asked = useQuery(query(checkWageData, { batch_id }))
  const sheet = useSheet(batch_id).data
  if (asked.data)
    return (
      <Page
        batch_id={batch_id}
        checked={asked.data}
        note={sheet?.title?.title ?? sheet?.file_name ?? ''}
        busy={asked.isFetching}
      />
    )
  return (
    <WizardPage step={1} batch_id={batch_id} title={title}>
      {asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <>
          <p role="status">正在逐行核对，人多时需要十几秒…</p>
          <Skeleton rows={8} />
        </>
      )}
    </WizardPage>
  )
}

function Page({ batch_id, checked, note, busy }: { batch_id: string; checked: Checked; note: string; busy: boolean }) {
  const { counts } = checked
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const next = () => void navigate({ to: '/wageSend2', search: { batch_id } })
  const people = counts.totals.people
  const verdict =
    counts.errors > 0 ? `还有 ${counts.errors} 个必须处理的问题，处理完才能继续` : people === 0 ? '没有可以发送的人' : true
  return (
    <WizardPage
      step={1}
      batch_id={batch_id}
      title={title}
      note={note}
      foot={
        <>
          <span className="ui-grow ui-hint" role="status">
            {counts.errors > 0 && `还有 ${counts.errors} 个问题必须处理`}
            {counts.errors > 0 && counts.warnings > 0 && '，'}
            {counts.warnings > 0 && `${counts.warnings} 个提醒请看一下`}
          </span>
          <Act type="primary" size="large" verdict={verdict} onClick={() => (counts.warnings > 0 ? setAsking(true) : next())}>
            排版 {people} 人的工资条
          </Act>
        </>
      }
    >
      <Totals counts={counts} />
      {counts.kinds.length === 0 ? (
        <section className="ui-card send-clear">
          <Icon name="check" size={24} />
          <p>
            <strong>{people} 人核对完成，没有待处理的问题</strong>
            <br />
            每个人都对上了花名册，金额没有要确认的地方。
          </p>
        </section>
      ) : (
        <Problems batch_id={batch_id} checked={checked} fetching={busy} />
      )}
      <Skipped batch_id={batch_id} count={counts.skipped} rows={checked.skipped} busy={busy} />
      <Changes joined={checked.joined} missing={checked.missing} last={counts.last} />
      <ConfirmDialog
        open={asking}
        title="还有提醒没有确认，仍然继续？"
        action={`仍然排版 ${people} 人`}
        onConfirm={next}
        onClose={() => setAsking(false)}
      >
        <p>有 {counts.warnings} 个提醒没有处理：</p>
        <ul className="send-list">
          {counts.kinds.map(({ kind, count }) => (
            <li key={kind}>
              {problemWords[kind]} {count} 个
            </li>
          ))}
        </ul>
        <p>金额会照表里的数字发给员工。</p>
      </ConfirmDialog>
    </WizardPage>
  )
}

/** The cells of the rows that have problems, by row. */
function useCells(batch_id: string, rows: number) {
  const pages = Math.max(1, Math.ceil(rows / 100))
  return useQueries({
    queries: Array.from({ length: pages }, (_, at) => ({
      ...query(getDetailUpload, { batch_id, only: 'problems' as const, page: at + 1, pagesize: 100 }),
    })),
    combine: (answers) =>
      new Map<number, Record<string, Cell>>(
        answers.flatMap(({ data }) => data?.list ?? []).map(({ row, cells }) => [row, cells]),
      ),
  })
}

function Problems({ batch_id, checked, fetching }: { batch_id: string; checked: Checked; fetching: boolean }) {
  const { kind, level } = Route.useSearch()
  const navigate = useNavigate()
  const { kinds } = checked.counts
  const sorted = useMemo(
    () => kinds.toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level) || b.count - a.count),
    [kinds],
  )
  const chosen = sorted.find((one) => one.kind === kind && (!level || one.level === level)) ?? sorted[0]
  const problems = checked.problems.filter((one) => one.kind === chosen?.kind && one.level === chosen.level)
  const sheet = useSheet(batch_id).data
  const labels = useMemo(() => new Map(sheet?.columns.map((one) => [one.key, columnName(one)])), [sheet?.columns])
  const cells = useCells(
    batch_id,
    useMemo(() => new Set(checked.problems.map(({ row }) => row)).size, [checked.problems]),
  )
  const [asking, setAsking] = useState<{ kind: Kind; fix: Fix } | null>(null)
  const deal = useCall(dealWithSalaryList, { onSuccess: () => setAsking(null) })
  const fixAll = (of: Kind, fix: Fix) =>
    deal.mutate(
      { batch_id, actions: [{ kind: of.kind, fix }] },
      {
        onSuccess: ({ done }) =>
          toast.done(done < of.count ? `处理了 ${done} 个，还有 ${of.count - done} 个请单独处理` : `处理了 ${done} 个`),
      },
    )
  if (!chosen) return null
  const busy = deal.isPending || fetching
  return (
    <div className="check">
      <ProblemKinds
        kinds={sorted}
        problems={checked.problems}
        chosen={chosen}
        busy={busy}
        onChoose={(to) => void navigate({ to: '/check', search: { batch_id, kind: to.kind, level: to.level }, replace: true })}
        onFixAll={(of, fix) => (fix === 'accept' ? fixAll(of, fix) : setAsking({ kind: of, fix }))}
      />
      <section className="ui-card" aria-label={problemWords[chosen.kind]}>
        <ProblemList
          key={`${chosen.kind}:${chosen.level}`}
          problems={problems}
          total={chosen.count}
          cells={cells}
          label={(key) => labels.get(key) ?? key}
          busy={busy}
          onDeal={(one) => deal.mutate({ batch_id, actions: [one] })}
        />
      </section>
      <ConfirmDialog
        open={asking !== null}
        title={asking ? `「${problemWords[asking.kind.kind]}」${fixAllWords[asking.fix]}？` : ''}
        action={asking ? `${asking.fix === 'create' ? '创建' : '跳过'} ${asking.kind.count} 人` : ''}
        busy={deal.isPending}
        onConfirm={() => asking && fixAll(asking.kind, asking.fix)}
        onClose={() => setAsking(null)}
      >
        <p>
          {asking?.fix === 'create'
            ? `按表里的姓名、手机号和部门，在花名册里新建 ${asking.kind.count} 名员工。`
            : `这 ${asking?.kind.count ?? 0} 人不会收到这次的工资条，合计也不再算他们。`}
        </p>
      </ConfirmDialog>
    </div>
  )
}
