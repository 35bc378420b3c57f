import { createFileRoute } from '@tanstack/react-router'
import { requirePowerAnywhere } from '../../../../server/contract/access/any-company.ts'
import { AdminList, adminListQuery } from '../../../features/access/admins.tsx'
import { parseAdminSearch } from '../../../features/access/search.ts'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

export const Route = createFileRoute('/_desk/_role/roleWage')({
  staticData: { title: '薪酬管理员', section: 'role', who: requirePowerAnywhere('1') },
  validateSearch: parseAdminSearch,
  loader: ({ route, location }) =>
    prefetchPage(route, () => prefetchQuery(adminListQuery(parseAdminSearch(location.search), '2'))),
  component: RoleWage,
})

function RoleWage() {
  return (
    <AdminList
      title="薪酬管理员"
      only="2"
      explains={['2']}
      search={Route.useSearch()}
      empty="还没有薪酬管理员，暂时没有人能发工资条。"
    />
  )
}
