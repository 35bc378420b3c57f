import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button, Select } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { exportMembers } from '../../../../server/contract/people/file.ts'
import { type Department, getDepartList, getDepartment, getMemberList } from '../../../../server/contract/people/member.ts'
import { holders } from '../../../../server/contract/who.ts'
import { type ImportState, importStates, type ReachProblem, reachProblems } from '../../../../server/contract/words/vocabulary.ts'
import { type MemberStatus, memberStatuses } from '../../../../server/contract/words/words.ts'
import { ask, query } from '../../../api.ts'
import { Editing, People } from '../../../parts/member/file/people.tsx'
import styles from '../../../parts/member/member.module.css'
import { DepartmentTree } from '../../../parts/member/tree/department-tree.tsx'
import { departmentOf } from '../../../parts/member/tree/landing.ts'
import { memberWords } from '../../../parts/member/words.ts'
import { useMadeSheet } from '../../../parts/sheet/use-made-sheet.ts'
import { begin, first } from '../../../routed/first.ts'
import { useMay } from '../../../session.ts'
import { Act } from '../../../ui/act.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useNarrow } from '../../../ui/media.ts'
import { Drawer } from '../../../ui/over/layers.tsx'
import { FilterTag } from '../../../ui/page/filter-tag.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { oneOf, type PageSearch, pageOf, textOf } from '../../../ui/search.ts'
import { Skeleton } from '../../../ui/state/skeleton.tsx'

type Search = PageSearch & {
  /** In the place of the people: the import of a roster (which of its rows), or whom a slip may not reach (which of them). */
  view?: 'import' | 'reach' | undefined
  problem?: ReachProblem | undefined
  state?: ImportState | undefined
  department?: string | undefined
  name?: string | undefined
  status?: MemberStatus | undefined
}

const searchOf = (raw: Record<string, unknown>): Search => ({
  ...pageOf(raw),
  department: textOf(raw.department),
  name: textOf(raw.name),
  status: oneOf(raw.status, memberStatuses),
  view: oneOf(raw.view, ['import', 'reach']),
  problem: oneOf(raw.problem, reachProblems),
  state: oneOf(raw.state, importStates),
})

export const Route = createFileRoute('/_desk/_people/companyMember')({
  staticData: { title: '花名册', section: 'member', who: holders('1', '2', '3') },
  validateSearch: searchOf,
  loader: ({ route, location }) =>
    first(route, () => {
      const search = searchOf(location.search)
      return !search.view && [begin(query(getMemberList, askedOf(search))), begin(query(getDepartList, {}))]
    }),
  component: Roster,
})

const InviteDialog = lazy(async () => ({ default: (await import('../../../parts/member/invite-dialog.tsx')).InviteDialog }))
const ImportPage = lazy(async () => ({ default: (await import('../../../parts/member/import/import-page.tsx')).ImportPage }))
const ReachPage = lazy(async () => ({ default: (await import('../../../parts/member/file/reach.tsx')).ReachPage }))
const QrDialog = lazy(async () => ({ default: (await import('../../../parts/member/invite-qr.tsx')).QrDialog }))
/** Below this width the tree is a drawer. */
const foldAt = 1100
/** What stands above and below the tree, beside the people and in the drawer. */
const around = { aside: 236, drawer: 156 }
const statusOptions = memberStatuses.map((value) => ({ value, label: memberWords[value].word }))

function Roster() {
  const search = Route.useSearch()
  const keeps = useMay()(holders('2', '3'))
  if (!search.view || !keeps) return <CompanyMember search={search} keeps={keeps} />
  return (
    <Suspense fallback={<Skeleton />}>
      {search.view === 'import' ? <ImportPage search={search} /> : <ReachPage search={search} />}
    </Suspense>
  )
}

function ImportButton({ text = '导入' }: { text?: string }) {
  const navigate = useNavigate()
  return (
    <Button icon={<Icon name="import" />} onClick={() => void navigate({ to: '/companyMember', search: { view: 'import' } })}>
      {text}
    </Button>
  )
}

/** Where nobody is yet. */
const Begin = ({ add }: { add: React.ReactNode }) => (
  <span className="ui-row">
    <ImportButton text="导入花名册" />
    {add}
  </span>
)

type HeadProps = {
  search: Search
  keeps: boolean
  members: { data: { page: { total: number } } | undefined }
  onInvite: (how: 'people' | 'qr') => void
  add: React.ReactNode
}
function HeadActs({ search, keeps, members, onInvite, add }: HeadProps) {
  const made = useMadeSheet(() => ask(exportMembers, shownOf(search)))
  return (
    <>
      <Act mark="download" verdict={members.data?.page.total === 0 ? '这里还没有人，没有可以导出的' : true} {...made}>
        导出
      </Act>
      {keeps && (
        <>
          <ImportButton />
          <Button icon={<Icon name="send" />} onClick={() => onInvite('people')}>
            邀请
          </Button>
          <Button onClick={() => onInvite('qr')}>二维码</Button>
          {add}
        </>
      )}
    </>
  )
}

