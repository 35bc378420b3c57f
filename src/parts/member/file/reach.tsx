import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getReachList } from '../../../../server/contract/people/reach.ts'
import { type ReachProblem, reachProblems } from '../../../../server/contract/words/vocabulary.ts'
import { query } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { type Figure, Numbers } from '../../../ui/page/numbers.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import type { PageSearch } from '../../../ui/search.ts'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'
import styles from './file.module.css'
import { RosterTitle } from './roster-title.tsx'
import { problemWords } from './words.ts'

const InviteDialog = lazy(async () => ({ default: (await import('../invite-dialog.tsx')).InviteDialog }))

type Line = OutputOf<typeof getReachList>['list'][number]
/** Where it is put right: an invitation, or what the roster says of him. */
const remedyOf = ({ problems }: Line): { act?: 'edit' | 'invite'; text: string } =>
  problems.includes('no_phone') || problems.includes('bounced')
    ? { act: 'edit', text: '核对手机号' }
    : problems.includes('not_joined')
      ? { act: 'invite', text: '邀请' }
      : { text: '查看档案' }

const columns: Columns<Line> = [
  { title: '姓名', dataIndex: 'name', fixed: 'left' },
  { title: '手机号', dataIndex: 'mobile', className: 'ui-nowrap', card: 'line', render: (mobile: string) => mobile || '—' },
  { title: '部门', dataIndex: 'departments', card: 'line', render: (names: string) => names || '—' },
  {
    title: '原因',
    dataIndex: 'problems',
    card: 'wide',
    render: (problems: Line['problems'], { why }) => (
      <>
        {problems.map((one) => problemWords[one].label).join('、')}
        {why && <div className="ui-hint">{why}</div>}
      </>
    ),
  },
  {
    title: '操作',
    key: 'act',
    fixed: 'right',
    render: (_, line) => {
      const { act, text } = remedyOf(line)
      return (
        <Link
          className={styles.remedy}
          to="/memberFile"
          search={{ id: line.member_id, ...(act ? { act } : {}) }}
          aria-label={`${text}：${line.name}`}
        >
          {text}
        </Link>
      )
    },
  },
]

/** Before pay day: whom a slip may not reach, why, and the way to put it right. */
export function ReachPage({ search }: { search: PageSearch & { problem?: ReachProblem | undefined } }) {
  const { page = 1, pagesize = 20, problem } = search
  const navigate = useNavigate()
  const [inviting, setInviting] = useState(false)
  const asked = useQuery({
    ...query(getReachList, { page, pagesize, ...(problem ? { problem } : {}) }),
    placeholderData: (before) => before,
  })
  const counts = asked.data?.counts
  const items = reachProblems
    .filter((key) => key !== 'no_platform' || (counts?.no_platform ?? 0) > 0)
    .map((key): Figure<ReachProblem> => {
      const value = counts?.[key] ?? 0
      const { label, note, tone } = problemWords[key]
      return { key, label, note, value, tone: value > 0 ? tone : 'ink3' }
    })
  const waiting = counts?.not_joined ?? 0
  return (
    <div className="ui-page">
      <PageHead
        title={<RosterTitle>发薪前检查</RosterTitle>}
        note={asked.data && `${asked.data.page.total} 人可能收不到`}
        action={
          waiting > 0 && (
            <Button type="primary" icon={<Icon name="send" />} onClick={() => setInviting(true)}>
              邀请 {waiting} 位待加入的员工
            </Button>
          )
        }
      />
      {counts && (
        <Numbers
          items={items}
          chosen={problem ?? null}
          onChoose={(key) =>
            void navigate({ to: '/companyMember', search: { view: 'reach', ...(key ? { problem: key } : {}) }, replace: true })
          }
        />
      )}
      <section className="ui-card">
        <DataTable
          asked={asked}
          columns={columns}
          rowKey="member_id"
          label="可能收不到的员工"
          unit="人"
          empty={{ drawing: 'people', text: problem ? '没有这样的员工。' : '您管理的员工都能收到工资条。' }}
        />
      </section>
      <Suspense fallback={null}>{inviting && <InviteDialog member_ids={[]} onClose={() => setInviting(false)} />}</Suspense>
    </div>
  )
}
