import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button, Select } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { clearMember, type Department, getDepartList, getMemberList } from '../../../server/contract/member.ts'
import { holders } from '../../../server/contract/who.ts'
import { type MemberStatus, memberStatuses } from '../../../server/contract/words.ts'
import { query, useCall } from '../../api.ts'
import { Departments } from '../../parts/member/departments.tsx'
import { type Member, memberWords, unconfirmedWord } from '../../parts/member/words.ts'
import { useMay } from '../../session.ts'
import { day } from '../../ui/dates.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'
import { FilterTag } from '../../ui/filter-tag.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNarrow } from '../../ui/media.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { oneOf, type PageSearch, pageOf, textOf } from '../../ui/search.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { type Columns, DataTable } from '../../ui/table/data-table.tsx'
import { toast } from '../../ui/toast.ts'
import { TreePicker } from '../../ui/tree-picker.tsx'
import '../../parts/member/member.css'

type Search = PageSearch & { department?: string | undefined; name?: string | undefined; status?: MemberStatus | undefined }

export const Route = createFileRoute('/_desk/companyMember')({
  staticData: { title: '花名册', section: 'member', who: holders('1', '2', '3') },
  validateSearch: (raw): Search => ({
    ...pageOf(raw),
    department: textOf(raw.department),
    name: textOf(raw.name),
    status: oneOf(raw.status, memberStatuses),
  }),
  component: CompanyMember,
})

const InviteDialog = lazy(async () => ({ default: (await import('../../parts/member/invite-dialog.tsx')).InviteDialog }))
const QrDialog = lazy(async () => ({ default: (await import('../../parts/member/invite-qr.tsx')).QrDialog }))
const MemberDialog = lazy(async () => ({ default: (await import('../../parts/member/member-dialog.tsx')).MemberDialog }))
const ConfirmPhone = lazy(async () => ({ default: (await import('../../parts/member/confirm-phone.tsx')).ConfirmPhone }))
/** Below this width the tree becomes a picker among the filters. */
const foldAt = 1100
const statusOptions = memberStatuses.map((value) => ({ value, label: memberWords[value].word }))

const find = (tree: readonly Department[], id: string): Department | undefined => {
  for (const node of tree) {
    const found = node.ID === id ? node : find(node.child, id)
    if (found) return found
  }
  return undefined
}

/** Departments left, their people right. */
function CompanyMember() {
  const search = Route.useSearch()
  const { page, pagesize, department, name, status } = search
  const tree = useQuery(query(getDepartList, {}))
  const members = useQuery(query(getMemberList, { page, pagesize, department_id: department, name, status }))
  const navigate = useNavigate()
  const folded = useNarrow(foldAt)
  const keeps = useMay()(holders('2', '3'))
  const [editing, setEditing] = useState<Member | 'new' | null>(null)
  const [leaving, setLeaving] = useState<Member | null>(null)
  const [chosen, setChosen] = useState<string[]>([])
  const [inviting, setInviting] = useState<'people' | 'qr' | null>(null)
  const leave = useCall(clearMember, {
    onSuccess: () => {
      toast.done(`已将 ${leaving?.NAME} 标记为离职`)
      setLeaving(null)
    },
  })

  // Another filter starts at the first page.
  const filter = (change: Partial<Search>) =>
    void navigate({ to: '/companyMember', search: { ...search, page: undefined, ...change } })
  const here = department && tree.data ? find(tree.data.list, department) : undefined
  const filtered = Boolean(name || status || department)
  const add = keeps && (
    <Button type="primary" icon={<Icon name="add" />} onClick={() => setEditing('new')}>
      添加员工
    </Button>
  )
  const acts = keeps && (
    <>
      <Button icon={<Icon name="send" />} onClick={() => setInviting('people')}>
        {chosen.length > 0 ? `邀请 ${chosen.length} 人` : '邀请'}
      </Button>
      <Button onClick={() => setInviting('qr')}>二维码</Button>
      {add}
    </>
  )
  return (
    <div className="ui-page">
      <PageHead title="花名册" note={members.data && `${members.data.page.total} 人`} action={acts}>
        <SearchBox value={name} onSearch={(text) => filter({ name: text })} placeholder="按姓名或手机号查找" />
        <Select
          aria-label="状态"
          placeholder="全部状态"
          allowClear
          style={{ width: 140 }}
          value={status ?? null}
          options={statusOptions}
          onChange={(value: MemberStatus | undefined) => filter({ status: value ?? undefined })}
        />
        {folded && (
          <div className="member-picker">
            <TreePicker
              tree={tree.data?.list ?? []}
              value={here?.ID}
              placeholder="全部部门"
              onChange={(id) => filter({ department: id })}
            />
          </div>
        )}
        {here && !folded && <FilterTag onRemove={() => filter({ department: undefined })}>{here.NAME}</FilterTag>}
      </PageHead>
      <div className="member-columns">
        {!folded && (
          <aside className="ui-card member-tree" aria-label="部门">
            <Departments asked={tree} chosen={department} onChoose={(id) => filter({ department: id })} />
          </aside>
        )}
        <section className="ui-card" aria-label="员工">
          <DataTable<Member>
            asked={members}
            columns={columns(keeps ? { edit: setEditing, leave: setLeaving } : null)}
            rowKey="ID"
            unit="人"
            label="员工"
            {...(keeps
              ? {
                  chosen: {
                    keys: chosen,
                    onChange: (keys) => setChosen(keys.map(String)),
                    disabled: (one) => one.STATUS !== 'invited',
                  },
                }
              : {})}
            empty={
              filtered
                ? {
                    drawing: 'search',
                    text: '没有符合条件的员工。',
                    action: <Button onClick={() => void navigate({ to: '/companyMember', search: {} })}>查看全部员工</Button>,
                  }
                : { drawing: 'people', text: '还没有员工。添加几位，或上传工资表时一键创建。', action: add }
            }
          />
        </section>
      </div>
      {editing && (
        <Suspense fallback={null}>
          <MemberDialog
            member={editing === 'new' ? null : editing}
            tree={tree.data?.list ?? []}
            department={department}
            onClose={() => setEditing(null)}
          />
        </Suspense>
      )}
      {inviting && (
        <Suspense fallback={null}>
          {inviting === 'qr' ? (
            <QrDialog onClose={() => setInviting(null)} />
          ) : (
            <InviteDialog
              member_ids={chosen}
              onClose={(invited) => {
                setInviting(null)
                if (invited) setChosen([])
              }}
            />
          )}
        </Suspense>
      )}
      <ConfirmDialog
        open={leaving !== null}
        title={`将 ${leaving?.NAME ?? ''} 标记为离职？`}
        action="标记离职"
        danger
        busy={leave.isPending}
        onConfirm={() => leaving && leave.mutate({ id: leaving.ID })}
        onClose={() => setLeaving(null)}
      >
        他将立即无法登录和查看工资条。已经发出的工资条会保留，以后的工资表里再出现这个人时会提醒您。
      </ConfirmDialog>
    </div>
  )
}

