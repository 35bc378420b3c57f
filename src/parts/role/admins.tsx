import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { getUserList } from '../../../server/contract/corp/role.ts'
import { type Power, powers, powerWords } from '../../../server/contract/who.ts'
import { query } from '../../api.ts'
import { useRole } from '../../session.ts'
import { narrow } from '../../theme.ts'
import { Act } from '../../ui/act.tsx'
import { Dropdown, unchosen } from '../../ui/form/select.tsx'
import { useNarrow } from '../../ui/media.ts'
import { FilterTag } from '../../ui/page/filter-tag.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { SearchBox } from '../../ui/page/search-box.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { About } from './about.tsx'
import { adminColumns, type Doing } from './columns.tsx'
import type { Given } from './rights.ts'
import styles from './role.module.css'
import type { AdminSearch } from './search.ts'

const RoleDialog = lazy(async () => ({ default: (await import('./dialogs.tsx')).RoleDialog }))
const pages = [
  ['/rolePersonal', '企业管理员'],
  ['/roleWage', '薪酬管理员'],
  ['/roleAdmin', '全部管理员'],
] as const
const powerOptions = powers.map((value) => ({ value, label: powerWords[value] }))

export const adminsQuery = ({ name, page, pagesize, power }: AdminSearch, only?: Given) =>
  query(getUserList, { power: only ?? power, name, page, pagesize })

/**
 * Administrators, and in place what they may do. `only` is the power of the page; without it all of them are shown, filtered by the
 * address.
 */
export function Admins(props: {
  title: string
  only?: Given
  explains: readonly Power[]
  empty: string
  search: AdminSearch
  /** What stands above the list. `start` opens a dialog. */
  children?: (mine: readonly Power[], start: (doing: Doing) => void) => ReactNode
}) {
  const { title, only, explains, empty, search, children } = props
  const { name } = search
  const power = only ?? search.power
  const users = useQuery(adminsQuery(search, only))
  const mine = useRole()?.power ?? []
  const navigate = useNavigate()
  const isNarrow = useNarrow(narrow)
  const [doing, setDoing] = useState<Doing | null>(null)

  // Another filter starts at the first page.
  const filter = (change: Partial<AdminSearch>) => void navigate({ to: '.', search: { ...search, page: undefined, ...change } })
  const filtered = Boolean(name || (!only && power))
  const add = (type: 'primary' | 'default') => (
    <Act type={type} mark="add" onClick={() => setDoing({ what: 'add' })}>
      {only ? `添加${powerWords[only]}` : '添加管理员'}
    </Act>
  )
  return (
    <div className="ui-page">
      <PageHead title={title} note={users.data && `${users.data.page.total} 人`} action={add('primary')}>
        <nav className="ui-tabs" aria-label="按权限查看">
          {pages.map(([to, word]) => (
            <Link key={to} to={to} aria-current={word === title ? 'page' : undefined}>
              {word}
            </Link>
          ))}
        </nav>
        <SearchBox value={name} onSearch={(text) => filter({ name: text })} placeholder="搜索姓名" width={200} />
        {!only && (
          <Dropdown
            label="权限"
            all="全部权限"
            options={powerOptions}
            value={power}
            onChange={(next) => filter({ power: next === unchosen ? undefined : next })}
          />
        )}
        {name && <FilterTag onRemove={() => filter({ name: undefined })}>{`姓名：${name}`}</FilterTag>}
      </PageHead>
      <div className={styles.columns}>
        <div className="ui-stack">
          {children?.(mine, setDoing)}
          <section className="ui-card" aria-label={title}>
            <DataTable
              asked={users}
              columns={adminColumns(mine, setDoing, isNarrow)}
              rowKey="user_id"
              unit="人"
              label={title}
              empty={
                filtered
                  ? { drawing: 'search', text: `没有符合条件的管理员。换一个名字，或清空筛选再看。` }
                  : { drawing: 'people', text: empty, action: add('default') }
              }
            />
          </section>
        </div>
        <About powers={explains} />
      </div>
      {doing && (
        <Suspense fallback={null}>
          <RoleDialog doing={doing} preset={only} onClose={() => setDoing(null)} />
        </Suspense>
      )}
    </div>
  )
}
