import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getIndex } from '../../../server/contract/corp/company.ts'
import { holders, may } from '../../../server/contract/who.ts'
import { query } from '../../api.ts'
import { CorpMark } from '../../parts/company/picture/corp-mark.tsx'
import pictureStyles from '../../parts/company/picture/picture.module.css'
import employeeStyles from '../../parts/employee/m.module.css'
import { useArrival } from '../../parts/employee/top.tsx'
import { useFrame } from '../../parts/entry/use-frame.ts'
import { PocketApprovals, waitingApprovals } from '../../parts/home/pocket/approvals.tsx'
import { BatchCard } from '../../parts/home/pocket/batch-card.tsx'
import { PocketFeedback, waitingFeedback } from '../../parts/home/pocket/feedback.tsx'
import styles from '../../parts/home/pocket/pocket-admin.module.css'
import { personOf, type Role, roleQuery } from '../../session.ts'
import { Icon } from '../../ui/icon.tsx'
import { Empty } from '../../ui/state/empty.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'

export const Route = createFileRoute('/m/admin')({ staticData: { title: '管理' }, component: AdminPage })

const watch_ms = 5_000

/** For administrators on a phone: what is under way this month, and what waits for them. */
function AdminPage() {
  useFrame()
  const asked = useQuery(roleQuery)
  const navigate = useNavigate()
  const me = asked.data
  const isMine = me !== undefined && may(personOf(me), holders('1', '2'))
  const isElsewhere = (me !== undefined && !isMine) || asked.error !== null
  // The address is outside React: whoever has nothing to do here is sent where he belongs.
  useEffect(() => {
    if (isElsewhere) void navigate({ to: '/landing', replace: true })
  }, [isElsewhere, navigate])
  return (
    <>
      <header className={employeeStyles.home}>
        <Head name={me?.corp.name} logo={me?.corp.logo ?? null} />
        {me?.user.is_employee && (
          <Link to="/m/slips" className={`${employeeStyles.link} ${styles.more}`}>
            我的工资条
          </Link>
        )}
      </header>
      <main className={`${employeeStyles.pad} ${styles.home}`}>{isMine ? <Month me={me} /> : <Skeleton rows={6} />}</main>
    </>
  )
}

function Head({ name, logo }: { name: string | undefined; logo: string | null }) {
  const heading = useArrival()
  return (
    <div className={pictureStyles.corpTitle}>
      <CorpMark logo={logo} />
      <h1 ref={heading} tabIndex={-1}>
        {name ?? '管理'}
      </h1>
    </div>
  )
}

type Home = OutputOf<typeof getIndex>
const isUnderWay = (home: Home | undefined) => home?.batches.some(({ status, soon }) => status === 'sending' || soon) ?? false

function Month({ me }: { me: Role }) {
  const { data, error, refetch } = useQuery({
    ...query(getIndex, {}),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? watch_ms : false),
  })
  const pays = may(personOf(me), holders('2'))
  // What waits stands above the batches: nothing goes down below a thumb that was about to withdraw one.
  const approvals = useQuery(waitingApprovals)
  const feedback = useQuery({ ...waitingFeedback, enabled: pays })
  if (!data || !approvals.isFetched || (pays && !feedback.isFetched))
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Skeleton rows={6} />
  return (
    <>
      <PocketApprovals />
      {pays && <PocketFeedback />}
      {pays && (
        <section aria-labelledby="pocket-batches">
          <h2 id="pocket-batches">本月批次</h2>
          {data.batches.length === 0 ? (
            <Empty drawing="sheet" text="本月还没有工资条。请在电脑上上传工资表，发送以后可以在这里跟进。" />
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
                <span>
                  <strong>{data.sms_left.toLocaleString('zh-CN')}</strong>
                  短信余量
                </span>
              </div>
              <ul>
                {data.batches.map((batch) => (
                  <BatchCard key={batch.batch_id} batch={batch} />
                ))}
              </ul>
            </>
          )}
        </section>
      )}
      {!pays && <p className="ui-hint">等您审批的申请会显示在这里；工资条由薪酬管理员处理。</p>}
      <nav aria-label="更多" className={styles.acts}>
        <Link to="/find" className={`ui-button ${employeeStyles.button} ${styles.go}`}>
          <Icon name="search" /> 搜索
        </Link>
        <Link to={pays ? '/home' : '/roleWage'} className={`ui-button ${employeeStyles.button} ${styles.go}`}>
          完整版
        </Link>
      </nav>
    </>
  )
}
