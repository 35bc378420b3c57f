import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { InfiniteScroll, PullToRefresh, Tabs } from 'antd-mobile'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getSlipList } from '../../../server/contract/payslips/employee.ts'
import { ApiError, callApi, refreshQueries, toQueryName } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { flattenPages } from '../../components/search-params.ts'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { pagedQuery } from '../../components/state/paged-query.ts'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { Money } from '../../components/value/money.tsx'
import { StatusDot } from '../../components/value/status-dot.tsx'
import { useChatFrame } from '../../features/auth/entry/use-frame.ts'
import { CompanyLogo } from '../../features/company/picture/company-logo.tsx'
import pictureStyles from '../../features/company/picture/picture.module.css'
import styles from '../../features/payslips/employee/m.module.css'
import { formatMinutes } from '../../features/payslips/employee/open/compare-payslips.ts'
import { formatIssuedAt } from '../../features/payslips/employee/open/format-issued-at.ts'
import { YearSummaryCard } from '../../features/payslips/employee/open/year-card.tsx'
import { useHeadingFocus } from '../../features/payslips/employee/page-top-bar.tsx'
import { PhoneOwnerStep } from '../../features/payslips/employee/phone-owner-step.tsx'
import {
  currentEmployeeQuery,
  isUnconfirmedOwnerError,
  noCacheOptions,
  useLastError,
  useRefreshOnReturn,
} from '../../features/payslips/employee/queries.ts'
import { SwitchCompanySheet } from '../../features/payslips/employee/switch-company.tsx'

const parseYear = (value: unknown) => {
  const year = Number(value)
  return Number.isInteger(year) && year >= 2000 && year <= 2100 ? year : undefined
}
type PayslipListSearch = { year?: number | undefined }
export const Route = createFileRoute('/m/slips')({
  validateSearch: (raw): PayslipListSearch => ({ year: parseYear(raw.year) }),
  staticData: { title: '工资条' },
  component: PayslipListPage,
})

type PayslipListItem = CallOutput<typeof getSlipList>['list'][number]
const pagesize = 24

function PayslipListPage() {
  useChatFrame()
  const { year } = Route.useSearch()
  const employee = useQuery(currentEmployeeQuery)
  const list = useInfiniteQuery({
    ...pagedQuery([toQueryName(getSlipList), { year }], (page, signal) =>
      callApi(getSlipList, { ...(year ? { year } : {}), page, pagesize }, { signal }),
    ),
    ...noCacheOptions,
  })
  useRefreshOnReturn()
  const [hiddenOverride, setHiddenOverride] = useState<boolean | null>(null)
  const [isSwitchOpen, setSwitchOpen] = useState(false)
  const hidden = hiddenOverride ?? employee.data?.pay_hide ?? true
  const payslips = flattenPages(list.data?.pages ?? [])
  const [firstPage] = list.data?.pages ?? []
  // The tabs stay, with the focus, while another year loads.
  const [years, setYears] = useState<readonly number[]>([])
  if (firstPage && firstPage.years !== years) setYears(firstPage.years)
  const error = useListError(list, employee)
  return (
    <>
      <header className={styles.home}>
        {employee.data && employee.data.corps.length > 1 ? (
          <button type="button" className={styles.corp} onClick={() => setSwitchOpen(true)}>
            <CompanyTitle me={employee.data} />
            <Icon name="down" size={16} />
            <span className="sr-only">切换公司</span>
          </button>
        ) : (
          <CompanyTitle me={employee.data} />
        )}
        {payslips.length > 0 && (
          <button
            type="button"
            className={styles.icon}
            aria-label={hidden ? '显示金额' : '隐藏金额'}
            onClick={() => setHiddenOverride(!hidden)}
          >
            <Icon name={hidden ? 'eyeoff' : 'eye'} size={22} />
          </button>
        )}
      </header>
      <PullToRefresh onRefresh={() => refreshQueries()}>
        <main className={`${styles.pad} ${styles.slips}`}>
          <YearSection years={years} selectedYear={year} hidden={hidden} payslips={payslips} />
          {error ? (
            <ListError error={error} retry={() => void Promise.all([list.refetch(), employee.refetch()])} />
          ) : !firstPage || !employee.data ? (
            <Skeleton rows={6} />
          ) : payslips.length === 0 ? (
            <EmptyState illustration="letter" text={`${employee.data.name}，您好。还没有发给您的工资条，发薪后会显示在这里。`} />
          ) : (
            <>
              <PayslipsByYear lines={payslips} hidden={hidden} />
              <InfiniteScroll
                hasMore={list.hasNextPage}
                loadMore={async () => void (await list.fetchNextPage({ throwOnError: true }))}
              >
                {(hasMore, failed, retry) =>
                  failed ? (
                    <button type="button" className={styles.link} onClick={retry}>
                      没有加载完，点这里重试
                    </button>
                  ) : hasMore ? (
                    '正在加载…'
                  ) : (
                    `共 ${firstPage.page.total} 张工资条`
                  )
                }
              </InfiniteScroll>
            </>
          )}
        </main>
      </PullToRefresh>
      {isSwitchOpen && employee.data && <SwitchCompanySheet me={employee.data} onClose={() => setSwitchOpen(false)} />}
    </>
  )
}

