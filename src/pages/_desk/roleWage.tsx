import { createFileRoute } from '@tanstack/react-router'
import { holders } from '../../../server/contract/who.ts'
import { Holders } from '../../parts/role/holders.tsx'
import { type PageSearch, pageOf, textOf } from '../../ui/search.ts'

export const Route = createFileRoute('/_desk/roleWage')({
  staticData: { title: '薪资管理员', section: 'role', who: holders('1') },
  validateSearch: (raw): PageSearch & { name?: string | undefined } => ({ ...pageOf(raw), name: textOf(raw.name) }),
  component: RoleWage,
})

function RoleWage() {
  return (
    <Holders
      title="薪资管理员"
      power="2"
      search={Route.useSearch()}
      may={[
        '上传、核对、发送和撤回工资条',
        '查看管理范围内员工的工资明细',
        '处理员工反馈，更正工资条',
        '维护管理范围内的员工与部门',
      ]}
      mayNot={['查看范围以外的工资', '添加或更换管理员']}
      empty="还没有薪资管理员，暂时没有人能发工资条。"
    />
  )
}
