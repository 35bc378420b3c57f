import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button, Select } from 'antd'
import { useMemo, useState } from 'react'
import { requirePowerAnywhere } from '../../../../server/contract/access/any-company.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { exportMembers } from '../../../../server/contract/directory/member-history.ts'
import { type Department, getDepartList, getDepartment, getMemberList } from '../../../../server/contract/directory/members.ts'
import { type ImportRowState, importRowStates, type ReachIssue, reachIssues } from '../../../../server/contract/shared/enums.ts'
import { type MemberStatus, memberStatuses } from '../../../../server/contract/shared/schemas.ts'
import { callApi, callQuery } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { lazyComponent, lazyDialog } from '../../../components/lazy.tsx'
import { useIsNarrow } from '../../../components/media.ts'
import { Drawer } from '../../../components/overlay/layers.tsx'
import { FilterTag } from '../../../components/page/filter-tag.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../../components/search-params.ts'
import { AgencyTabs } from '../../../features/agency/agency-tabs.tsx'
import { MemberEditDialog, MemberTable } from '../../../features/directory/file/member-table.tsx'
import { memberStatusLabels } from '../../../features/directory/labels.ts'
import styles from '../../../features/directory/member.module.css'
import { DepartmentTree } from '../../../features/directory/tree/department-tree.tsx'
import { findDepartment } from '../../../features/directory/tree/drop-target.ts'
import { parseId } from '../../../features/payslips/labels.ts'
import { useSheetDownload } from '../../../features/sheets/use-sheet-download.ts'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'
import { useCanAccess, useIsAgency } from '../../../session.ts'

type RosterSearch = PageParams & {
  /**
   * A view that replaces the member list: the roster import (filtered by row), or members whom a payslip may not reach
   * (filtered by issue).
   */
  view?: 'import' | 'reach' | undefined
  problem?: ReachIssue | undefined
  /** The batch whose people the reachability view lists, or whose check lacks phones: both views lead back to it. */
  batch?: string | undefined
  state?: ImportRowState | undefined
  department?: string | undefined
  name?: string | undefined
  status?: MemberStatus | undefined
}

const parseSearch = (raw: Record<string, unknown>): RosterSearch => ({
  ...parsePageParams(raw),
  department: parseText(raw.department),
  name: parseText(raw.name),
  status: parseEnum(raw.status, memberStatuses),
  view: parseEnum(raw.view, ['import', 'reach']),
  batch: parseId(raw.batch),
  problem: parseEnum(raw.problem, reachIssues),
  state: parseEnum(raw.state, importRowStates),
})

export const Route = createFileRoute('/_desk/_people/companyMember')({
  staticData: { title: '花名册', section: 'member', who: requirePowerAnywhere('1', '2', '3') },
  validateSearch: parseSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const search = parseSearch(location.search)
      return (
        !search.view && [
          prefetchQuery(callQuery(getMemberList, toMemberListRequest(search))),
          prefetchQuery(callQuery(getDepartList, {})),
        ]
      )
    }),
  component: RosterPage,
})

const InviteDialog = lazyDialog(async () => (await import('../../../features/invites/invite-dialog.tsx')).InviteDialog)
const RosterImportPage = lazyComponent(
  async () => (await import('../../../features/directory/import/import-page.tsx')).RosterImportPage,
)
const ReachabilityPage = lazyComponent(
  async () => (await import('../../../features/invites/unreachable-members.tsx')).ReachabilityPage,
)
const JoinQrDialog = lazyDialog(async () => (await import('../../../features/invites/invite-qr.tsx')).JoinQrDialog)
/** Below this width the tree is shown in a drawer. */
const treeDrawerWidth = 1100
/** Heights of what surrounds the tree, next to the member list and in the drawer. */
const surroundingHeights = { aside: 280, drawer: 200 }
const statusOptions = memberStatuses.map((value) => ({ value, label: memberStatusLabels[value].label }))

function RosterPage() {
  const search = Route.useSearch()
  const canEdit = useCanAccess()(requirePowerAnywhere('2', '3'))
  if (!search.view || !canEdit) return <RosterMembers search={search} keeps={canEdit} />
  return search.view === 'import' ? <RosterImportPage search={search} /> : <ReachabilityPage search={search} />
}

