import { createFileRoute } from '@tanstack/react-router'
import { holders } from '../../../../server/contract/who.ts'
import { Admins, adminsQuery } from '../../../parts/role/admins.tsx'
import { adminSearchOf } from '../../../parts/role/search.ts'
import { begin, first } from '../../../routed/first.ts'

export const Route = createFileRoute('/_desk/_role/roleAdmin')({
  staticData: { title: '全部管理员', section: 'role', who: holders('1') },
  validateSearch: adminSearchOf,
  loader: ({ route, location }) => first(route, () => begin(adminsQuery(adminSearchOf(location.search)))),
  component: RoleAdmin,
})

/** Everybody who holds a power, members' administrators included: powers and scope in one table. */
function RoleAdmin() {
  return <Admins title="全部管理员" explains={['4', '1', '2', '3']} search={Route.useSearch()} empty="还没有管理员。" />
}
