/** Converts search results to grouped rows: the same for members, pay runs, payslips, feedback, orders, pages and help. */
import type { CallOutput } from '../../../../server/contract/call.ts'
import type { search } from '../../../../server/contract/reports/search.ts'
import { batchStatusLabels, payslipStatusLabels } from '../../../../server/contract/shared/statuses.ts'
import type { IconName } from '../../../components/icon.tsx'
import { formatDateTime, formatMonth } from '../../../components/value/dates.ts'
import { orderStatusLabels } from '../../billing/labels.ts'
import type { SearchablePage } from './pages.ts'

export type SearchResult = { readonly key: string; readonly title: string; readonly note: string; readonly href: string }
export type SearchResultGroup = { readonly title: string; readonly icon: IconName; readonly results: readonly SearchResult[] }

type SearchResponse = CallOutput<typeof search>
const feedbackStatusLabels = { open: '待回复', answered: '已回复', resolved: '已解决' } as const
const joinWithMonth = (month: string | null, ...more: string[]) =>
  [month ? formatMonth(month) : '', ...more].filter(Boolean).join(' · ')
const batchPages = { draft: '/wageSend1', checked: '/check' } as const

function getBatchUrl(status: SearchResponse['batches'][number]['status'], batch_id: string): string {
  const page = status === 'draft' || status === 'checked' ? batchPages[status] : '/wageDetail'
  return `${page}?batch_id=${batch_id}`
}

export function groupSearchResults(
  response: SearchResponse | undefined,
  pages: readonly SearchablePage[],
  help: readonly SearchablePage[],
): SearchResultGroup[] {
  const { members = [], batches = [], titles = [], slips = [], feedback = [], orders = [] } = response ?? {}
  const groups: SearchResultGroup[] = [
    {
      title: '员工',
      icon: 'people',
      results: members.map(({ id, name, department: position, is_terminated }) => ({
        key: `person ${id}`,
        title: name,
        note: [position, is_terminated ? '已离职' : ''].filter(Boolean).join(' · '),
        href: `/memberFile?id=${id}`,
      })),
    },
    {
      title: '工资批次',
      icon: 'sheet',
      results: batches.map(({ batch_id, title, month, status }) => ({
        key: `batch ${batch_id}`,
        title,
        note: joinWithMonth(month, batchStatusLabels[status].label),
        href: getBatchUrl(status, batch_id),
      })),
    },
    {
      title: '标题',
      icon: 'sheet',
      results: titles.map(({ title_id, title, month }) => ({
        key: `title ${title_id}`,
        title,
        note: joinWithMonth(month),
        href: `/wageAdmin?title_id=${title_id}`,
      })),
    },
    {
      title: '工资条',
      icon: 'letter',
      results: slips.map(({ salary_id, batch_id, name, title, month, status }) => ({
        key: `slip ${salary_id}`,
        title: `${name} · ${title}`,
        note: joinWithMonth(month, payslipStatusLabels[status].label),
        href: `/wageDetail?batch_id=${batch_id}&salary=${salary_id}`,
      })),
    },
    {
      title: '员工反馈',
      icon: 'suggest',
      results: feedback.map(({ id, name, title, status }) => ({
        key: `feedback ${id}`,
        title: `${name} · ${title}`,
        note: feedbackStatusLabels[status],
        href: `/memberFeedback?id=${id}`,
      })),
    },
    {
      title: '订单',
      icon: 'sheet',
      results: orders.map(({ order_no, name, status, at }) => ({
        key: `order ${order_no}`,
        title: name,
        note: [orderStatusLabels[status].label, formatDateTime(at), order_no].join(' · '),
        href: `/companyOrder?order_no=${order_no}`,
      })),
    },
    {
      title: '页面与设置',
      icon: 'setting',
      results: pages.map(({ path, title }) => ({ key: `page ${path}`, title, note: '', href: path })),
    },
    {
      title: '常见问题',
      icon: 'help',
      results: help.map(({ path, title, answer = '' }) => ({ key: `help ${title}`, title, note: answer, href: path })),
    },
  ]
  return groups.filter(({ results }) => results.length > 0)
}
