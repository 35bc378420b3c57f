import { createFileRoute } from '@tanstack/react-router'
import { requirePowerAnywhere } from '../../../../server/contract/access/any-company.ts'
import { AdminList, adminListQuery } from '../../../features/access/admins.tsx'
import { parseAdminSearch } from '../../../features/access/search.ts'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

export const Route = createFileRoute('/_desk/_role/roleAdmin')({
  staticData: { title: '全部管理员', section: 'role', who: requirePowerAnywhere('1') },
  validateSearch: parseAdminSearch,
  loader: ({ route, location }) => prefetchPage(route, () => prefetchQuery(adminListQuery(parseAdminSearch(location.search)))),
  component: RoleAdmin,
})

/** All administrators with any power, including member administrators: powers and scope in one table. */
function RoleAdmin() {
  return <AdminList title="全部管理员" search={Route.useSearch()} empty="还没有管理员。" />
}