function ImportButton({ text = '导入' }: { text?: string }) {
  const navigate = useNavigate()
  return (
    <Button icon={<Icon name="import" />} onClick={() => void navigate({ to: '/companyMember', search: { view: 'import' } })}>
      {text}
    </Button>
  )
}

/** The actions of an empty roster. */
const EmptyRosterActions = ({ add: addButton }: { add: React.ReactNode }) => (
  <span className="ui-row">
    <ImportButton text="导入花名册" />
    {addButton}
  </span>
)

type HeaderActionsProps = {
  search: RosterSearch
  canEdit: boolean
  members: { data: { page: { total: number } } | undefined }
  onInvite: (how: 'people' | 'qr') => void
  addButton: React.ReactNode
}
function HeaderActions({ search, canEdit, members, onInvite, addButton }: HeaderActionsProps) {
  const exportSheet = useSheetDownload(() => callApi(exportMembers, toMemberFilter(search)))
  return (
    <>
      <ActionButton
        mark="download"
        allowed={members.data?.page.total === 0 ? '这里还没有人，没有可以导出的' : true}
        {...exportSheet}
      >
        导出
      </ActionButton>
      {canEdit && (
        <>
          <ImportButton />
          <Button icon={<Icon name="send" />} onClick={() => onInvite('people')}>
            邀请
          </Button>
          <Button onClick={() => onInvite('qr')}>二维码</Button>
          {addButton}
        </>
      )}
    </>
  )
}

/** Departments on the left, their members on the right. */
function RosterMembers({ search, keeps: canEdit }: { search: RosterSearch; keeps: boolean }) {
  const navigate = useNavigate()
  const usesDrawer = useIsNarrow(treeDrawerWidth)
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const [inviteDialog, setInviteDialog] = useState<'people' | 'qr' | null>(null)
  const [isAddOpen, setAddOpen] = useState(false)
  const members = useQuery(callQuery(getMemberList, toMemberListRequest(search)))
  const currentDepartment = useCurrentDepartment(search.department)
  // Another filter restarts at the first page.
  const filter = (change: Partial<RosterSearch>) =>
    void navigate({ to: '/companyMember', search: { ...search, page: undefined, ...change } })
  const selectDepartment = (department: string | undefined) => {
    filter({ department })
    setDrawerOpen(false)
  }
  const renderTree = (container: keyof typeof surroundingHeights) => (
    <DepartmentTree
      selectedId={search.department}
      onSelect={selectDepartment}
      canEdit={canEdit}
      surroundingHeight={surroundingHeights[container]}
    />
  )
  const renderAddButton = (type: 'primary' | 'default') =>
    canEdit && (
      <Button type={type} icon={<Icon name="add" />} onClick={() => setAddOpen(true)}>
        添加员工
      </Button>
    )
  return (
    <div className="ui-page">
      <AgencyTabs at="roster" />
      <PageHeader
        title="花名册"
        note={members.data && `${members.data.page.total} 人`}
        action={
          <HeaderActions {...{ search, canEdit, members }} onInvite={setInviteDialog} addButton={renderAddButton('primary')} />
        }
      >
        <RosterFilters
          search={search}
          filter={filter}
          keeps={canEdit}
          context={currentDepartment}
          fold={usesDrawer ? (canEdit ? '部门管理' : '按部门查看') : null}
          onFold={() => setDrawerOpen(true)}
        />
      </PageHeader>
      <div className={styles.columns}>
        {!usesDrawer && (
          <aside className={`ui-card ${styles.tree}`} aria-label="部门">
            {renderTree('aside')}
          </aside>
        )}
        <section className="ui-card" aria-label="员工">
          {currentDepartment && <DepartmentSummary context={currentDepartment} />}
          <MemberTable
            key={search.department}
            {...{ members, canEdit, department: currentDepartment }}
            searched={Boolean(search.name || search.status)}
            filtered={Boolean(search.name || search.status || search.department)}
            emptyAction={canEdit && <EmptyRosterActions add={renderAddButton('default')} />}
          />
        </section>
      </div>
      {usesDrawer && (
        <TreeDrawer open={isDrawerOpen} onClose={() => setDrawerOpen(false)}>
          {renderTree('drawer')}
        </TreeDrawer>
      )}

      {isAddOpen && <MemberEditDialog member={null} department={currentDepartment?.ID} onClose={() => setAddOpen(false)} />}
      {inviteDialog === 'qr' && <JoinQrDialog onClose={() => setInviteDialog(null)} />}
      {inviteDialog !== null && inviteDialog !== 'qr' && <InviteDialog member_ids={[]} onClose={() => setInviteDialog(null)} />}
    </div>
  )
}

