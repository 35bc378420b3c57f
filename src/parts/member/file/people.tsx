import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { lazy, Suspense, useDeferredValue, useMemo, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getInviteStates, type InviteState } from '../../../../server/contract/people/invite.ts'
import { getDepartList, type getMemberList } from '../../../../server/contract/people/member.ts'
import { query } from '../../../api.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'
import type { Chosen } from '../../../ui/table/row-cards.tsx'
import { InviteStates, memberColumns } from '../columns.tsx'
import { ManyBar } from '../many.tsx'
import type { Member } from '../words.ts'
import { LeaveDialog } from './leave-dialog.tsx'

const MemberDialog = lazy(async () => ({ default: (await import('../member-dialog.tsx')).MemberDialog }))

export function Editing(props: { member: Member | null; department: string | undefined; onClose: () => void }) {
  const tree = useQuery(query(getDepartList, {}))
  return <MemberDialog {...props} tree={tree.data?.list ?? []} />
}

type PeopleProps = {
  /** Whether the list is of some only. */
  filtered: boolean
  searched: boolean
  members: UseQueryResult<OutputOf<typeof getMemberList>>
  keeps: boolean
  here: { ID: string; NAME: string } | undefined
  begin: React.ReactNode
}

/** How those of this page stand with their invitations who have not joined yet: one question for all of them. */
function useInviteStates(list: readonly Member[]): ReadonlyMap<string, InviteState> {
  const member_ids = list.filter(({ STATUS }) => STATUS === 'invited').map(({ ID }) => ID)
  const asked = useQuery({ ...query(getInviteStates, { member_ids }), enabled: member_ids.length > 0, meta: { quiet: true } })
  const states = asked.data?.list
  return useMemo(() => new Map((states ?? []).map(({ member_id, state }) => [member_id, state])), [states])
}

/** Who of these is ticked, beside whoever is ticked on other pages. */
const ticksOf = (
  chosen: readonly Member[],
  list: readonly Member[],
  set: (chosen: readonly Member[]) => void,
): Chosen<Member> => ({
  keys: chosen.map(({ ID }) => ID),
  onChange: (keys) => {
    const known = new Map([...chosen, ...list].map((one) => [one.ID, one]))
    set(keys.flatMap((key) => known.get(String(key)) ?? []))
  },
  disabled: ({ STATUS }) => STATUS === 'left',
  nameOf: ({ NAME }) => `选择 ${NAME}`,
})

/** The people, with what can be done with one and with many. Who is ticked stays ticked on other pages of one department. */
export function People({ filtered, searched, members, keeps, here, begin }: PeopleProps) {
  const navigate = useNavigate()
  // Many rows are drawn bit by bit behind what a hand does next: the press that asked for them is answered first.
  const data = useDeferredValue(members.data, undefined)
  const invites = useInviteStates(data?.list ?? [])
  const [chosen, setChosen] = useState<readonly Member[]>([])
  const [editing, setEditing] = useState<Member | null>(null)
  const [leaving, setLeaving] = useState<Member | null>(null)
  const columns = useMemo(() => memberColumns(keeps ? { edit: setEditing, leave: setLeaving } : null), [keeps])
  const ticks = useMemo(() => ticksOf(chosen, data?.list ?? [], setChosen), [chosen, data])
  return (
    <>
      {chosen.length > 0 && <ManyBar people={chosen} here={here} onClear={() => setChosen([])} />}
      <InviteStates value={invites}>
        <DataTable<Member>
          asked={{
            data,
            error: members.error,
            isFetching: members.isFetching || data !== members.data,
            refetch: members.refetch,
          }}
          columns={columns}
          rowKey="ID"
          unit="人"
          label="员工"
          {...(keeps ? { chosen: ticks } : {})}
          empty={
            filtered
              ? {
                  drawing: 'search',
                  text: here && !searched ? `「${here.NAME}」里还没有员工。` : '没有符合条件的员工。',
                  action: <Button onClick={() => void navigate({ to: '/companyMember', search: {} })}>查看全部员工</Button>,
                }
              : {
                  drawing: 'people',
                  text: keeps ? '还没有员工。导入花名册，添加几位，或上传工资表时一键创建。' : '还没有员工。',
                  action: begin,
                }
          }
        />
      </InviteStates>
      {editing && (
        <Suspense fallback={null}>
          <Editing member={editing} department={undefined} onClose={() => setEditing(null)} />
        </Suspense>
      )}
      {leaving && (
        <LeaveDialog
          member={leaving}
          onClose={(left) => {
            if (left) setChosen((before) => before.filter(({ ID }) => ID !== leaving.ID))
            setLeaving(null)
          }}
        />
      )}
    </>
  )
}