/** Departments left, their people right. */
function CompanyMember({ search, keeps }: { search: Search; keeps: boolean }) {
  const navigate = useNavigate()
  const folded = useNarrow(foldAt)
  const [inDrawer, setInDrawer] = useState(false)
  const [inviting, setInviting] = useState<'people' | 'qr' | null>(null)
  const [adding, setAdding] = useState(false)
  const members = useQuery(query(getMemberList, askedOf(search)))
  const here = useHere(search.department)
  // Another filter starts at the first page.
  const filter = (change: Partial<Search>) =>
    void navigate({ to: '/companyMember', search: { ...search, page: undefined, ...change } })
  const choose = (department: string | undefined) => {
    filter({ department })
    setInDrawer(false)
  }
  const departments = (place: keyof typeof around) => (
    <DepartmentTree chosen={search.department} onChoose={choose} keeps={keeps} around={around[place]} />
  )
  const add = (type: 'primary' | 'default') =>
    keeps && (
      <Button type={type} icon={<Icon name="add" />} onClick={() => setAdding(true)}>
        添加员工
      </Button>
    )
  return (
    <div className="ui-page">
      <PageHead
        title="花名册"
        note={members.data && `${members.data.page.total} 人`}
        action={<HeadActs {...{ search, keeps, members }} onInvite={setInviting} add={add('primary')} />}
      >
        <Filters
          search={search}
          filter={filter}
          keeps={keeps}
          here={here}
          fold={folded ? (keeps ? '部门管理' : '按部门查看') : null}
          onFold={() => setInDrawer(true)}
        />
      </PageHead>
      <div className={styles.columns}>
        {!folded && (
          <aside className={`ui-card ${styles.tree}`} aria-label="部门">
            {departments('aside')}
          </aside>
        )}
        <section className="ui-card" aria-label="员工">
          {here && <HereLine here={here} />}
          <People
            key={search.department}
            {...{ members, keeps, here }}
            searched={Boolean(search.name || search.status)}
            filtered={Boolean(search.name || search.status || search.department)}
            begin={keeps && <Begin add={add('default')} />}
          />
        </section>
      </div>
      {folded && (
        <TreeDrawer open={inDrawer} onClose={() => setInDrawer(false)}>
          {departments('drawer')}
        </TreeDrawer>
      )}
      <Suspense fallback={null}>
        {adding && <Editing member={null} department={here?.ID} onClose={() => setAdding(false)} />}
        {inviting === 'qr' && <QrDialog onClose={() => setInviting(null)} />}
        {inviting !== null && inviting !== 'qr' && <InviteDialog member_ids={[]} onClose={() => setInviting(null)} />}
      </Suspense>
    </div>
  )
}

const TreeDrawer = (props: { open: boolean; onClose: () => void; children: React.ReactNode }) => (
  <Drawer {...props} title="部门" placement="left" size="min(360px, 100vw)" destroyOnHidden />
)

function Filters(props: {
  search: Search
  filter: (change: Partial<Search>) => void
  keeps: boolean
  here: Here | undefined
  /** What opens the drawer with the tree is called, where there is one. */
  fold: string | null
  onFold: () => void
}) {
  const { search, filter, keeps, here, fold, onFold } = props
  return (
    <>
      <SearchBox value={search.name} onSearch={(name) => filter({ name })} placeholder="姓名、拼音、手机号或工号" width={264} />
      {fold && (
        <Button icon={<Icon name="company" />} aria-haspopup="dialog" onClick={onFold}>
          {fold}
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
      {keeps && (
        <Link to="/companyMember" search={{ view: 'reach' }} className={styles.reach}>
          发薪前检查
        </Link>
      )}
      {here && <FilterTag onRemove={() => filter({ department: undefined })}>{here.NAME}</FilterTag>}
    </>
  )
}

const shownOf = ({ department, name, status }: Search) => ({ department_id: department, name, status })
const askedOf = ({ page, pagesize, ...search }: Search) => ({ page, pagesize, ...shownOf(search) })

/**
 * The department that is looked at; nobody's where it is gone or out of scope: the list says so. What the tree knows of it stands there at once;
 * who leads it, and how many are in it itself, comes behind.
 */
function useHere(id: string | undefined): Here | undefined {
  const asked = useQuery({ ...query(getDepartment, { id: id ?? '' }), enabled: id !== undefined, meta: { quiet: true } })
  const tree = useQuery({ ...query(getDepartList, {}), enabled: id !== undefined, meta: { quiet: true } }).data?.list
  const known = useMemo(() => (id && tree ? departmentOf(tree, id) : undefined), [tree, id])
  return asked.data ?? (asked.error ? undefined : known)
}

type Here = Pick<Department, 'ID' | 'NAME' | 'count'> & Partial<Pick<OutputOf<typeof getDepartment>, 'LEADER' | 'own_count'>>

function HereLine({ here: { NAME, LEADER, own_count, count } }: { here: Here }) {
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
