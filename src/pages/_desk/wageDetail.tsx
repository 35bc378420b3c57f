import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { getDepartList } from '../../../server/contract/people/member.ts'
import { getWageDetail } from '../../../server/contract/slip/slip.ts'
import { holders } from '../../../server/contract/who.ts'
import { query } from '../../api.ts'
import { SendingStatus } from '../../parts/sheet/send/undo.tsx'
import styles from '../../parts/slip/batch/batch.module.css'
import { BatchActs, BatchName, NoBatch, NotSent } from '../../parts/slip/batch/batch-head.tsx'
import { ExportBar } from '../../parts/slip/batch/export-bar.tsx'
import { useExport } from '../../parts/slip/batch/export-jobs.ts'
import { lookAgain, SendingNote } from '../../parts/slip/batch/sending-note.tsx'
import { useLineActs } from '../../parts/slip/detail/acts.ts'
import { type DetailDialog, DetailDialogs } from '../../parts/slip/detail/dialogs.tsx'
import { DrawerActs } from '../../parts/slip/detail/drawer-acts.tsx'
import { type DetailAsked, DetailPeople } from '../../parts/slip/detail/people.tsx'
import { type DetailSearch, detailSearchOf, type OneBatch } from '../../parts/slip/detail/search.ts'
import { SlipDrawer } from '../../parts/slip/slip-drawer.tsx'
import type { Counts, Detail, SlipLine } from '../../parts/slip/words.ts'
import { begin, first } from '../../routed/first.ts'
import { PageHead } from '../../ui/page/page-head.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import { monthName } from '../../ui/value/dates.ts'

const detailQuery = ({ batch_id, page = 1, pagesize = 20, status, name, department_id }: OneBatch) => ({
  ...query(getWageDetail, {
    batch_id,
    page,
    pagesize,
    ...(status ? { status } : {}),
    ...(name ? { name } : {}),
    ...(department_id ? { department_id } : {}),
  }),
  gcTime: 0,
})

export const Route = createFileRoute('/_desk/wageDetail')({
  validateSearch: detailSearchOf,
  staticData: { title: '工资条详情', section: 'wage', who: holders('2') },
  loader: ({ route, location }) =>
    first(route, () => {
      const { batch_id, ...search } = detailSearchOf(location.search)
      return batch_id && [begin(detailQuery({ batch_id, ...search })), begin(query(getDepartList, {}))]
    }),
  component: WageDetail,
})

function WageDetail() {
  const search = Route.useSearch()
  const { batch_id } = search
  if (!batch_id) return <NoBatch />
  return <Batch search={{ ...search, batch_id }} />
}

function Batch({ search }: { search: OneBatch }) {
  const { batch_id } = search
  const asked = useQuery({
    ...detailQuery(search),
    // A filter changes the rows, not the page around them. Another batch begins anew.
    placeholderData: (before, last) => ((last?.queryKey[1] as { batch_id?: string })?.batch_id === batch_id ? before : undefined),
    refetchInterval: ({ state }) => state.data && lookAgain(state.data),
  })
  if (asked.data) return <Shown search={search} asked={asked} data={asked.data} />
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHead title={<BatchName list={search.list}>工资条详情</BatchName>} />
      <section className="ui-card">
        {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={10} />}
      </section>
    </div>
  )
}

/** 已发送 is what it is on the list: handed over, looked at or not. */
const peopleOf = ({ total, sent, viewed, confirmed }: Counts) => `共 ${total} 人，已发送 ${sent + viewed + confirmed} 人`
const Standing = ({ batch }: { batch: Detail['batch'] }) => (
  <span className="ui-row">
    <SendingStatus status={batch.status} undo_seconds={batch.undo_seconds} />
    {batch.month && <span>{monthName(batch.month)}</span>}
    {batch.counts.total > 0 && <span>{peopleOf(batch.counts)}</span>}
    <span>负责人 {batch.owner}</span>
  </span>
)

function Shown({ search, asked, data }: { search: OneBatch; asked: DetailAsked; data: Detail }) {
  const { batch_id, salary } = search
  const { batch, list } = data
  const { counts } = batch
  const navigate = useNavigate()
  const exporting = useExport()
  const [dialog, setDialog] = useState<DetailDialog | null>(null)
  const go = (change: Partial<DetailSearch>, replace = false) =>
    void navigate({ to: '/wageDetail', search: { ...search, ...change }, replace })
  const open = (line: SlipLine) => go({ salary: line.salary_id })
  const title = batch.title || '未命名的工资条'
  // A schedule that was undone leaves what was planned; nobody was sent anything.
  const out = counts.total > 0 && batch.status !== 'draft' && batch.status !== 'checked'
  const actsOf = useLineActs({ batch_id, title }, { open, ask: setDialog })
  const at = list.findIndex((line) => line.salary_id === salary)
  const line = list[at]
  const step = (by: number) => {
    const to = at === -1 ? undefined : list[at + by]
    return to && (() => go({ salary: to.salary_id }, true))
  }
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHead
        title={<BatchName list={search.list}>{title}</BatchName>}
        note={<Standing batch={batch} />}
        action={
          out && (
            <BatchActs
              batch={batch}
              onExport={(what) => exporting.begin({ batch_id, title }, what)}
              onAgain={(only, count) => setDialog({ kind: 'again', what: { only, batch_id, count } })}
              onWithdraw={(people) =>
                setDialog({
                  kind: 'withdraw',
                  what: { batch_id, title, people, waiting: counts.queued, viewed: counts.viewed + counts.confirmed },
                })
              }
            />
          )
        }
      />
      <ExportBar />
      <SendingNote batch_id={batch_id} batch={batch} said_at={asked.dataUpdatedAt} look={() => void asked.refetch()} />
      {out ? (
        <DetailPeople
          {...{ search, asked, data, actsOf }}
          filter={(change) => go({ page: undefined, salary: undefined, ...change })}
          onOpen={open}
          onLog={() => setDialog({ kind: 'log' })}
        />
      ) : (
        <NotSent batch_id={batch_id} status={batch.status} />
      )}
      <SlipDrawer
        salary_id={salary}
        onClose={() => go({ salary: undefined })}
        onPrevious={step(-1)}
        onNext={step(1)}
        footer={line && <DrawerActs acts={actsOf(line)} />}
      />
      <DetailDialogs {...{ dialog, batch_id, data }} onClose={() => setDialog(null)} />
    </div>
  )
}
