import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getDepartList, type getMemberList } from '../../../../server/contract/directory/members.ts'
import { getInviteStatuses, type InviteStatus } from '../../../../server/contract/invites/invite.ts'
import { callQuery } from '../../../api.ts'
import { lazyDialog } from '../../../components/lazy.tsx'
import type { RowSelection } from '../../../components/table/card-list.tsx'
import { DataTable } from '../../../components/table/data-table.tsx'
import { SharedRowMenu } from '../../../components/table/row-menu.tsx'
import { BulkActionsBar } from '../bulk-actions.tsx'
import { createMemberColumns, InviteStatusContext } from '../columns.tsx'
import type { Member } from '../labels.ts'
import { TerminateDialog } from './terminate-dialog.tsx'

const MemberDialog = lazyDialog(async () => (await import('../member-dialog.tsx')).MemberDialog)

export function MemberEditDialog(props: { member: Member | null; department: string | undefined; onClose: () => void }) {
  const tree = useQuery(callQuery(getDepartList, {}))
  return <MemberDialog {...props} tree={tree.data?.list ?? []} />
}

type MemberTableProps = {
  /** Whether the list is filtered. */
  filtered: boolean
  searched: boolean
  members: UseQueryResult<CallOutput<typeof getMemberList>>
  canEdit: boolean
  department: { ID: string; NAME: string } | undefined
  emptyAction: React.ReactNode
}

/** Fetches the invite status of the page's members who have not joined yet, in one request. */
function useInviteStatuses(list: readonly Member[]): ReadonlyMap<string, InviteStatus> {
  const member_ids = list.filter(({ STATUS }) => STATUS === 'invited').map(({ ID }) => ID)
  const invites = useQuery({
    ...callQuery(getInviteStatuses, { member_ids }),
    enabled: member_ids.length > 0,
    meta: { quiet: true },
  })
  const statuses = invites.data?.list
  return useMemo(() => new Map((statuses ?? []).map(({ member_id, state }) => [member_id, state])), [statuses])
}

/** Creates the selection of this page, in addition to members selected on other pages. */
const createSelection = (
  selected: readonly Member[],
  list: readonly Member[],
  onChange: (chosen: readonly Member[]) => void,
): RowSelection<Member> => ({
  keys: selected.map(({ ID }) => ID),
  onChange: (keys) => {
    const existing = new Map([...selected, ...list].map((one) => [one.ID, one]))
    onChange(keys.flatMap((key) => existing.get(String(key)) ?? []))
  },
  disabled: ({ STATUS }) => STATUS === 'left',
  getLabel: ({ NAME }) => `选择 ${NAME}`,
})

/** The member table with row and bulk actions. The selection persists across pages of one department. */
export function MemberTable({ filtered, searched, members, canEdit, department, emptyAction }: MemberTableProps) {
  const navigate = useNavigate()
  // Many rows render deferred, so that the next user input is handled first.
  const data = useDeferredValue(members.data, undefined)
  const invites = useInviteStatuses(data?.list ?? [])
  const [selected, setSelected] = useState<readonly Member[]>([])
  const [edited, setEdited] = useState<Member | null>(null)
  const [menu, setMenu] = useState<{ member: Member; button: HTMLButtonElement } | null>(null)
  const openMenu = useCallback((member: Member, button: HTMLButtonElement) => setMenu({ member, button }), [])
  const closeMenu = useCallback(() => setMenu(null), [])
  const [terminated, setTerminated] = useState<Member | null>(null)
  const columns = useMemo(() => createMemberColumns(canEdit ? openMenu : null), [canEdit, openMenu])
  const selection = useMemo(() => createSelection(selected, data?.list ?? [], setSelected), [selected, data])
  return (
    <>
      {selected.length > 0 && <BulkActionsBar people={selected} context={department} onClear={() => setSelected([])} />}
      <InviteStatusContext value={invites}>
        <DataTable<Member>
          requested={{
            data,
            error: members.error,
            isFetching: members.isFetching || data !== members.data,
            refetch: members.refetch,
          }}
          columns={columns}
          rowKey="ID"
          unit="人"
          label="员工"
          {...(canEdit ? { selected: selection } : {})}
          empty={
            filtered
              ? {
                  illustration: 'search',
                  text: department && !searched ? `「${department.NAME}」里还没有员工。` : '没有符合条件的员工。',
                  action: <Button onClick={() => void navigate({ to: '/companyMember', search: {} })}>查看全部员工</Button>,
                }
              : {
                  illustration: 'people',
                  text: canEdit ? '还没有员工。导入花名册，添加几位，或上传工资表时一键创建。' : '还没有员工。',
                  action: emptyAction,
                }
          }
        />
      </InviteStatusContext>
      {menu && (
        <SharedRowMenu
          key={menu.member.ID}
          button={menu.button}
          acts={[
            { key: 'edit', label: '编辑资料', onClick: () => setEdited(menu.member) },
            { key: 'leave', label: '标记离职', danger: true, onClick: () => setTerminated(menu.member) },
          ]}
          onClose={closeMenu}
        />
      )}
      {edited && (
        <>
          <MemberEditDialog member={edited} department={undefined} onClose={() => setEdited(null)} />
        </>
      )}
      {terminated && (
        <TerminateDialog
          member={terminated}
          onClose={(left) => {
            if (left) setSelected((previous) => previous.filter(({ ID }) => ID !== terminated.ID))
            setTerminated(null)
          }}
        />
      )}
    </>
  )
}
