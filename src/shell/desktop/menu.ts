/** The side menu (spec §2) as values: what there is, who sees it, what is highlighted. */
import { type CallAccess, canAccess, hasPower, type Power } from '../../../server/contract/access.ts'
import type { MenuSection } from '../../routed/start.tsx'
import { type CurrentUser, toAccessSubject } from '../../session.ts'
import type { IconName } from '../../ui/icon.tsx'

export type MenuEntry = {
  path: string
  roles: readonly Power[]
  /** Shows only while the company is bound to a chat platform (platform_status 10). No entry of today carries it. */
  requiredMark?: '0_5_2'
}
export type MenuGroup = { section: MenuSection; title: string; icon: IconName; entries: readonly MenuEntry[] }
/** What is left for this person: titles are the pages' own. A group without title stands for its only page. */
export type VisibleMenuGroup = {
  section: MenuSection
  title: string
  icon: IconName
  entries: { path: string; title: string }[]
  single: boolean
}

const singlePagePaths = new Set(['/home', '/chars/home'])

/** Free and plus companies have the same menu. */
const standardMenu: readonly MenuGroup[] = [
  { section: 'none', title: '首页', icon: 'home', entries: [{ path: '/home', roles: ['2'] }] },
  {
    section: 'wage',
    title: '工资条',
    icon: 'sheet',
    entries: [
      { path: '/wageSend1', roles: ['2'] },
      { path: '/wageAdmin', roles: ['2'] },
      { path: '/wageSet', roles: ['2'] },
    ],
  },
  {
    section: 'member',
    title: '员工管理',
    icon: 'people',
    entries: [
      { path: '/companyMember', roles: ['2'] },
      { path: '/memberFeedback', roles: ['2'] },
    ],
  },
  { section: 'chart', title: '数据看板', icon: 'chart', entries: [{ path: '/chars/home', roles: ['1', '2'] }] },
  {
    section: 'role',
    title: '角色管理',
    icon: 'shield',
    entries: [
      { path: '/rolePersonal', roles: ['1'] },
      { path: '/roleWage', roles: ['1'] },
    ],
  },
  {
    section: 'message',
    title: '企业管理',
    icon: 'company',
    entries: [
      { path: '/companyInfo', roles: ['1'] },
      { path: '/companyOrder', roles: ['1', '2'] },
      { path: '/CompanyService', roles: ['1', '2'] },
    ],
  },
]

const agencyMenu: readonly MenuGroup[] = [
  {
    section: 'message',
    title: '企业管理',
    icon: 'company',
    entries: [
      { path: '/companyInfo', roles: ['1'] },
      { path: '/companyThird', roles: ['1'] },
      { path: '/CompanyList', roles: ['1', '2'] },
    ],
  },
]

export type RouteMetadata = { title?: string | undefined; who?: CallAccess | undefined }

/** The bound-platform mark of an entry, as the specification calls it: 10 is bound. */
const boundStatus = 10

/**
 * The product type with which the menu is opened (spec §2, default 1): which product of the house stands in it. 1 is this one, and there is
 * no other; docs/decisions/20261122-use-product-type-1-for-the-menu.md.
 */
const payslipProduct = 1

/** The groups of this company: an entrusted one has its own; of the others free (50) and plus (53, 60) have the same. */
export const getMenuGroups = ({ corp }: Pick<CurrentUser, 'corp'>, product = payslipProduct): readonly MenuGroup[] =>
  product !== payslipProduct ? [] : corp.corp_role === 20 ? agencyMenu : standardMenu

/** An entry shows when its page exists, the person holds one of its powers (4 holds all), and the page's guard agrees. */
export function buildMenu(
  currentUser: CurrentUser,
  getPage: (path: string) => RouteMetadata | undefined,
  groups = getMenuGroups(currentUser),
): VisibleMenuGroup[] {
  return groups.flatMap(({ entries, ...group }) => {
    const visibleEntries = entries.flatMap(({ path, roles, requiredMark }) => {
      const page = getPage(path)
      const isVisible =
        page &&
        hasPower(currentUser.power, roles) &&
        (requiredMark !== '0_5_2' || currentUser.corp.platform_status === boundStatus) &&
        (!page.who || canAccess(toAccessSubject(currentUser), page.who))
      return isVisible ? [{ path, title: page.title ?? group.title }] : []
    })
    return visibleEntries.length
      ? [{ ...group, entries: visibleEntries, single: visibleEntries.every((entry) => singlePagePaths.has(entry.path)) }]
      : []
  })
}

/** Pages that highlight another page's entry (spec §2, section highlighting). */
const highlightedPaths: Record<string, string> = {
  '/wagesend2': '/wageSend1',
  '/wagesend3': '/wageSend1',
  '/check': '/wageSend1',
  '/sendsucc': '/wageSend1',
  '/wagedetail': '/wageAdmin',
  '/memberfile': '/companyMember',
  '/salarytax/deduct/added': '/wageAdmin',
  '/salarytax/deduct/fiverisks': '/wageAdmin',
  '/salarytax/history/list': '/wageAdmin',
  '/salarytax/history/detail': '/wageAdmin',
  '/salarytax/add/update': '/wageAdmin',
  '/salarytax/add/check': '/wageAdmin',
}
const normalizePath = (path: string) => path.toLowerCase().replace(/\/+$/, '')

/** The path of the entry to highlight at an address, whatever the letter case. */
export const getHighlightPath = (pathname: string): string => normalizePath(highlightedPaths[normalizePath(pathname)] ?? pathname)
export const isHighlighted = (entry: { path: string }, pathname: string) =>
  normalizePath(entry.path) === getHighlightPath(pathname)
