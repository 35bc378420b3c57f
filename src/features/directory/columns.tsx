import { useRouter } from '@tanstack/react-router'
import { Button } from 'antd'
import { createContext, use, useState } from 'react'
import type { InviteStatus } from '../../../server/contract/invites/invite.ts'
import type { MemberStatus } from '../../../server/contract/shared/schemas.ts'
import { lazyDialog } from '../../components/lazy.tsx'
import type { Columns } from '../../components/table/data-table.tsx'
import { MoreButton } from '../../components/table/row-menu.tsx'
import { formatDate } from '../../components/value/dates.ts'
import { StatusDot } from '../../components/value/status-dot.tsx'
import { inviteStatusLabels } from './file/labels.ts'
import { type Member, memberStatusLabels, unconfirmedLabel } from './labels.ts'
import styles from './member.module.css'

const ConfirmPhoneDialog = lazyDialog(async () => (await import('./confirm-phone.tsx')).ConfirmPhoneDialog)

/** Shown next to an unconfirmed phone: what is withheld meanwhile, and who can resolve it. */
function UnconfirmedPhone({ member, keeps: canEdit }: { member: Member; keeps: boolean }) {
  const [isDialogOpen, setDialogOpen] = useState(false)
  if (!canEdit) return <span className={styles.unconfirmed}>{unconfirmedLabel}</span>
  return (
    <>
      <Button
        type="link"
        className={styles.unconfirmed}
        aria-label={`${member.NAME}：${unconfirmedLabel}`}
        onClick={() => setDialogOpen(true)}
      >
        {unconfirmedLabel}
      </Button>
      {isDialogOpen && (
        <>
          <ConfirmPhoneDialog member={member} onClose={() => setDialogOpen(false)} />
        </>
      )}
    </>
  )
}

/**
 * The invite status of members who have not joined yet. It loads after the member list, so only its labels render
 * again.
 */
export const InviteStatusContext = createContext<ReadonlyMap<string, InviteStatus>>(new Map())
function InviteStatusLabel({ id }: { id: string }) {
  const invite = use(InviteStatusContext).get(id)
  // The line is reserved before its text arrives, so that content below does not move under a finger.
  return <div className="ui-hint">{invite ? inviteStatusLabels[invite].label : '\u00a0'}</div>
}

/**
 * Links to a member's page. The router's link would subscribe to every location change, a hundred times without any
 * use.
 */
function MemberLink({ id, name }: { id: string; name: string }) {
  const router = useRouter()
  return (
    <a
      className={styles.name}
      href={`/memberFile?id=${id}`}
      onClick={(event) => {
        // Opening a new tab or window is left to the browser.
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        void router.navigate({ to: '/memberFile', search: { id } })
      }}
    >
      {name}
    </a>
  )
}

/** Renders long text truncated; hovering shows the full text. */
const renderTruncated = (text: string) =>
  text ? (
    <span className={styles.cut} title={text} data-cut="">
      {text}
    </span>
  ) : (
    '—'
  )

/** Creates the columns of the roster, with a button that opens the menu of its row for users who may edit it. */
export const createMemberColumns = (onMenu: ((member: Member, button: HTMLButtonElement) => void) | null): Columns<Member> => [
  {
    title: '姓名',
    dataIndex: 'NAME',
    width: 112,
    fixed: 'left',
    render: (name: string, { ID }) => <MemberLink id={ID} name={name} />,
  },
  {
    title: '手机号',
    dataIndex: 'MOBILE',
    width: 128,
    className: 'ui-nowrap',
    card: ({ PHONE_UNCONFIRMED, STATUS }) => (PHONE_UNCONFIRMED && STATUS !== 'left' ? 'pair' : 'line'),
    render: (mobile: string, member) =>
      member.PHONE_UNCONFIRMED && member.STATUS !== 'left' ? (
        <>
          {mobile}
          <UnconfirmedPhone member={member} keeps={onMenu !== null} />
        </>
      ) : (
        mobile || '—'
      ),
  },
  {
    title: '部门',
    dataIndex: 'DEPARTMENTS',
    card: 'line',
    render: (all: Member['DEPARTMENTS']) => renderTruncated(all.map((each) => each.NAME).join('、')),
  },
  { title: '岗位', dataIndex: 'POSITION', card: 'line', render: renderTruncated },
  { title: '工号', dataIndex: 'EMPLOYEE_NO', className: 'ui-nowrap', card: 'line', render: (text: string) => text || '—' },
  {
    title: '入职日期',
    dataIndex: 'ENTRY_DATE',
    width: 102,
    from: 'xl',
    className: 'ui-nowrap',
    card: 'none',
    render: formatDate,
  },
  {
    title: '状态',
    dataIndex: 'STATUS',
    width: 88,
    // Most members are active: a card shows only other statuses.
    card: (member) => (member.STATUS === 'active' ? 'none' : 'end'),
    render: (status: MemberStatus, { ID }) => (
      <>
        <StatusDot {...memberStatusLabels[status]} />
        {status === 'invited' && <InviteStatusLabel id={ID} />}
      </>
    ),
  },
  ...(onMenu
    ? ([
        {
          title: <span className="sr-only">操作</span>,
          key: 'acts',
          width: 56,
          fixed: 'right',
          render: (_, member) =>
            member.STATUS !== 'left' && <MoreButton label={member.NAME} onPress={(button) => onMenu(member, button)} />,
        },
      ] satisfies Columns<Member>)
    : []),
]