const TreeDrawer = (props: { open: boolean; onClose: () => void; children: React.ReactNode }) => (
  <Drawer {...props} title="部门" placement="left" size="min(360px, 100vw)" destroyOnHidden />
)

function RosterFilters(props: {
  search: RosterSearch
  filter: (change: Partial<RosterSearch>) => void
  keeps: boolean
  context: CurrentDepartment | undefined
  /** The label of the button that opens the tree drawer, if there is one. */
  fold: string | null
  onFold: () => void
}) {
  const { search, filter, keeps: canEdit, context: department, fold: drawerLabel, onFold: onOpenDrawer } = props
  // An agency pays its own people by another installation, if at all: it checks nobody before a pay run.
  const isAgency = useIsAgency()
  return (
    <>
      <SearchBox value={search.name} onSearch={(name) => filter({ name })} placeholder="姓名、拼音、手机号或工号" width={264} />
      {drawerLabel && (
        <Button icon={<Icon name="company" />} aria-haspopup="dialog" onClick={onOpenDrawer}>
          {drawerLabel}
        </Button>
      )}
      <Select
        aria-label="状态"
        placeholder="全部状态"
        allowClear
        style={{ width: 140 }}
        value={search.status ?? null}
        options={statusOptions}
        onChange={(value: MemberStatus | undefined) => filter({ status: value ?? undefined })}
      />
      {canEdit && !isAgency && (
        <Link to="/companyMember" search={{ view: 'reach' }} className={styles.reach}>
          发薪前检查
        </Link>
      )}
      {department && <FilterTag onRemove={() => filter({ department: undefined })}>{department.NAME}</FilterTag>}
    </>
  )
}

const toMemberFilter = ({ department, name, status }: RosterSearch) => ({ department_id: department, name, status })
const toMemberListRequest = ({ page, pagesize, ...search }: RosterSearch) => ({ page, pagesize, ...toMemberFilter(search) })

/**
 * Returns the selected department, or undefined if it no longer exists or is out of scope (the list says so). Data from
 * the tree is available at once; the department head and the count of direct members load afterwards.
 */
function useCurrentDepartment(id: string | undefined): CurrentDepartment | undefined {
  const details = useQuery({ ...callQuery(getDepartment, { id: id ?? '' }), enabled: id !== undefined, meta: { quiet: true } })
  const tree = useQuery({ ...callQuery(getDepartList, {}), enabled: id !== undefined, meta: { quiet: true } }).data?.list
  const treeNode = useMemo(() => (id && tree ? findDepartment(tree, id) : undefined), [tree, id])
  return details.data ?? (details.error ? undefined : treeNode)
}

type CurrentDepartment = Pick<Department, 'ID' | 'NAME' | 'count'> &
  Partial<Pick<CallOutput<typeof getDepartment>, 'LEADER' | 'own_count'>>

function DepartmentSummary({ context: { NAME, LEADER, own_count, count } }: { context: CurrentDepartment }) {
  return (
    <p className={styles.here}>
      <strong title={NAME}>{NAME}</strong>
      <span>
        {count.toLocaleString('zh-CN')} 人
        {own_count !== undefined && own_count < count && `，其中直属 ${own_count.toLocaleString('zh-CN')} 人`}
      </span>
      {LEADER !== undefined && <span>负责人 {LEADER?.NAME ?? '未设置'}</span>}
    </p>
  )
}
