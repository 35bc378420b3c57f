import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Segmented } from 'antd'
import { getInsuranceSchemeList } from '../../../../server/contract/wage/insurance.ts'
import { holders } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import { InsurancePeople } from '../../../parts/tax/insurance/people.tsx'
import { SchemeList } from '../../../parts/tax/insurance/scheme-list.tsx'
import { insuranceSearchOf } from '../../../parts/tax/search.ts'
import { TaxTabs } from '../../../parts/tax/tabs.tsx'
import { begin, first } from '../../../routed/first.ts'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'

export const Route = createFileRoute('/_desk/salaryTax/deduct/fiveRisks')({
  staticData: { title: '五险一金', section: 'wage', who: holders('2') },
  validateSearch: insuranceSearchOf,
  loader: ({ route }) => first(route, () => begin(query(getInsuranceSchemeList, {}))),
  component: Insurance,
})

const views = [
  { value: 'people', label: '员工基数' },
  { value: 'schemes', label: '参保方案' },
] as const
type View = (typeof views)[number]['value']

/** People's bases, and the schemes by which they are reckoned. */
function Insurance() {
  const search = Route.useSearch()
  const navigate = useNavigate()
  const asked = useQuery(query(getInsuranceSchemeList, {}))
  const { data } = asked
  const cities = [...new Set((data?.list ?? []).filter(({ replaced }) => !replaced).map(({ city }) => city))]
  const view: View = search.view ?? 'people'
  return (
    <div className="ui-page">
      <PageHead title="五险一金" note={data && (cities.length > 0 ? `方案：${cities.join('、')}` : '还没有参保方案')}>
        <TaxTabs at="fiveRisks" />
        <Segmented<View>
          aria-label="五险一金"
          value={view}
          options={[...views]}
          onChange={(next) =>
            void navigate({ to: '/salaryTax/deduct/fiveRisks', search: next === 'schemes' ? { view: next } : {} })
          }
        />
      </PageHead>
      {!data ? (
        <section className="ui-card">
          {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton />}
        </section>
      ) : view === 'schemes' ? (
        <SchemeList list={data.list} templates={data.templates} />
      ) : (
        <InsurancePeople search={search} cities={cities} />
      )}
    </div>
  )
}