/** Beside the phone that nobody has confirmed: what is withheld meanwhile, and who can end it. */
function Unconfirmed({ member, keeps }: { member: Member; keeps: boolean }) {
  const [asking, setAsking] = useState(false)
  if (!keeps) return <span className="member-unconfirmed">{unconfirmedWord}</span>
  return (
    <>
      <Button
        type="link"
        className="member-unconfirmed"
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

type Acts = Record<'edit' | 'leave', (member: Member) => void>

const departments = (all: Member['DEPARTMENTS']) => {
  const names = all.map((each) => each.NAME).join('、')
  return names ? (
    <span className="member-departments" title={names}>
      {names}
    </span>
  ) : (
    '—'
  )
}

const columns = (acts: Acts | null): Columns<Member> => [
  { title: '姓名', dataIndex: 'NAME', width: 120, fixed: 'left' },
  {
    title: '手机号',
    dataIndex: 'MOBILE',
    width: 150,
    className: 'ui-nowrap',
    render: (mobile: string, member) =>
      member.UNCONFIRMED && member.STATUS !== 'left' ? (
        <>
          {mobile}
          <Unconfirmed member={member} keeps={acts !== null} />
        </>
      ) : (
        mobile
      ),
  },
  {
    title: '部门',
    dataIndex: 'DEPARTMENTS',
    render: departments,
  },
  { title: '岗位', dataIndex: 'POSITION', render: (text: string) => text || '—' },
  { title: '工号', dataIndex: 'EMPLOYEE_NO', className: 'ui-nowrap', render: (text: string) => text || '—' },
  { title: '入职日期', dataIndex: 'ENTRY_DATE', width: 110, className: 'ui-nowrap', render: day },
  {
    title: '状态',
    dataIndex: 'STATUS',
    width: 96,
    render: (status: MemberStatus) => <StatusDot {...memberWords[status]} />,
  },
  ...(acts
    ? ([
        {
          title: '操作',
          key: 'acts',
          width: 132,
          fixed: 'right',
          render: (_, member) =>
            member.STATUS === 'left' ? (
              '—'
            ) : (
              <span className="member-acts">
                <Button type="link" aria-label={`编辑 ${member.NAME}`} onClick={() => acts.edit(member)}>
                  编辑
                </Button>
                <Button
                  type="link"
                  className="member-leave"
                  aria-label={`标记离职：${member.NAME}`}
                  onClick={() => acts.leave(member)}
                >
                  标记离职
                </Button>
              </span>
            ),
        },
      ] satisfies Columns<Member>)
    : []),
]
