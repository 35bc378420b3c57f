import { useQuery } from '@tanstack/react-query'
import { Link, type LinkOptions, linkOptions } from '@tanstack/react-router'
import { requirePower } from '../../../../server/contract/access.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import type { getIndex } from '../../../../server/contract/company/company.ts'
import { getPeriodList } from '../../../../server/contract/tax/periods.ts'
import { callQuery } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { formatMonth } from '../../../components/value/dates.ts'
import { useCanAccess } from '../../../session.ts'
import styles from './home.module.css'

type MonthOverview = CallOutput<typeof getIndex>
type Batch = MonthOverview['batches'][number]
type MissingItem = { key: string; text: string; link: LinkOptions }

/** Leads to the only batch that the count is about, filtered; to the list where there are several. */
function getUnconfirmedLink(batches: readonly Batch[]): LinkOptions {
  const [batch, ...others] = batches.filter(({ viewed, confirmed }) => viewed > confirmed)
  return batch && others.length === 0
    ? linkOptions({ to: '/wageDetail', search: { batch_id: batch.batch_id, status: 'viewed' } })
    : linkOptions({ to: '/wageAdmin', search: {} })
}

function listMissing({ counts, batches }: MonthOverview): MissingItem[] {
  const items: (MissingItem & { isMissing: boolean })[] = [
    {
      key: 'upload',
      isMissing: counts.uploaded === 0,
      text: '还没有上传工资表',
      link: linkOptions({ to: '/wageSend1', search: {} }),
    },
    {
      key: 'unsent',
      isMissing: counts.unsent > 0,
      text: `${formatCount(counts.unsent)} 人未发送`,
      link: linkOptions({ to: '/wageAdmin', search: {} }),
    },
    {
      key: 'unconfirmed',
      isMissing: counts.unconfirmed > 0,
      text: `${formatCount(counts.unconfirmed)} 人未确认`,
      link: getUnconfirmedLink(batches),
    },
  ]
  return items.filter(({ isMissing }) => isMissing)
}

/** What the tax of the month lacks, for companies that compute it here. */
function useMissingTax(month: string): MissingItem | null {
  const isPayroll = useCanAccess()(requirePower('2'))
  const periods = useQuery({ ...callQuery(getPeriodList, { page: 1, pagesize: 10 }), enabled: isPayroll, meta: { quiet: true } })
  const list = periods.data?.list ?? []
  if (list.length === 0) return null
  const period = list.find((one) => one.month === month)
  if (!period)
    return {
      key: 'tax',
      text: `${formatMonth(month).slice(5)}个税未计算`,
      link: linkOptions({ to: '/salaryTax/history/list', search: {} }),
    }
  if (period.status === 'locked') return null
  return {
    key: 'tax',
    text: `${formatMonth(month).slice(5)}个税未锁定`,
    link: linkOptions({ to: '/salaryTax/add/check', search: { id: period.period_id } }),
  }
}

/** What is still missing this month and is not among the to-dos, each with the page where it is done. */
export function MissingThisMonth({ data }: { data: MonthOverview }) {
  const tax = useMissingTax(data.month)
  const items = [...listMissing(data), ...(tax ? [tax] : [])]
  if (items.length === 0) return null
  return (
    <section className={`ui-card ${styles.missing}`} aria-labelledby="home-missing">
      <h2 id="home-missing">本月还差</h2>
      <ul>
        {items.map(({ key, text, link }) => (
          <li key={key}>
            <Link {...link}>
              {text} <Icon name="arrow" size={14} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
