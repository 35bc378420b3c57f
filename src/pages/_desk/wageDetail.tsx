import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { requirePower } from '../../../server/contract/access.ts'
import { getDepartList } from '../../../server/contract/directory/members.ts'
import { getWageDetail } from '../../../server/contract/payslips/send.ts'
import { callQuery } from '../../api.ts'
import { PageHeader } from '../../components/page/page-header.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { formatMonth } from '../../components/value/dates.ts'
import { Money } from '../../components/value/money.tsx'
import styles from '../../features/payslips/batch/batch.module.css'
import { BatchActions, BatchBackLink, BatchNotFound, BatchNotSent } from '../../features/payslips/batch/batch-head.tsx'
import { ExportBar } from '../../features/payslips/batch/export-bar.tsx'
import { useExport } from '../../features/payslips/batch/export-jobs.ts'
import { getRefetchInterval, SendingStatusNote } from '../../features/payslips/batch/sending-note.tsx'
import { usePayslipActions } from '../../features/payslips/detail/actions.ts'
import { type DetailDialog, DetailDialogs } from '../../features/payslips/detail/dialogs.tsx'
import { DrawerActions } from '../../features/payslips/detail/drawer-actions.tsx'
import { BatchPayslips, type DetailQuery } from '../../features/payslips/detail/people.tsx'
import { type BatchDetailSearch, type DetailSearch, parseDetailSearch } from '../../features/payslips/detail/search.ts'
import type { BatchDetail, PayslipCounts, PayslipListItem } from '../../features/payslips/labels.ts'
import { PayslipDrawer } from '../../features/payslips/slip-drawer.tsx'
import { BatchSendStatus } from '../../features/sheets/send/undo-send.tsx'
import { prefetchPage, prefetchQuery } from '../../routed/prefetch.ts'

const batchDetailQuery = ({ batch_id, page = 1, pagesize, status, name, department_id }: BatchDetailSearch) => ({
  ...callQuery(getWageDetail, {
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
  validateSearch: parseDetailSearch,
  staticData: { title: '工资条详情', section: 'wage', who: requirePower('2') },
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { batch_id, ...search } = parseDetailSearch(location.search)
      return batch_id && [prefetchQuery(batchDetailQuery({ batch_id, ...search })), prefetchQuery(callQuery(getDepartList, {}))]
    }),
  component: WageDetail,
})

function WageDetail() {
  const search = Route.useSearch()
  const { batch_id } = search
  if (!batch_id) return <BatchNotFound />
  return <BatchDetailLoader search={{ ...search, batch_id }} />
}

function BatchDetailLoader({ search }: { search: BatchDetailSearch }) {
  const { batch_id } = search
  const detail = useQuery({
    ...batchDetailQuery(search),
    // A filter changes the rows, not the page around them. Another batch starts without placeholder data.
    placeholderData: (before, last) => ((last?.queryKey[1] as { batch_id?: string })?.batch_id === batch_id ? before : undefined),
    refetchInterval: ({ state }) => state.data && getRefetchInterval(state.data),
  })
  if (detail.data) return <BatchDetailContent search={search} requested={detail} data={detail.data} />
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHeader title={<BatchBackLink list={search.list}>工资条详情</BatchBackLink>} />
      <section className="ui-card">
        {detail.error ? <ErrorState error={detail.error} retry={() => void detail.refetch()} /> : <Skeleton rows={10} />}
      </section>
    </div>
  )
}

/** “已发送” has the same meaning as in the list: sent, whether viewed or not. */
const formatPeople = ({ total, sent, viewed, confirmed, unsent }: PayslipCounts) =>
  `共 ${(total + unsent).toLocaleString('zh-CN')} 人，已发送 ${(sent + viewed + confirmed).toLocaleString('zh-CN')} 人`
const BatchStatusNote = ({ batch }: { batch: BatchDetail['batch'] }) => (
  <span className="ui-row">
    <BatchSendStatus status={batch.status} undo_seconds={batch.undo_seconds} />
    {batch.month && <span>{formatMonth(batch.month)}</span>}
    {batch.counts.total > 0 && <span>{formatPeople(batch.counts)}</span>}
    {batch.net_fen !== null && (
      <span>
        实发合计 <Money fen={batch.net_fen} strong />
      </span>
    )}
    <span>负责人 {batch.owner}</span>
  </span>
)

function BatchDetailContent({
  search,
  requested: detailQuery,
  data,
}: {
  search: BatchDetailSearch
  requested: DetailQuery
  data: BatchDetail
}) {
  const { batch_id, salary } = search
  const { batch, list } = data
  const { counts } = batch
  const navigate = useNavigate()
  const exportJobs = useExport()
  const [dialog, setDialog] = useState<DetailDialog | null>(null)
  const navigateTo = (change: Partial<DetailSearch>, replace = false) =>
    void navigate({ to: '/wageDetail', search: { ...search, ...change }, replace })
  const openPayslip = (payslip: PayslipListItem) => navigateTo({ salary: payslip.salary_id })
  const title = batch.title || '未命名的工资条'
  // A cancelled schedule leaves planned payslips, but nothing was sent.
  const isSent = counts.total > 0 && batch.status !== 'draft' && batch.status !== 'checked'
  const getActions = usePayslipActions({ batch_id, title }, { open: openPayslip, send: setDialog })
  const index = list.findIndex((payslip) => payslip.salary_id === salary)
  const payslip = list[index]
  const step = (by: number) => {
    const target = index === -1 ? undefined : list[index + by]
    return target && (() => navigateTo({ salary: target.salary_id }, true))
  }
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHeader
        title={<BatchBackLink list={search.list}>{title}</BatchBackLink>}
        note={<BatchStatusNote batch={batch} />}
        action={
          isSent && (
            <BatchActions
              batch_id={batch_id}
              batch={batch}
              onExport={(choice) => exportJobs.start({ batch_id, title }, choice)}
              onAgain={(only, count) => setDialog({ kind: 'again', request: { only, batch_id, count } })}
              onWithdraw={(peopleCount) =>
                setDialog({
                  kind: 'withdraw',
                  request: {
                    batch_id,
                    title,
                    people: peopleCount,
                    waiting: counts.queued,
                    viewed: counts.viewed + counts.confirmed,
                  },
                })
              }
            />
          )
        }
      />
      <ExportBar />
      <SendingStatusNote
        batch_id={batch_id}
        batch={batch}
        message_at={detailQuery.dataUpdatedAt}
        view={() => void detailQuery.refetch()}
      />
      {isSent ? (
        <BatchPayslips
          {...{ search, detailQuery, data, getActions }}
          filter={(change) => navigateTo({ page: undefined, salary: undefined, ...change })}
          onOpen={openPayslip}
          onUnsent={() => void navigate({ to: '/wageSend3', search: { batch_id } })}
          onLog={() => setDialog({ kind: 'log' })}
        />
      ) : (
        <BatchNotSent batch_id={batch_id} status={batch.status} />
      )}
      <PayslipDrawer
        salary_id={salary}
        onClose={() => navigateTo({ salary: undefined })}
        onPrevious={step(-1)}
        onNext={step(1)}
        footer={payslip && <DrawerActions acts={getActions(payslip)} />}
      />
      <DetailDialogs {...{ dialog, batch_id, data }} onClose={() => setDialog(null)} />
    </div>
  )
}
