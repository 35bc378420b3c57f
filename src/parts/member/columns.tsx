import { useRouter } from '@tanstack/react-router'
import { Button } from 'antd'
import { createContext, lazy, Suspense, use, useState } from 'react'
import type { InviteState } from '../../../server/contract/people/invite.ts'
import type { MemberStatus } from '../../../server/contract/words/words.ts'
import type { Columns } from '../../ui/table/data-table.tsx'
import { day } from '../../ui/value/dates.ts'
import { StatusDot } from '../../ui/value/status-dot.tsx'
import { inviteWords } from './file/words.ts'
import styles from './member.module.css'
import { type Member, memberWords, unconfirmedWord } from './words.ts'

const ConfirmPhone = lazy(async () => ({ default: (await import('./confirm-phone.tsx')).ConfirmPhone }))

/** Beside the phone that nobody has confirmed: what is withheld meanwhile, and who can end it. */
function Unconfirmed({ member, keeps }: { member: Member; keeps: boolean }) {
  const [asking, setAsking] = useState(false)
  if (!keeps) return <span className={styles.unconfirmed}>{unconfirmedWord}</span>
  return (
    <>
      <Button
        type="link"
        className={styles.unconfirmed}
        aria-label={`${member.NAME}：${unconfirmedWord}`}
        onClick={() => setAsking(true)}
      >
        {unconfirmedWord}
      </Button>
      {asking && (
        <Suspense fallback={null}>
          <ConfirmPhone member={member} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  )
}

/** How those stand with their invitations who have not joined yet. It comes behind the people: only its own words are drawn then. */
export const InviteStates = createContext<ReadonlyMap<string, InviteState>>(new Map())
function Invited({ id }: { id: string }) {
  const invite = use(InviteStates).get(id)
  // Its line is there before its word: what stands below would go away under a finger.
  return <div className="ui-hint">{invite ? inviteWords[invite].word : '\u00a0'}</div>
}

/** To somebody's page. A link of the router asks at every step of the page where one is: a hundred of them, for nothing. */
function PersonLink({ id, name }: { id: string; name: string }) {
  const router = useRouter()
  return (
    <a
      href={`/memberFile?id=${id}`}
      onClick={(event) => {
        // A tab or a window of its own is the browser's business.
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        void router.navigate({ to: '/memberFile', search: { id } })
      }}
    >
      {name}
    </a>
  )
}

/** Cut where it is long; pointing at it tells the rest. */
const cut = (text: string) =>
  text ? (
    <span className={styles.cut} title={text} data-cut="">
      {text}
    </span>
  ) : (
    '—'
  )

type Acts = Record<'edit' | 'leave', (member: Member) => void>

/** People of the roster; with what one may do with each where one keeps them. */
export const memberColumns = (acts: Acts | null): Columns<Member> => [
  {
    title: '姓名',
    dataIndex: 'NAME',
    width: 112,
    fixed: 'left',
    render: (name: string, { ID }) => <PersonLink id={ID} name={name} />,
  },
  {
    title: '手机号',
    dataIndex: 'MOBILE',
    width: 128,
    className: 'ui-nowrap',
    card: ({ UNCONFIRMED, STATUS }) => (UNCONFIRMED && STATUS !== 'left' ? 'pair' : 'line'),
    render: (mobile: string, member) =>
      member.UNCONFIRMED && member.STATUS !== 'left' ? (
        <>
          {mobile}
          <Unconfirmed member={member} keeps={acts !== null} />
        </>
      ) : (
        mobile || '—'
      ),
  },
  {
    title: '部门',
    dataIndex: 'DEPARTMENTS',
    card: 'line',
    render: (all: Member['DEPARTMENTS']) => cut(all.map((each) => each.NAME).join('、')),
  },
  { title: '岗位', dataIndex: 'POSITION', card: 'line', render: cut },
  { title: '工号', dataIndex: 'EMPLOYEE_NO', className: 'ui-nowrap', card: 'line', render: (text: string) => text || '—' },
  { title: '入职日期', dataIndex: 'ENTRY_DATE', width: 102, className: 'ui-nowrap', card: 'none', render: day },
  {
    title: '状态',
    dataIndex: 'STATUS',
    width: 88,
    // Most of them work here: a card says so of the others.
    card: (member) => (member.STATUS === 'active' ? 'none' : 'end'),
    render: (status: MemberStatus, { ID }) => (
      <>
        <StatusDot {...memberWords[status]} />
        {status === 'invited' && <Invited id={ID} />}
      </>
    ),
  },
  ...(acts
    ? ([
        {
          title: '操作',
          key: 'acts',
          width: 124,
          fixed: 'right',
          render: (_, member) =>
            member.STATUS === 'left' ? (
              '—'
            ) : (
              <span className={styles.acts}>
                <button type="button" className="ui-link" aria-label={`编辑 ${member.NAME}`} onClick={() => acts.edit(member)}>
                  编辑
                </button>
                <button
                  type="button"
                  className={`ui-link ${styles.leave}`}
                  aria-label={`标记离职：${member.NAME}`}
                  onClick={() => acts.leave(member)}
                >
                  标记离职
                </button>
              </span>
            ),
        },
      ] satisfies Columns<Member>)
    : []),
]
