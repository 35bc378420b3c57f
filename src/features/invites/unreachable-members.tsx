import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getUnreachableMemberList } from '../../../server/contract/payslips/unreachable-members.ts'
import { type ReachIssue, reachIssues } from '../../../server/contract/shared/enums.ts'
import { callQuery } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { lazyDialog } from '../../components/lazy.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { type Statistic, StatisticCards } from '../../components/page/statistic-cards.tsx'
import type { PageParams } from '../../components/search-params.ts'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import styles from '../directory/file/file.module.css'
import { reachIssueLabels } from '../directory/file/labels.ts'
import { RosterBackTitle } from '../directory/file/roster-title.tsx'
import { formatCount } from '../directory/import/sheet-labels.ts'

const InviteDialog = lazyDialog(async () => (await import('./invite-dialog.tsx')).InviteDialog)

type UnreachableMember = CallOutput<typeof getUnreachableMemberList>['list'][number]
/** Returns where the problem can be fixed: an invite, or the member's roster data. */
const getRemedy = ({ problems }: UnreachableMember): { act?: 'edit' | 'invite'; text: string } =>
  problems.includes('no_phone') || problems.includes('bounced')
    ? { act: 'edit', text: '核对手机号' }
    : problems.includes('not_joined')
      ? { act: 'invite', text: '邀请' }
      : { text: '查看档案' }

const unreachableColumns: Columns<UnreachableMember> = [
  { title: '姓名', dataIndex: 'name', fixed: 'left' },
  { title: '手机号', dataIndex: 'mobile', className: 'ui-nowrap', card: 'line', render: (mobile: string) => mobile || '—' },
  { title: '部门', dataIndex: 'departments', card: 'line', render: (names: string) => names || '—' },
  {
    title: '原因',
    dataIndex: 'problems',
    card: 'wide',
    render: (problems: UnreachableMember['problems'], { why }) => (
      <>
        {problems.map((one) => reachIssueLabels[one].label).join('、')}
        {why && <div className="ui-hint">{why}</div>}
      </>
    ),
  },
  {
    title: '操作',
    key: 'act',
    fixed: 'right',
    render: (_, line) => {
      const { act, text } = getRemedy(line)
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

type ReachSearch = PageParams & { problem?: ReachIssue | undefined; batch?: string | undefined }

/** Says how many nothing reaches, and how many only need attention. */
const formatReachNote = ({ unreachable_count, page }: CallOutput<typeof getUnreachableMemberList>): string => {
  const others = page.total - unreachable_count
  return `${formatCount(unreachable_count)} 人可能收不到${others > 0 ? `，另有 ${formatCount(others)} 人需要留意` : ''}`
}

/** Lists, before pay day, the members whom a payslip may not reach, with the reason and a link to fix it. */
export function ReachabilityPage({ search }: { search: ReachSearch }) {
  const { page = 1, pagesize = 20, problem, batch } = search
  const navigate = useNavigate()
  const [isInviteOpen, setInviteOpen] = useState(false)
  const members = useQuery({
    ...callQuery(getUnreachableMemberList, {
      page,
      pagesize,
      ...(problem ? { issue: problem } : {}),
      ...(batch ? { batch_id: batch } : {}),
    }),
    placeholderData: (before) => before,
  })
  const counts = members.data?.counts
  const items = reachIssues
    .filter((key) => key !== 'no_platform' || (counts?.no_platform ?? 0) > 0)
    .map((key): Statistic<ReachIssue> => {
      const value = counts?.[key] ?? 0
      const { label, note, color } = reachIssueLabels[key]
      return { key, label, note, value, color: value > 0 ? color : 'ink3' }
    })
  const waiting = counts?.not_joined ?? 0
  return (
    <div className="ui-page">
      <PageHeader
        title={batch ? <BatchBackTitle batch={batch} /> : <RosterBackTitle>发薪前检查</RosterBackTitle>}
        note={members.data && !problem && formatReachNote(members.data)}
        action={
          waiting > 0 && (
            <Button type="primary" icon={<Icon name="send" />} onClick={() => setInviteOpen(true)}>
              邀请 {waiting} 位待加入的员工
            </Button>
          )
        }
      />
      {counts && (
        <StatisticCards
          items={items}
          selected={problem ?? null}
          onChoose={(key) =>
            void navigate({ to: '/companyMember', search: { view: 'reach', problem: key ?? undefined, batch }, replace: true })
          }
        />
      )}
      <section className="ui-card">
        <DataTable
          requested={members}
          columns={unreachableColumns}
          rowKey="member_id"
          label="发薪前需要核对的员工"
          unit="人"
          empty={{
            illustration: 'people',
            text: problem ? '没有这样的员工。' : batch ? '这一批的员工都能收到工资条。' : '您管理的员工都能收到工资条。',
          }}
        />
      </section>
      {isInviteOpen && <InviteDialog member_ids={[]} onClose={() => setInviteOpen(false)} />}
    </div>
  )
}

/** ‹ leads back to the sending of the wage sheet whose people are listed. */
const BatchBackTitle = ({ batch }: { batch: string }) => (
  <span className={styles.title}>
    <Link to="/wageSend3" search={{ batch_id: batch }} className="ui-back" aria-label="返回发送设置">
      <Icon name="back" size={20} />
    </Link>
    发薪前检查 · 本批
  </span>
)
