import { createFileRoute } from '@tanstack/react-router'
import { holders } from '../../../../server/contract/who.ts'
import { Admins, adminsQuery } from '../../../parts/role/admins.tsx'
import { adminSearchOf } from '../../../parts/role/search.ts'
import { begin, first } from '../../../routed/first.ts'

export const Route = createFileRoute('/_desk/_role/roleWage')({
  staticData: { title: '薪酬管理员', section: 'role', who: holders('1') },
  validateSearch: adminSearchOf,
  loader: ({ route, location }) => first(route, () => begin(adminsQuery(adminSearchOf(location.search), '2'))),
  component: RoleWage,
})

function RoleWage() {
  return (
    <Admins
      title="薪酬管理员"
      only="2"
      explains={['2']}
      search={Route.useSearch()}
      empty="还没有薪酬管理员，暂时没有人能发工资条。"
    />
  )
}
