import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { getUserList } from '../../../server/contract/access/administrators.ts'
import { type Power, powerLabels, powers } from '../../../server/contract/access.ts'
import { callQuery } from '../../api.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { Dropdown, noSelection } from '../../components/form/select.tsx'
import { lazyDialog } from '../../components/lazy.tsx'
import { useIsNarrow } from '../../components/media.ts'
import { FilterTag } from '../../components/page/filter-tag.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { SearchBox } from '../../components/page/search-box.tsx'
import { DataTable } from '../../components/table/data-table.tsx'
import { useCurrentUser, useIsAgency } from '../../session.ts'
import { narrowWidth } from '../../theme.ts'
import { AgencyTabs } from '../agency/agency-tabs.tsx'
import { type AdminAction, createAdminColumns } from './columns.tsx'
import { PowerDescriptions } from './power-descriptions.tsx'
import { PowersMatrix } from './powers-matrix.tsx'
import { canGrantPower, type GrantablePower } from './rights.ts'
import styles from './role.module.css'
import type { AdminSearch } from './search.ts'

const AdminActionDialog = lazyDialog(async () => (await import('./dialogs.tsx')).AdminActionDialog)
const adminPages = [
  ['/rolePersonal', '企业管理员'],
  ['/roleWage', '薪酬管理员'],
  ['/roleAdmin', '全部管理员'],
] as const
const allPowers: readonly Power[] = ['4', '1', '2', '3']
const powerOptions = powers.map((value) => ({ value, label: powerLabels[value] }))

export const adminListQuery = ({ name, page, pagesize, power }: AdminSearch, fixedPower?: GrantablePower) =>
  callQuery(getUserList, { power: fixedPower ?? power, name, page, pagesize })

/**
 * Administrators and their powers. `fixedPower` is the power of the page; without it all administrators are shown,
 * filtered by the address.
 */
export function AdminList(props: {
  title: string
  only?: GrantablePower
  /** Powers to explain beside the list; without any, all powers are compared below it. */
  explains?: readonly Power[]
  empty: string
  search: AdminSearch
  /** The content above the list. `start` opens a dialog. */
  children?: (mine: readonly Power[], start: (doing: AdminAction) => void) => ReactNode
}) {
  const { title, only: fixedPower, explains, empty, search, children } = props
  const { name } = search
  const power = fixedPower ?? search.power
  const users = useQuery(adminListQuery(search, fixedPower))
  const currentPowers = useCurrentUser()?.power ?? []
  const isAgency = useIsAgency()
  // The comparison is of a company with pay runs; in an agency the powers mean something else.
  const explainedPowers = explains ?? (isAgency ? allPowers : undefined)
  const navigate = useNavigate()
  const isNarrow = useIsNarrow(narrowWidth)
  const [action, setAction] = useState<AdminAction | null>(null)

  // Another filter restarts at the first page.
  const filter = (change: Partial<AdminSearch>) => void navigate({ to: '.', search: { ...search, page: undefined, ...change } })
  const filtered = Boolean(name || (!fixedPower && power))
  const renderAddButton = (type: 'primary' | 'default') => (
    <ActionButton
      type={type}
      mark="add"
      allowed={fixedPower ? canGrantPower({ power: currentPowers, isAgency }, fixedPower) : true}
      onClick={() => setAction({ kind: 'add' })}
    >
      {fixedPower ? `添加${powerLabels[fixedPower]}` : '添加管理员'}
    </ActionButton>
  )
  return (
    <div className="ui-page">
      <AgencyTabs at="admins" />
      <PageHeader title={title} note={users.data && `${users.data.page.total} 人`} action={renderAddButton('primary')}>
        <nav className="ui-tabs" aria-label="按权限查看">
          {adminPages.map(([to, label]) => (
            <Link key={to} to={to} aria-current={label === title ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </nav>
        <SearchBox value={name} onSearch={(text) => filter({ name: text })} placeholder="搜索姓名" width={200} />
        {!fixedPower && (
          <Dropdown
            label="权限"
            allLabel="全部权限"
            options={powerOptions}
            value={power}
            onChange={(next) => filter({ power: next === noSelection ? undefined : next })}
          />
        )}
        {name && <FilterTag onRemove={() => filter({ name: undefined })}>{`姓名：${name}`}</FilterTag>}
      </PageHeader>
      <div className={explainedPowers ? styles.columns : 'ui-stack'}>
        <div className="ui-stack">
          {children?.(currentPowers, setAction)}
          <section className="ui-card" aria-label={title}>
            <DataTable
              requested={users}
              columns={createAdminColumns({ power: currentPowers, isAgency }, setAction, isNarrow)}
              rowKey="user_id"
              unit="人"
              label={title}
              empty={
                filtered
                  ? { illustration: 'search', text: `没有符合条件的管理员。换一个名字，或清空筛选再看。` }
                  : { illustration: 'people', text: empty, action: renderAddButton('default') }
              }
            />
          </section>
        </div>
        {explainedPowers ? <PowerDescriptions powers={explainedPowers} /> : <PowersMatrix />}
      </div>
      {action && (
        <>
          <AdminActionDialog doing={action} preset={fixedPower} onClose={() => setAction(null)} />
        </>
      )}
    </div>
  )
}
