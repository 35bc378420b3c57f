import { Link } from '@tanstack/react-router'
import '../../ui/table/desk.css'

const pages = [
  { at: 'periods', to: '/salaryTax/history/list', word: '税款期间' },
  { at: 'added', to: '/salaryTax/deduct/added', word: '专项附加扣除' },
  { at: 'fiveRisks', to: '/salaryTax/deduct/fiveRisks', word: '五险一金' },
] as const

/** From one page of salary tax to the others: the menu of the specification has none of them. */
export const TaxTabs = ({ at }: { at: (typeof pages)[number]['at'] }) => (
  <nav className="ui-tabs" aria-label="个税社保">
    {pages.map((page) => (
      <Link key={page.at} to={page.to} search={{}} aria-current={page.at === at ? 'page' : undefined}>
        {page.word}
      </Link>
    ))}
  </nav>
)
