import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { getCorpList } from '../../../../server/contract/agency.ts'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { query } from '../../../api.ts'
import { day } from '../../../ui/dates.ts'
import { PageHead } from '../../../ui/page-head.tsx'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'

type Served = OutputOf<typeof getCorpList>['list'][number]

export const Route = createFileRoute('/_desk/_agency/CompanyList')({
  staticData: { title: '企业列表', section: 'message', who: { powers: ['1', '2'], corp: 'agency' } },
  component: CompanyList,
})

const columns: Columns<Served> = [
  { title: '企业名称', dataIndex: 'name' },
  { title: '开始服务', dataIndex: 'since', width: 160, className: 'ui-nowrap', render: day },
]

/** The companies this agency serves. */
function CompanyList() {
  const corps = useQuery(query(getCorpList, {}))
  return (
    <div className="ui-page">
      <PageHead title="企业列表" note={corps.data && `服务 ${corps.data.list.length} 家企业`} />
      <section className="ui-card">
        <DataTable
          asked={corps}
          columns={columns}
          rowKey="corp_id"
          label="服务的企业"
          empty={{ drawing: 'people', text: '还没有服务的企业。请联系需要服务的企业，由对方的企业管理员同意后会出现在这里。' }}
        />
      </section>
    </div>
  )
}
