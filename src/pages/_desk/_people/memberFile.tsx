import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { requirePowerAnywhere } from '../../../../server/contract/access/any-company.ts'
import { requirePower } from '../../../../server/contract/access.ts'
import { getDepartList, getMemberInfo } from '../../../../server/contract/directory/members.ts'
import { callQuery } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { lazyDialog } from '../../../components/lazy.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { Tabs } from '../../../components/page/tabs.tsx'
import { parseEnum } from '../../../components/search-params.ts'
import { EmptyState } from '../../../components/state/empty-state.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import styles from '../../../features/directory/file/file.module.css'
import type { MemberFile } from '../../../features/directory/file/labels.ts'
import { MemberEvents, MemberInvites, MemberPayslips } from '../../../features/directory/file/lists.tsx'
import { MemberPersonalData } from '../../../features/directory/file/personal-data.tsx'
import { MemberProfile } from '../../../features/directory/file/profile.tsx'
import { RosterBackTitle } from '../../../features/directory/file/roster-title.tsx'
import { MemberTaxSection } from '../../../features/directory/file/tax.tsx'
import { TerminateDialog } from '../../../features/directory/file/terminate-dialog.tsx'
import { memberStatusLabels, unconfirmedLabel } from '../../../features/directory/labels.ts'
import { parseId } from '../../../features/payslips/labels.ts'
import { PayslipDrawer } from '../../../features/payslips/slip-drawer.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'
import { useCanAccess } from '../../../session.ts'

const payViewLabels = { slips: '工资条', tax: '个税与社保' } as const
const viewLabels = { invites: '邀请与平台', events: '变更记录' } as const
const memberFileViews = ['slips', 'tax', 'invites', 'events'] as const
type MemberFileView = (typeof memberFileViews)[number]
type MemberFileSearch = {
  id?: string | undefined
  view?: MemberFileView | undefined
  /** The payslip that is open in the drawer. */
  salary?: string | undefined
  /** The dialog to open on arrival. */
  act?: 'edit' | 'invite' | undefined
}

const parseSearch = (raw: Record<string, unknown>): MemberFileSearch => ({
  id: parseId(raw.id),
  view: parseEnum(raw.view, memberFileViews),
  salary: parseId(raw.salary),
  act: parseEnum(raw.act, ['edit', 'invite']),
})
const memberFileQuery = (id: string) => ({ ...callQuery(getMemberInfo, { id }), meta: { quiet: true } })

export const Route = createFileRoute('/_desk/_people/memberFile')({
  staticData: { title: '员工档案', section: 'member', who: requirePowerAnywhere('1', '2', '3') },
  validateSearch: parseSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { id } = parseSearch(location.search)
      return id && prefetchQuery(memberFileQuery(id))
    }),
  component: MemberFilePage,
})

const InviteDialog = lazyDialog(async () => (await import('../../../features/invites/invite-dialog.tsx')).InviteDialog)
const MemberDialog = lazyDialog(async () => (await import('../../../features/directory/member-dialog.tsx')).MemberDialog)

const rosterLink = (
  <Link to="/companyMember" className="ant-btn ant-btn-default">
    回到花名册
  </Link>
)

function MemberFilePage() {
  const { id, view, salary, act } = Route.useSearch()
  if (!id) return <MemberNotFound />
  return <MemberFileLoader key={id} {...{ id, view, salary }} initialAction={act} />
}

const MemberNotFound = () => (
  <div className="ui-page">
    <PageHeader title="员工档案" />
    <section className="ui-card">
      <EmptyState illustration="people" text="请在花名册里选择一位员工。" action={rosterLink} />
    </section>
  </div>
)

type MemberFileParams = Pick<MemberFileSearch, 'view' | 'salary'> & { initialAction: MemberFileSearch['act'] }

function MemberFileLoader({ id, ...search }: { id: string } & MemberFileParams) {
  const memberResult = useQuery(memberFileQuery(id))
  if (memberResult.data) return <MemberFileContent member={memberResult.data} {...search} />
  return (
    <div className="ui-page">
      <PageHeader title="员工档案" action={rosterLink} />
      <section className="ui-card">
        {memberResult.error ? (
          <ErrorState error={memberResult.error} retry={() => void memberResult.refetch()} />
        ) : (
          <Skeleton rows={10} />
        )}
      </section>
    </div>
  )
}

function MemberFileContent({ member, view, salary, initialAction }: { member: MemberFile } & MemberFileParams) {
  const navigate = useNavigate()
  const canAccess = useCanAccess()
  const canEdit = canAccess(requirePowerAnywhere('2', '3'))
  const canSeePay = canAccess(requirePower('2'))
  const labels: Readonly<Record<string, string>> = canSeePay ? { ...payViewLabels, ...viewLabels } : viewLabels
  const tab = view && labels[view] ? view : canSeePay ? 'slips' : 'invites'
  const goTo = (change: Pick<MemberFileSearch, 'view' | 'salary'>) =>
    void navigate({ to: '/memberFile', search: { id: member.ID, view, ...change }, replace: true })
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHeader
        title={<RosterBackTitle>{member.NAME}</RosterBackTitle>}
        note={
          <span className="ui-row">
            <StatusDot {...memberStatusLabels[member.STATUS]} />
            {member.PHONE_UNCONFIRMED && member.STATUS !== 'left' && (
              <span className={styles.unconfirmed}>{unconfirmedLabel}</span>
            )}
          </span>
        }
        action={canEdit && member.STATUS !== 'left' && <MemberFileActions member={member} begin={initialAction} />}
      />
      <MemberProfile member={member} keeps={canEdit} />
      <Tabs label="员工档案" at={tab} labels={labels} onGo={(next) => goTo({ view: parseEnum(next, memberFileViews) })} />
      {tab === 'slips' && <MemberPayslips member_id={member.ID} name={member.NAME} onOpen={(salary) => goTo({ salary })} />}
      {tab === 'tax' && <MemberTaxSection member_id={member.ID} />}
      {tab === 'invites' && <MemberInvites member_id={member.ID} joined={member.JOINED} />}
      {tab === 'events' && <MemberEvents id={member.ID} />}
      {tab === 'events' && canAccess(requirePower()) && <MemberPersonalData member={member} />}
      <PayslipDrawer salary_id={salary} onClose={() => goTo({})} />
    </div>
  )
}

/** The actions for active members. */
function MemberFileActions({ member, begin: initialAction }: { member: MemberFile; begin: MemberFileSearch['act'] }) {
  const [openDialog, setOpenDialog] = useState<'edit' | 'invite' | 'leave' | null>(initialAction ?? null)
  const tree = useQuery({ ...callQuery(getDepartList, {}), enabled: openDialog === 'edit' })
  const close = () => setOpenDialog(null)
  return (
    <>
      <Button onClick={() => setOpenDialog('leave')}>标记离职</Button>
      {!member.JOINED && (
        <Button icon={<Icon name="send" />} onClick={() => setOpenDialog('invite')}>
          邀请
        </Button>
      )}
      <Button type="primary" onClick={() => setOpenDialog('edit')}>
        编辑资料
      </Button>
      {openDialog === 'leave' && <TerminateDialog member={member} onClose={close} />}

      {openDialog === 'invite' && <InviteDialog member_ids={[member.ID]} onClose={close} />}
      {openDialog === 'edit' && tree.data && (
        <MemberDialog member={member} tree={tree.data.list} department={undefined} onClose={close} />
      )}
    </>
  )
}
