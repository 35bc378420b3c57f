/** The side menu (spec §2) as values: its entries, their visibility, and the highlighting. */
import { type CallAccess, canAccess, hasPower, type Power } from '../../../server/contract/access.ts'
import type { IconName } from '../../components/icon.tsx'
import type { MenuSection } from '../../routed/start.tsx'
import { type CurrentUser, toAccessSubject } from '../../session.ts'

export type MenuEntry = {
  path: string
  roles: readonly Power[]
  /**
   * The entry is shown only while the company is bound to a chat platform (platform_status 10). No current entry uses
   * it.
   */
  requiredMark?: '0_5_2'
}
export type MenuGroup = { section: MenuSection; title: string; icon: IconName; entries: readonly MenuEntry[] }
/** The entries visible to the user; titles come from the pages. A group without a title consists of its only page. */
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

/** The platform mark of a menu entry, as the specification calls it; 10 means that a platform is bound. */
const boundStatus = 10

/**
 * The product type of the menu (spec §2, default 1): it selects the product whose menu is shown. 1 is this product, and
 * there is no other; docs/decisions/20261122-use-product-type-1-for-the-menu.md.
 */
const payslipProduct = 1

/** Returns the menu groups of the company: an agency has its own; of the others, free (50) and plus (53, 60) have the same. */
export const getMenuGroups = ({ corp }: Pick<CurrentUser, 'corp'>, product = payslipProduct): readonly MenuGroup[] =>
  product !== payslipProduct ? [] : corp.corp_role === 20 ? agencyMenu : standardMenu

/** Builds the visible menu: an entry shows if its page exists and its guard and the user's powers (4: all) allow it. */
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
  // An agency has an entry of its own for it.
  '/companythird': '/companyInfo',
  '/roleadmin': '/rolePersonal',
  // An agency reaches its own people and administrators from its list of companies.
  '/companymember': '/CompanyList',
  '/rolepersonal': '/CompanyList',
  '/rolewage': '/CompanyList',
  '/salarytax/deduct/added': '/wageAdmin',
  '/salarytax/deduct/fiverisks': '/wageAdmin',
  '/salarytax/history/list': '/wageAdmin',
  '/salarytax/history/detail': '/wageAdmin',
  '/salarytax/add/update': '/wageAdmin',
  '/salarytax/add/check': '/wageAdmin',
}
const normalizePath = (path: string) => path.toLowerCase().replace(/\/+$/, '')

/** Returns the path of the entry to highlight, ignoring letter case: the page's own one, or that of its section. */
export function findHighlightedPath(entries: readonly { path: string }[], pathname: string): string | undefined {
  let path: string | undefined = pathname
  while (path) {
    const current = normalizePath(path)
    const entry = entries.find((one) => normalizePath(one.path) === current)
    if (entry) return entry.path
    path = highlightedPaths[current]
  }
  return undefined
}
