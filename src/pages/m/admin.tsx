import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { canAccess, requirePower } from '../../../server/contract/access.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getIndex } from '../../../server/contract/company/company.ts'
import { callQuery } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { useChatFrame } from '../../features/auth/entry/use-frame.ts'
import { MobileApprovals, pendingApprovalsQuery } from '../../features/company/home/mobile/approvals.tsx'
import { BatchCard } from '../../features/company/home/mobile/batch-card.tsx'
import { MobileFeedback, openFeedbackQuery } from '../../features/company/home/mobile/feedback.tsx'
import styles from '../../features/company/home/mobile/mobile-admin.module.css'
import { CompanyLogo } from '../../features/company/picture/company-logo.tsx'
import pictureStyles from '../../features/company/picture/picture.module.css'
import employeeStyles from '../../features/payslips/employee/m.module.css'
import { useHeadingFocus } from '../../features/payslips/employee/page-top-bar.tsx'
import { type CurrentUser, currentUserQuery, toAccessSubject } from '../../session.ts'

export const Route = createFileRoute('/m/admin')({ staticData: { title: '管理' }, component: AdminPage })

const refreshIntervalMs = 5_000

/** The page for administrators on a phone: batches of this month and pending to-dos. */
function AdminPage() {
  useChatFrame()
  const userResult = useQuery(currentUserQuery)
  const navigate = useNavigate()
  const user = userResult.data
  const canManage = user !== undefined && canAccess(toAccessSubject(user), requirePower('1', '2'))
  const mustLeave = (user !== undefined && !canManage) || userResult.error !== null
  // Navigation is a side effect outside React: users without access are redirected to their own page.
  useEffect(() => {
    if (mustLeave) void navigate({ to: '/landing', replace: true })
  }, [mustLeave, navigate])
  return (
    <>
      <header className={employeeStyles.home}>
        <CompanyHeading name={user?.corp.name} logo={user?.corp.logo ?? null} />
        {user?.user.is_employee && (
          <Link to="/m/slips" className={`${employeeStyles.link} ${styles.more}`}>
            我的工资条
          </Link>
        )}
      </header>
      <main className={`${employeeStyles.pad} ${styles.home}`}>
        {canManage ? <MonthContent me={user} /> : <Skeleton rows={6} />}
      </main>
    </>
  )
}

function CompanyHeading({ name, logo }: { name: string | undefined; logo: string | null }) {
  const heading = useHeadingFocus()
  return (
    <div className={pictureStyles.corpTitle}>
      <CompanyLogo logo={logo} />
      <h1 ref={heading} tabIndex={-1}>
        {name ?? '管理'}
      </h1>
    </div>
  )
}

type MonthOverview = CallOutput<typeof getIndex>
const isSending = (home: MonthOverview | undefined) =>
  home?.batches.some(({ status, soon }) => status === 'sending' || soon) ?? false

function MonthContent({ me: user }: { me: CurrentUser }) {
  const { data, error, refetch } = useQuery({
    ...callQuery(getIndex, {}),
    refetchInterval: ({ state }) => (isSending(state.data) ? refreshIntervalMs : false),
  })
  const canSeePayslips = canAccess(toAccessSubject(user), requirePower('2'))
  // Pending items appear above the batches: waiting for them keeps content from moving under a thumb that is about to
  // withdraw a batch.
  const approvals = useQuery(pendingApprovalsQuery)
  const feedback = useQuery({ ...openFeedbackQuery, enabled: canSeePayslips })
  if (!data || !approvals.isFetched || (canSeePayslips && !feedback.isFetched))
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Skeleton rows={6} />
  return (
    <>
      <MobileApprovals />
      {canSeePayslips && <MobileFeedback />}
      {canSeePayslips && (
        <section aria-labelledby="pocket-batches">
          <h2 id="pocket-batches">本月批次</h2>
          {data.batches.length === 0 ? (
            <EmptyState illustration="sheet" text="本月还没有工资条。请在电脑上上传工资表，发送以后可以在这里跟进。" />
          ) : (
            <>
              <div className={`${styles.card} ${styles.figures}`}>
                <span>
                  <strong>{data.counts.sent.toLocaleString('zh-CN')}</strong>
                  已发送
                </span>
                <span>
                  <strong>{data.counts.viewed.toLocaleString('zh-CN')}</strong>
                  已查看
                </span>
                {data.sms_left !== null && (
                  <span>
                    <strong>{data.sms_left.toLocaleString('zh-CN')}</strong>
                    短信余量
                  </span>
                )}
              </div>
              <ul>
                {data.batches.map((batch) => (
                  <BatchCard
                    key={batch.batch_id}
                    batch={batch}
                    isTitleRepeated={data.batches.filter(({ title }) => title === batch.title).length > 1}
                  />
                ))}
              </ul>
            </>
          )}
        </section>
      )}
      {!canSeePayslips && <p className="ui-hint">等您审批的申请会显示在这里；工资条由薪酬管理员处理。</p>}
      <nav aria-label="更多" className={styles.acts}>
        <Link to="/find" className={`ui-button ${employeeStyles.button} ${styles.go}`}>
          <Icon name="search" /> 搜索
        </Link>
        <Link to={canSeePayslips ? '/home' : '/roleWage'} className={`ui-button ${employeeStyles.button} ${styles.go}`}>
          完整版
        </Link>
      </nav>
    </>
  )
}
