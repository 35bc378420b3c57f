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
  agency: {
    label: '代理企业',
    pages: [
      { key: 'companies', to: '/CompanyList', label: '企业列表' },
      { key: 'roster', to: '/companyMember', label: '花名册' },
      { key: 'admins', to: '/rolePersonal', label: '管理员' },
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

type Sections = typeof sections
type SectionTabsProps = {
  [Section in keyof Sections]: { section: Section; at: Sections[Section]['pages'][number]['key'] }
}[keyof Sections] & {
  /** The keys of the pages that the user may not open. */
  hidden?: readonly string[]
}

export function SectionTabs({ section, at: current, hidden = [] }: SectionTabsProps) {
  const { label, pages } = sections[section]
  const offered = pages.filter(({ key }) => !hidden.includes(key))
  if (offered.length < 2) return null
  return (
    <nav className="ui-tabs no-print" aria-label={label}>
      {offered.map(({ key, to, label: name }) => (
        <Link key={key} to={to} search={{}} aria-current={key === current ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
