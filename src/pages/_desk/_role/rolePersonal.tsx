import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { getUserList } from '../../../../server/contract/access/administrators.ts'
import { requirePowerAnywhere } from '../../../../server/contract/access/any-company.ts'
import type { Power } from '../../../../server/contract/access.ts'
import { callQuery } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { AdminList, adminListQuery } from '../../../features/access/admins.tsx'
import styles from '../../../features/access/role.module.css'
import { parseAdminSearch } from '../../../features/access/search.ts'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

export const Route = createFileRoute('/_desk/_role/rolePersonal')({
  staticData: { title: '企业管理员', section: 'role', who: requirePowerAnywhere('1') },
  validateSearch: parseAdminSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => [
      prefetchQuery(adminListQuery(parseAdminSearch(location.search), '1')),
      prefetchQuery(systemManagersQuery),
    ]),
  component: RolePersonal,
})

const systemManagersQuery = callQuery(getUserList, { power: '4', page: 1, pagesize: 10 })

function RolePersonal() {
  return (
    <AdminList
      title="企业管理员"
      only="1"
      explains={['1', '4']}
      search={Route.useSearch()}
      empty="还没有单独的企业管理员，由系统管理员代为管理。"
    >
      {(currentPowers, startAction) => (
        <SystemManagers current={currentPowers} onTransfer={() => startAction({ kind: 'hand-over' })} />
      )}
    </AdminList>
  )
}

/** The system manager: there is always one, and only that user can transfer the role. */
function SystemManagers({ current: currentPowers, onTransfer }: { current: readonly Power[]; onTransfer: () => void }) {
  const managersResult = useQuery(systemManagersQuery)
  const managers = managersResult.data?.list ?? []
  if (managers.length === 0 && !managersResult.isLoading) return null
  return (
    <section className={`ui-card ${styles.head}`} aria-labelledby="role-head">
      <h2 id="role-head">系统管理员</h2>
      <p>
        {managersResult.isLoading && <span aria-hidden="true">…</span>}
        {managers.map((manager) => (
          <span key={manager.user_id}>
            <strong>{manager.name}</strong>
            {manager.is_current_user && <small>（我）</small>} <span className="ui-nowrap">{manager.mobile_masked}</span>
          </span>
        ))}
      </p>
      <ActionButton allowed={currentPowers.includes('4') || '只有系统管理员本人可以移交'} onClick={onTransfer}>
        移交系统管理员
      </ActionButton>
    </section>
  )
}
