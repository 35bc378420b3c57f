import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { getDepartList, getMemberInfo } from '../../../../server/contract/people/member.ts'
import { holders } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import styles from '../../../parts/member/file/file.module.css'
import { LeaveDialog } from '../../../parts/member/file/leave-dialog.tsx'
import { Events, Invites, Slips } from '../../../parts/member/file/lists.tsx'
import { Employment, Profile } from '../../../parts/member/file/profile.tsx'
import { RosterTitle } from '../../../parts/member/file/roster-title.tsx'
import { Tax } from '../../../parts/member/file/tax.tsx'
import type { MemberFile } from '../../../parts/member/file/words.ts'
import { memberWords, unconfirmedWord } from '../../../parts/member/words.ts'
import { SlipDrawer } from '../../../parts/slip/slip-drawer.tsx'
import { idOf } from '../../../parts/slip/words.ts'
import { begin, first } from '../../../routed/first.ts'
import { useMay } from '../../../session.ts'
import { Icon } from '../../../ui/icon.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { oneOf } from '../../../ui/search.ts'
import { Empty } from '../../../ui/state/empty.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { StatusDot } from '../../../ui/value/status-dot.tsx'

type Search = {
  id?: string | undefined
  /** The slip that is open in the drawer. */
  salary?: string | undefined
  /** What one has come for. */
  act?: 'edit' | 'invite' | undefined
}

const searchOf = (raw: Record<string, unknown>): Search => ({
  id: idOf(raw.id),
  salary: idOf(raw.salary),
  act: oneOf(raw.act, ['edit', 'invite']),
})
const fileQuery = (id: string) => ({ ...query(getMemberInfo, { id }), meta: { quiet: true } })

export const Route = createFileRoute('/_desk/_people/memberFile')({
  staticData: { title: '员工档案', section: 'member', who: holders('1', '2', '3') },
  validateSearch: searchOf,
  loader: ({ route, location }) =>
    first(route, () => {
      const { id } = searchOf(location.search)
      return id && begin(fileQuery(id))
    }),
  component: MemberFilePage,
})

const InviteDialog = lazy(async () => ({ default: (await import('../../../parts/member/invite-dialog.tsx')).InviteDialog }))
const MemberDialog = lazy(async () => ({ default: (await import('../../../parts/member/member-dialog.tsx')).MemberDialog }))

const toRoster = (
  <Link to="/companyMember" className="ant-btn ant-btn-default">
    回到花名册
  </Link>
)

function MemberFilePage() {
  const { id, salary, act } = Route.useSearch()
  if (!id) return <Nobody />
  return <OneMember key={id} id={id} salary={salary} act={act} />
}

const Nobody = () => (
  <div className="ui-page">
    <PageHead title="员工档案" />
    <section className="ui-card">
      <Empty drawing="people" text="请在花名册里选择一位员工。" action={toRoster} />
    </section>
  </div>
)

type Asked = { salary: string | undefined; act: Search['act'] }

function OneMember({ id, ...search }: { id: string } & Asked) {
  const asked = useQuery(fileQuery(id))
  if (asked.data) return <Shown member={asked.data} {...search} />
  return (
    <div className="ui-page">
      <PageHead title="员工档案" action={toRoster} />
      <section className="ui-card">
        {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={10} />}
      </section>
    </div>
  )
}

function Shown({ member, salary, act }: { member: MemberFile } & Asked) {
  const navigate = useNavigate()
  const may = useMay()
  const keeps = may(holders('2', '3'))
  const open = (salary_id: string | undefined) =>
    void navigate({ to: '/memberFile', search: { id: member.ID, ...(salary_id ? { salary: salary_id } : {}) }, replace: true })
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHead
        title={<RosterTitle>{member.NAME}</RosterTitle>}
        note={
          <span className="ui-row">
            <StatusDot {...memberWords[member.STATUS]} />
            {member.UNCONFIRMED && member.STATUS !== 'left' && <span className={styles.unconfirmed}>{unconfirmedWord}</span>}
          </span>
        }
        action={keeps && member.STATUS !== 'left' && <Acts member={member} begin={act} />}
      />
      <Profile member={member} keeps={keeps} />
      <Employment member={member} />
      {may(holders('2')) && <Tax member_id={member.ID} />}
      {may(holders('2')) && <Slips member_id={member.ID} name={member.NAME} onOpen={open} />}
      <Invites member_id={member.ID} joined={member.JOINED} />
      <Events id={member.ID} />
      <SlipDrawer salary_id={salary} onClose={() => open(undefined)} />
    </div>
  )
}

/** Only of people who are here. */
function Acts({ member, begin }: { member: MemberFile; begin: Search['act'] }) {
  const [doing, setDoing] = useState<'edit' | 'invite' | 'leave' | null>(begin ?? null)
  const tree = useQuery({ ...query(getDepartList, {}), enabled: doing === 'edit' })
  const close = () => setDoing(null)
  return (
    <>
      <Button onClick={() => setDoing('leave')}>标记离职</Button>
      {!member.JOINED && (
        <Button icon={<Icon name="send" />} onClick={() => setDoing('invite')}>
          邀请
        </Button>
      )}
      <Button type="primary" onClick={() => setDoing('edit')}>
        编辑资料
      </Button>
      {doing === 'leave' && <LeaveDialog member={member} onClose={close} />}
      <Suspense fallback={null}>
        {doing === 'invite' && <InviteDialog member_ids={[member.ID]} onClose={close} />}
        {doing === 'edit' && tree.data && (
          <MemberDialog member={member} tree={tree.data.list} department={undefined} onClose={close} />
        )}
      </Suspense>
    </>
  )
}
