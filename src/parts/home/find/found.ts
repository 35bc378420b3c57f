/** What was found, as lines in groups: the same for people, pay runs, slips, questions, orders, pages and help. */
import type { OutputOf } from '../../../../server/contract/call.ts'
import type { find } from '../../../../server/contract/people/find.ts'
import { batchWords, salaryWords } from '../../../../server/contract/words/states.ts'
import type { IconName } from '../../../ui/icon.tsx'
import { dayAndTime, monthName } from '../../../ui/value/dates.ts'
import { orderWords } from '../../company/order/words.ts'
import type { FindPlace } from './places.ts'

export type FoundLine = { readonly key: string; readonly title: string; readonly note: string; readonly href: string }
export type FoundGroup = { readonly title: string; readonly icon: IconName; readonly lines: readonly FoundLine[] }

type Found = OutputOf<typeof find>
const feedbackWords = { open: '待回复', answered: '已回复', resolved: '已解决' } as const
const withMonth = (month: string | null, ...more: string[]) =>
  [month ? monthName(month) : '', ...more].filter(Boolean).join(' · ')
const pageOfBatch = { draft: '/wageSend1', checked: '/check' } as const

function stateOf(status: Found['batches'][number]['status'], batch_id: string): string {
  const page = status === 'draft' || status === 'checked' ? pageOfBatch[status] : '/wageDetail'
  return `${page}?batch_id=${batch_id}`
}

export function groupsOfFound(found: Found | undefined, pages: readonly FindPlace[], help: readonly FindPlace[]): FoundGroup[] {
  const { people = [], batches = [], titles = [], slips = [], feedback = [], orders = [] } = found ?? {}
  const all: FoundGroup[] = [
    {
      title: '员工',
      icon: 'people',
      lines: people.map(({ id, name, place, left }) => ({
        key: `person ${id}`,
        title: name,
        note: [place, left ? '已离职' : ''].filter(Boolean).join(' · '),
        href: `/memberFile?id=${id}`,
      })),
    },
    {
      title: '工资批次',
      icon: 'sheet',
      lines: batches.map(({ batch_id, title, month, status }) => ({
        key: `batch ${batch_id}`,
        title,
        note: withMonth(month, batchWords[status].word),
        href: stateOf(status, batch_id),
      })),
    },
    {
      title: '标题',
      icon: 'sheet',
      lines: titles.map(({ title_id, title, month }) => ({
        key: `title ${title_id}`,
        title,
        note: withMonth(month),
        href: `/wageAdmin?title_id=${title_id}`,
      })),
    },
    {
      title: '工资条',
      icon: 'letter',
      lines: slips.map(({ salary_id, batch_id, name, title, month, status }) => ({
        key: `slip ${salary_id}`,
        title: `${name} · ${title}`,
        note: withMonth(month, salaryWords[status].word),
        href: `/wageDetail?batch_id=${batch_id}&salary=${salary_id}`,
      })),
    },
    {
      title: '员工反馈',
      icon: 'suggest',
      lines: feedback.map(({ id, name, title, status }) => ({
        key: `feedback ${id}`,
        title: `${name} · ${title}`,
        note: feedbackWords[status],
        href: `/memberFeedback?id=${id}`,
      })),
    },
    {
      title: '订单',
      icon: 'sheet',
      lines: orders.map(({ order_no, name, status, at }) => ({
        key: `order ${order_no}`,
        title: name,
        note: [orderWords[status].word, dayAndTime(at), order_no].join(' · '),
        href: `/companyOrder?order_no=${order_no}`,
      })),
    },
    {
      title: '页面与设置',
      icon: 'setting',
      lines: pages.map(({ path, title }) => ({ key: `page ${path}`, title, note: '', href: path })),
    },
    {
      title: '常见问题',
      icon: 'help',
      lines: help.map(({ path, title, answer = '' }) => ({ key: `help ${title}`, title, note: answer, href: path })),
    },
  ]
  return all.filter(({ lines }) => lines.length > 0)
}
