import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getCompanyList } from '../../../server/contract/operator/billing.ts'
import { callQuery } from '../../api.ts'
import { SearchBox } from '../../components/page/search-box.tsx'
import { type Columns, DataTable } from '../../components/table/data-table.tsx'
import { formatDate } from '../../components/value/dates.ts'
import { Money } from '../../components/value/money.tsx'
import { StatusDot } from '../../components/value/status-dot.tsx'
import { CreateCompanyDialog, type CreatedCompany, SignInLinkDialog } from './create-company.tsx'
import { GrantDialog } from './grant-dialog.tsx'
import { getEditionStatus } from './labels.ts'
import { type OperatorSearch, useOperatorNavigate } from './navigation.ts'

type Company = CallOutput<typeof getCompanyList>['list'][number]
const createColumns = (showOrders: (name: string) => void, grant: (company: Company) => void): Columns<Company> => [
  {
    title: '企业',
    dataIndex: 'name',
    render: (name: string, { corp_role }) => `${name}${corp_role === 20 ? '（代理企业）' : ''}`,
  },
  { title: '套餐', key: 'edition', width: 160, card: 'end', render: (_, one) => <StatusDot {...getEditionStatus(one)} /> },
  {
    title: '到期',
    dataIndex: 'expires_at',
    width: 120,
    className: 'ui-nowrap',
    card: 'named',
    render: (at: string | null) => (at ? formatDate(at) : '—'),
  },
  {
    title: '短信余量',
    dataIndex: 'sms_left',
    align: 'right',
    width: 110,
    card: 'named',
    render: (left: number) => left.toLocaleString('zh-CN'),
  },
  {
    title: '已付',
    dataIndex: 'paid_fen',
    align: 'right',
    width: 130,
    card: 'named',
    render: (fen: number) => <Money fen={fen} />,
  },
  { title: '注册', dataIndex: 'created_at', width: 120, className: 'ui-nowrap', card: 'named', render: formatDate },
  {
    title: <span className="sr-only">操作</span>,
    key: 'acts',
    width: 170,
    render: (_, company) => (
      <div className="ui-row">
        <Button aria-label={`查看 ${company.name} 的订单`} onClick={() => showOrders(company.name)}>
          订单
        </Button>
        <Button aria-label={`赠送 ${company.name}`} onClick={() => grant(company)}>
          赠送
        </Button>
      </div>
    ),
  },
]

export function CompanyTable({ find, page, pagesize }: OperatorSearch) {
  const navigate = useOperatorNavigate()
  const [grantee, setGrantee] = useState<Company>()
  const [isCreating, setIsCreating] = useState(false)
  const [created, setCreated] = useState<CreatedCompany>()
  const companies = useQuery(callQuery(getCompanyList, { query: find, page, pagesize }))
  return (
    <section className="ui-card ui-stack">
      <div className="ui-row">
        <SearchBox value={find} placeholder="搜索企业名称" onSearch={(text) => navigate({ view: 'company', find: text })} />
        <Button type="primary" onClick={() => setIsCreating(true)}>
          新建企业
        </Button>
      </div>
      <DataTable
        requested={companies}
        columns={createColumns((name) => navigate({ view: 'order', find: name }), setGrantee)}
        rowKey="company_id"
        onPage={(to, size) => navigate({ view: 'company', find, page: to, pagesize: size })}
        unit="家"
        label="企业"
        empty={{ illustration: 'search', text: find ? `没有名称含「${find}」的企业。` : '还没有企业。' }}
      />
      {isCreating && <CreateCompanyDialog onCreated={setCreated} onClose={() => setIsCreating(false)} />}
      {grantee && <GrantDialog company={grantee} onClose={() => setGrantee(undefined)} />}
      {created && <SignInLinkDialog company={created} onClose={() => setCreated(undefined)} />}
    </section>
  )
}
