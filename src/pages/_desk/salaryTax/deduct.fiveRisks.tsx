import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Segmented } from 'antd'
import { requirePower } from '../../../../server/contract/access.ts'
import { getInsuranceSchemeList } from '../../../../server/contract/tax/insurance.ts'
import { callQuery } from '../../../api.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { SectionTabs } from '../../../components/page/section-tabs.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { InsuranceMembers } from '../../../features/tax/insurance/members.tsx'
import { InsuranceSchemeList } from '../../../features/tax/insurance/scheme-list.tsx'
import { parseInsuranceSearch } from '../../../features/tax/search.ts'
import { TaxTabs } from '../../../features/tax/tabs.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

export const Route = createFileRoute('/_desk/salaryTax/deduct/fiveRisks')({
  staticData: { title: '五险一金', section: 'wage', who: requirePower('2') },
  validateSearch: parseInsuranceSearch,
  loader: ({ route }) => prefetchPage(route, () => prefetchQuery(callQuery(getInsuranceSchemeList, {}))),
  component: InsurancePage,
})

const viewOptions = [
  { value: 'people', label: '员工基数' },
  { value: 'schemes', label: '参保方案' },
] as const
type InsuranceView = (typeof viewOptions)[number]['value']

/** Members' contribution bases and the schemes used to calculate contributions. */
function InsurancePage() {
  const search = Route.useSearch()
  const navigate = useNavigate()
  const schemes = useQuery(callQuery(getInsuranceSchemeList, {}))
  const { data } = schemes
  const cities = [...new Set((data?.list ?? []).filter(({ replaced }) => !replaced).map(({ city }) => city))]
  const view: InsuranceView = search.view ?? 'people'
  return (
    <div className="ui-page">
      <SectionTabs section="wages" at="tax" />
      <PageHeader title="五险一金" note={data && (cities.length > 0 ? `方案：${cities.join('、')}` : '还没有参保方案')}>
        <TaxTabs at="fiveRisks" />
        <Segmented<InsuranceView>
          aria-label="五险一金"
          value={view}
          options={[...viewOptions]}
          onChange={(next) =>
            void navigate({ to: '/salaryTax/deduct/fiveRisks', search: next === 'schemes' ? { view: next } : {} })
          }
        />
      </PageHeader>
      {!data ? (
        <section className="ui-card">
          {schemes.error ? <ErrorState error={schemes.error} retry={() => void schemes.refetch()} /> : <Skeleton />}
        </section>
      ) : view === 'schemes' ? (
        <InsuranceSchemeList list={data.list} templates={data.templates} />
      ) : (
        <InsuranceMembers search={search} cities={cities} />
      )}
    </div>
  )
}