type QueryState = { data: unknown; error: Error | null; isFetching: boolean }
/** Returns the error to show when there is no data; it persists during a refetch. */
function useListError(list: QueryState, employee: QueryState): Error | null {
  const listError = useLastError(list)
  return list.data ? null : (listError ?? (employee.data ? null : employee.error))
}

/** Groups payslips by year, keeping their order: newest month first. */
function groupByYear(payslips: readonly PayslipListItem[]): [string, PayslipListItem[]][] {
  const groups: [string, PayslipListItem[]][] = []
  for (const payslip of payslips) {
    const title = payslip.month ? `${payslip.month.slice(0, 4)} 年` : '其他'
    const last = groups.at(-1)
    if (last?.[0] === title) last[1].push(payslip)
    else groups.push([title, [payslip]])
  }
  return groups
}

const PayslipsByYear = ({ lines: payslips, hidden }: { lines: readonly PayslipListItem[]; hidden: boolean }) =>
  groupByYear(payslips).map(([title, group]) => (
    <section key={title} aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {group.map((payslip) => (
          <PayslipRow key={payslip.slip_id} line={payslip} issued={formatIssuedAt(payslip, payslips)} hidden={hidden} />
        ))}
      </ul>
    </section>
  ))

function PayslipRow({ line: payslip, issued: issuedText, hidden }: { line: PayslipListItem; issued: string; hidden: boolean }) {
  const unread = payslip.status === 'sent'
  const net = payslip.net_fen !== null && !payslip.locked && !payslip.closed ? payslip.net_fen : null
  const summary = (
    <span>
      <strong>{payslip.title}</strong>
      <small>
        {unread ? <StatusDot label="未读" color="brand" /> : <StatusDot salary={payslip.status} />}
        {payslip.answer_unread && <em>有新回复</em>}
        {payslip.corrected && <em>已更正</em>}
        <span>{issuedText}</span>
        {unread && payslip.burn_after_minutes > 0 && <em>打开后 {formatMinutes(payslip.burn_after_minutes)}关闭</em>}
      </small>
    </span>
  )
  // A withdrawn payslip leaves a note that cannot be opened.
  if (payslip.withdrawn_at)
    return (
      <li>
        <div className={styles.slipRow} data-withdrawn>
          {summary}
        </div>
      </li>
    )
  return (
    <li>
      <Link to="/m/slip/$id" params={{ id: payslip.slip_id }} className={styles.slipRow} data-unread={unread || undefined}>
        {summary}
        {(payslip.locked || payslip.closed) && (
          <span className={styles.slipRowLocked}>
            <Icon name="lock" size={16} /> {payslip.locked ? '验证后可见' : '已关闭'}
          </span>
        )}
        {net !== null && <Money fen={net} hidden={hidden} strong />}
        <Icon name="arrow" size={16} />
      </Link>
    </li>
  )
}

function CompanyTitle({ me: employee }: { me: { corp_name: string; corp_logo: string | null } | undefined }) {
  const heading = useHeadingFocus()
  return (
    <div className={pictureStyles.corpTitle}>
      <CompanyLogo logo={employee?.corp_logo} />
      <h1 ref={heading} tabIndex={-1}>
        {employee?.corp_name ?? '工资条'}
      </h1>
    </div>
  )
}

/** The year selection, if there are several years, and the year's total. */
function YearSection({ years, selectedYear, hidden, payslips }: YearSectionProps) {
  const year = selectedYear ?? years[0]
  const months = new Set(payslips.flatMap(({ month }) => (month?.startsWith(`${year}-`) ? [month] : [])))
  return (
    <>
      {years.length > 1 && <YearFilter years={years} selected={selectedYear} />}
      <YearSummaryCard year={year} hidden={hidden} expected={months.size > 1} />
    </>
  )
}
type YearSectionProps = {
  years: readonly number[]
  selectedYear: number | undefined
  hidden: boolean
  payslips: readonly PayslipListItem[]
}

const allYears = 'all'
/** The tabs take their order from the keys of an object, where bare numbers would come first. */
const toTabKey = (year: number) => `year-${year}`

function YearFilter({ years, selected: selectedYear }: { years: readonly number[]; selected: number | undefined }) {
  const navigate = useNavigate()
  const selectYear = (key: string) => {
    const year = years.find((one) => toTabKey(one) === key)
    void navigate({ to: '/m/slips', search: year ? { year } : {}, replace: true })
  }
  return (
    <nav aria-label="年份">
      <Tabs
        className={styles.years}
        stretch={false}
        activeKey={selectedYear ? toTabKey(selectedYear) : allYears}
        onChange={selectYear}
      >
        <Tabs.Tab key={allYears} title="全部" />
        {years.map((year) => (
          <Tabs.Tab key={toTabKey(year)} title={year} />
        ))}
      </Tabs>
    </nav>
  )
}

/** An administrator who is not an employee of the company has no payslips. */
function ListError({ error, retry }: { error: unknown; retry: () => void }) {
  if (isUnconfirmedOwnerError(error)) return <PhoneOwnerStep />
  if (!(error instanceof ApiError && error.is('not_permitted'))) return <ErrorState error={error} retry={retry} />
  return (
    <EmptyState
      illustration="people"
      text="您在这家企业没有员工身份，所以没有工资条。"
      action={
        <a className={`ui-button ${styles.button}`} href="/landing">
          进入管理后台
        </a>
      }
    />
  )
}
