import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { applyJoin, getCorpList, splitSheet } from '../../../../server/contract/agency/agency.ts'
import { callQuery } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { type PageParams, parsePageParams, parseText } from '../../../components/search-params.ts'
import { DataTable } from '../../../components/table/data-table.tsx'
import { AgencyTabs } from '../../../features/agency/agency-tabs.tsx'
import { ApplyDialog } from '../../../features/agency/apply-dialog.tsx'
import { servedCompanyColumns } from '../../../features/agency/columns.tsx'
import { SplitSheetDialog } from '../../../features/agency/split-dialog.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'
import { useCanAccess } from '../../../session.ts'

const parseSearch = (raw: Record<string, unknown>): PageParams & { name?: string | undefined } => ({
  ...parsePageParams(raw),
  name: parseText(raw.name),
})

export const Route = createFileRoute('/_desk/_agency/CompanyList')({
  staticData: { title: '企业列表', section: 'message', who: { powers: ['1', '2'], companyType: 'agency' } },
  validateSearch: parseSearch,
  loader: ({ route, location }) => prefetchPage(route, () => prefetchQuery(callQuery(getCorpList, parseSearch(location.search)))),
  component: CompanyList,
})

/** The companies that this agency serves, with their status this month and a button to enter each. */
function CompanyList() {
  const { name, page, pagesize } = Route.useSearch()
  const companies = useQuery(callQuery(getCorpList, { name, page, pagesize }))
  const navigate = useNavigate()
  const canAccess = useCanAccess()
  const canApply = canAccess(applyJoin.access)
  const [isApplyOpen, setApplyOpen] = useState(false)
  const [isSplitOpen, setSplitOpen] = useState(false)
  const renderApplyButton = (type: 'primary' | 'default') =>
    canApply && (
      <ActionButton type={type} mark="add" onClick={() => setApplyOpen(true)}>
        申请服务企业
      </ActionButton>
    )
  return (
    <div className="ui-page">
      <AgencyTabs at="companies" />
      <PageHeader
        title="企业列表"
        note={companies.data && `${companies.data.page.total} 家企业`}
        action={
          <>
            {canAccess(splitSheet.access) && <ActionButton onClick={() => setSplitOpen(true)}>多企业工资表拆分</ActionButton>}
            {renderApplyButton('primary')}
          </>
        }
      >
        <SearchBox
          placeholder="搜索企业名称"
          value={name}
          onSearch={(next) => void navigate({ to: '/CompanyList', search: { name: next } })}
        />
      </PageHeader>
      <section className="ui-card">
        <DataTable
          requested={companies}
          columns={servedCompanyColumns}
          rowKey="link_id"
          label="服务的企业"
          unit="家"
          empty={
            name
              ? { illustration: 'search', text: `没有找到名称含「${name}」的企业。` }
              : {
                  illustration: 'people',
                  text: '还没有服务的企业。提交申请，对方的企业管理员同意后就能进入。',
                  action: renderApplyButton('default'),
                }
          }
        />
      </section>
      {isSplitOpen && <SplitSheetDialog onClose={() => setSplitOpen(false)} />}
      {isApplyOpen && <ApplyDialog onClose={() => setApplyOpen(false)} />}
    </div>
  )
}
