import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { applyJoin, getCorpList, splitSheet } from '../../../../server/contract/corp/agency.ts'
import { query } from '../../../api.ts'
import { ApplyDialog } from '../../../parts/company/agency/apply-dialog.tsx'
import { servedColumns } from '../../../parts/company/agency/columns.tsx'
import { SplitDialog } from '../../../parts/company/agency/split-dialog.tsx'
import { begin, first } from '../../../routed/first.ts'
import { useMay } from '../../../session.ts'
import { Act } from '../../../ui/act.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { type PageSearch, pageOf, textOf } from '../../../ui/search.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'

const searchOf = (raw: Record<string, unknown>): PageSearch & { name?: string | undefined } => ({
  ...pageOf(raw),
  name: textOf(raw.name),
})

export const Route = createFileRoute('/_desk/_agency/CompanyList')({
  staticData: { title: '企业列表', section: 'message', who: { powers: ['1', '2'], corp: 'agency' } },
  validateSearch: searchOf,
  loader: ({ route, location }) => first(route, () => begin(query(getCorpList, searchOf(location.search)))),
  component: CompanyList,
})

/** The companies this agency serves: where each stands this month, and the way in. */
function CompanyList() {
  const { name, page, pagesize } = Route.useSearch()
  const corps = useQuery(query(getCorpList, { name, page, pagesize }))
  const navigate = useNavigate()
  const may = useMay()
  const mayApply = may(applyJoin.who)
  const [applying, setApplying] = useState(false)
  const [splitting, setSplitting] = useState(false)
  const apply = (type: 'primary' | 'default') =>
    mayApply && (
      <Act type={type} mark="add" onClick={() => setApplying(true)}>
        申请服务企业
      </Act>
    )
  return (
    <div className="ui-page">
      <PageHead
        title="企业列表"
        note={corps.data && `${corps.data.page.total} 家企业`}
        action={
          <>
            {may(splitSheet.who) && <Act onClick={() => setSplitting(true)}>一张表，多家企业</Act>}
            {apply('primary')}
          </>
        }
      >
        <SearchBox
          placeholder="搜索企业名称"
          value={name}
          onSearch={(next) => void navigate({ to: '/CompanyList', search: { name: next } })}
        />
      </PageHead>
      <section className="ui-card">
        <DataTable
          asked={corps}
          columns={servedColumns}
          rowKey="link_id"
          label="服务的企业"
          unit="家"
          empty={
            name
              ? { drawing: 'search', text: `没有找到名称含「${name}」的企业。` }
              : {
                  drawing: 'people',
                  text: '还没有服务的企业。提交申请，对方的企业管理员同意后就能进入。',
                  action: apply('default'),
                }
          }
        />
      </section>
      {splitting && <SplitDialog onClose={() => setSplitting(false)} />}
      {applying && <ApplyDialog onClose={() => setApplying(false)} />}
    </div>
  )
}
