import { Link } from '@tanstack/react-router'
import '../../ui/table/desktop.css'

const taxPages = [
  { at: 'periods', to: '/salaryTax/history/list', search: {}, word: '税款期间' },
  { at: 'year', to: '/salaryTax/history/list', search: { view: 'year' }, word: '年度汇算' },
  { at: 'preview', to: '/salaryTax/history/list', search: { view: 'preview' }, word: '个税试算' },
  { at: 'added', to: '/salaryTax/deduct/added', search: {}, word: '专项附加扣除' },
  { at: 'fiveRisks', to: '/salaryTax/deduct/fiveRisks', search: {}, word: '五险一金' },
] as const

/** From one page of salary tax to the others: the menu of the specification has none of them. */
export const TaxTabs = ({ at: active }: { at: (typeof taxPages)[number]['at'] }) => (
  <nav className="ui-tabs" aria-label="个税社保">
    {taxPages.map((page) => (
      <Link
        key={page.at}
        to={page.to}
        search={page.search}
        activeOptions={{ exact: true }}
        aria-current={page.at === active ? 'page' : undefined}
      >
        {page.word}
      </Link>
    ))}
  </nav>
)
