import { createFileRoute } from '@tanstack/react-router'
import { holders } from '../../../server/contract/who.ts'
import { Holders } from '../../parts/role/holders.tsx'
import { type PageSearch, pageOf, textOf } from '../../ui/search.ts'

export const Route = createFileRoute('/_desk/rolePersonal')({
  staticData: { title: '企业管理员', section: 'role', who: holders('1') },
  validateSearch: (raw): PageSearch & { name?: string | undefined } => ({ ...pageOf(raw), name: textOf(raw.name) }),
  component: RolePersonal,
})

function RolePersonal() {
  return (
    <Holders
      title="企业管理员"
      power="1"
      search={Route.useSearch()}
      may={['管理企业资料、订单和服务', '查看管理员名单和他们的管理范围', '查看花名册和汇总数据']}
      mayNot={['查看任何一个人的工资明细', '发送或撤回工资条']}
      empty="还没有单独的企业管理员，由系统管理员代为管理。"
    />
  )
}
