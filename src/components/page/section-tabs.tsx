import { Link } from '@tanstack/react-router'
import '../table/desktop.css'

/**
 * Pages that belong together, although the menu, which the specification fixes, has an entry only for the first of them.
 * A page that the user may not open is not offered.
 */
const sections = {
  wages: {
    label: '工资',
    pages: [
      { key: 'payslips', to: '/wageAdmin', label: '工资条' },
      { key: 'tax', to: '/salaryTax/history/list', label: '个税社保' },
    ],
  },
  company: {
    label: '企业',
    pages: [
      { key: 'info', to: '/companyInfo', label: '基本信息' },
      { key: 'platform', to: '/companyThird', label: '办公平台' },
    ],
  },
} as const

type SectionTabsProps =
  | { section: 'wages'; at: (typeof sections)['wages']['pages'][number]['key'] }
  | { section: 'company'; at: (typeof sections)['company']['pages'][number]['key'] }

export function SectionTabs({ section, at: current }: SectionTabsProps) {
  const { label, pages } = sections[section]
  return (
    <nav className="ui-tabs no-print" aria-label={label}>
      {pages.map(({ key, to, label: name }) => (
        <Link key={key} to={to} search={{}} aria-current={key === current ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
