import { createFileRoute, useRouter } from '@tanstack/react-router'
import { requirePower } from '../../../../server/contract/access.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { SearchPanel } from '../../../features/reports/search/search-panel.tsx'

export const Route = createFileRoute('/_desk/_company/find')({
  staticData: { title: '搜索', section: 'none', who: requirePower('1', '2', '3') },
  component: SearchPage,
})

/** The search as a page of its own, for links to it; elsewhere it lies over the page. */
function SearchPage() {
  const router = useRouter()
  return (
    <div className="ui-page">
      <PageHeader title="搜索" note="员工、批次、标题、工资条、反馈、订单、设置与帮助" />
      <SearchPanel onLeave={(reason) => reason === 'cancelled' && router.history.back()} />
    </div>
  )
}
