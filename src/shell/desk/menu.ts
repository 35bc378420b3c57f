/** The side menu (spec §2) as values: what there is, who sees it, what is highlighted. */
import { holds, may, type Power, type Who } from '../../../server/contract/who.ts'
import type { Section } from '../../routed/start.tsx'
import { personOf, type Role } from '../../session.ts'
import type { IconName } from '../../ui/icon.tsx'

export type Entry = {
  path: string
  roles: readonly Power[]
  /** Shows only while the company is bound to a chat platform (platform_status 10). No entry of today carries it. */
  mark?: '0_5_2'
}
export type Group = { section: Section; title: string; icon: IconName; entries: readonly Entry[] }
/** What is left for this person: titles are the pages' own. A group without title stands for its only page. */
export type Shown = {
  section: Section
  title: string
  icon: IconName
  entries: { path: string; title: string }[]
  single: boolean
}

const single = new Set(['/home', '/chars/home'])

/** Free and plus companies have the same menu. */
const normal: readonly Group[] = [
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

const agency: readonly Group[] = [
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

export type RouteFacts = { title?: string | undefined; who?: Who | undefined }

/** The bound-platform mark of an entry, as the specification calls it: 10 is bound. */
const bound = 10

/**
 * The product type with which the menu is opened (spec §2, default 1): which product of the house stands in it. 1 is this one, and there is
 * no other; docs/decisions/20261122-use-product-type-1-for-the-menu.md.
 */
const payslips = 1

/** The groups of this company: an entrusted one has its own; of the others free (50) and plus (53, 60) have the same. */
export const groupsOf = ({ corp }: Pick<Role, 'corp'>, product = payslips): readonly Group[] =>
  product !== payslips ? [] : corp.corp_role === 20 ? agency : normal

/** An entry shows when its page exists, the person holds one of its powers (4 holds all), and the page's guard agrees. */
export function menuOf(me: Role, pageOf: (path: string) => RouteFacts | undefined, groups = groupsOf(me)): Shown[] {
  return groups.flatMap(({ entries, ...group }) => {
    const shown = entries.flatMap(({ path, roles, mark }) => {
      const page = pageOf(path)
      const sees =
        page &&
        holds(me.power, roles) &&
        (mark !== '0_5_2' || me.corp.platform_status === bound) &&
        (!page.who || may(personOf(me), page.who))
      return sees ? [{ path, title: page.title ?? group.title }] : []
    })
    return shown.length ? [{ ...group, entries: shown, single: shown.every((entry) => single.has(entry.path)) }] : []
  })
}

/** Pages that highlight another page's entry (spec §2, section highlighting). */
const under: Record<string, string> = {
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
const plain = (path: string) => path.toLowerCase().replace(/\/+$/, '')

/** The path of the entry to highlight at an address, whatever the letter case. */
export const highlightOf = (pathname: string): string => plain(under[plain(pathname)] ?? pathname)
export const isHighlighted = (entry: { path: string }, pathname: string) => plain(entry.path) === highlightOf(pathname)
