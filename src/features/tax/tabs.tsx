import { Link } from '@tanstack/react-router'
import '../../components/table/desktop.css'

const taxPages = [
  { key: 'periods', to: '/salaryTax/history/list', search: {}, label: '税款期间' },
  { key: 'year', to: '/salaryTax/history/list', search: { view: 'year' }, label: '年度汇算' },
  { key: 'preview', to: '/salaryTax/history/list', search: { view: 'preview' }, label: '个税试算' },
  { key: 'added', to: '/salaryTax/deduct/added', search: {}, label: '专项附加扣除' },
  { key: 'fiveRisks', to: '/salaryTax/deduct/fiveRisks', search: {}, label: '五险一金' },
] as const

/** Tabs between the salary tax pages: the menu of the specification contains none of them. */
export const TaxTabs = ({ at: active }: { at: (typeof taxPages)[number]['key'] }) => (
  <nav className="ui-tabs" aria-label="个税社保">
    {taxPages.map((page) => (
      <Link
        key={page.key}
        to={page.to}
        search={page.search}
        activeOptions={{ exact: true }}
        aria-current={page.key === active ? 'page' : undefined}
      >
        {page.label}
      </Link>
    ))}
  </nav>
)
