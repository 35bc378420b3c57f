import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Select } from 'antd'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getReconciliationList, type ReconciliationKind } from '../../../../server/contract/tax/comparison.ts'
import { callQuery } from '../../../api.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { SectionTabs } from '../../../components/page/section-tabs.tsx'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { parseEnum } from '../../../components/search-params.ts'
import { type Columns, DataTable } from '../../../components/table/data-table.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import { Money } from '../../../components/value/money.tsx'
import styles from '../period/period.module.css'
import type { PeriodSearch } from '../period/search.ts'
import { TaxMemberCell } from '../period/tax-member-cell.tsx'
import { TaxTabs } from '../tabs.tsx'
import { formatBonusMethod, ReconciliationDue, type ReconciliationListItem } from './labels.tsx'
import { ReconciliationDrawer } from './reconciliation-drawer.tsx'

const reconciliationKinds: readonly ReconciliationKind[] = ['owes', 'back', 'even', 'other_way']
const getCurrentYear = () => new Date().getFullYear()

/** Who will owe tax or receive a refund after the year, based on its locked periods. */
export function ReconciliationList({ search }: { search: PeriodSearch }) {
  const { page = 1, pagesize = 20, name, member } = search
  const year = search.year ?? getCurrentYear()
  const kind = parseEnum(search.kind, reconciliationKinds)
  const navigate = useNavigate()
  const navigateTo = (change: Partial<PeriodSearch>) =>
    void navigate({ to: '/salaryTax/history/list', search: { ...search, ...change }, replace: 'member' in change })
  const reconciliations = useQuery({
    ...callQuery(getReconciliationList, { year, page, pagesize, ...(kind ? { kind } : {}), ...(name ? { name } : {}) }),
    gcTime: 0,
    placeholderData: (before) => before,
  })
  const { data } = reconciliations
  return (
    <div className={`ui-page ${styles.page}`}>
      <SectionTabs section="wages" at="tax" />
      <PageHeader title="年度汇算">
        <TaxTabs at="year" />
        <Select
          aria-label="年份"
          style={{ width: 140 }}
          value={year}
          options={Array.from({ length: getCurrentYear() - 2018 }, (_, index) => ({
            value: getCurrentYear() - index,
            label: `${getCurrentYear() - index} 年`,
          }))}
          onChange={(value) => navigateTo({ year: value, page: undefined, member: undefined })}
        />
      </PageHeader>
      {data && data.locked.length > 0 && (
        <ReconciliationSums summary={data} kind={kind} onSelect={(next) => navigateTo({ kind: next, page: undefined })} />
      )}
      <section className="ui-card">
        {(data || reconciliations.isFetched) && (
          <div className={`ui-row ${styles.tools}`}>
            <SearchBox
              value={name}
              placeholder="搜索姓名、工号"
              onSearch={(text) => navigateTo({ name: text, page: undefined })}
            />
          </div>
        )}
        <DataTable
          requested={reconciliations}
          columns={createColumns((member_id) => navigateTo({ member: member_id }))}
          rowKey="member_id"
          unit="人"
          label="年度汇算"
          empty={
            name || kind
              ? { illustration: 'search', text: '没有这样的人，换个条件试试。' }
              : { illustration: 'sheet', text: `${year} 年还没有锁定的税款期间；锁定以后，这里按人算出要补还是可退。` }
          }
        />
      </section>
      <ReconciliationDrawer year={year} member_id={member} onClose={() => navigateTo({ member: undefined })} />
    </div>
  )
}

type ReconciliationSumsProps = {
  summary: CallOutput<typeof getReconciliationList>
  kind: ReconciliationKind | undefined
  onSelect: (kind: ReconciliationKind | undefined) => void
}
/** How many employees owe tax and how many receive a refund, and which months are included. */
function ReconciliationSums({ summary, kind, onSelect }: ReconciliationSumsProps) {
  return (
    <>
      {(summary.open.length > 0 || summary.locked.length < 12) && (
        <p className="ui-label" role="note">
          按已锁定的 {summary.locked.length} 个月计算
          {summary.open.length > 0 && `；${summary.open.map(formatMonth).join('、')}还没有锁定，没有算在内`}
          。在别处的收入和大病医疗不在这里，点开一个人可以填写试算。
        </p>
      )}
      <StatisticCards<ReconciliationKind>
        selected={kind ?? null}
        onChoose={(next) => onSelect(next ?? undefined)}
        items={[
          { key: 'owes', label: '要补税', value: `${summary.counts.owes} 人`, note: <Money fen={summary.payable_fen} /> },
          { key: 'back', label: '可退税', value: `${summary.counts.back} 人`, note: <Money fen={summary.refund_fen} /> },
          { key: 'even', label: '不补不退', value: `${summary.counts.even} 人`, note: '已预缴的正好' },
          {
            key: 'other_way',
            label: '奖金并入更省',
            value: `${summary.counts.other_way} 人`,
            note: (
              <>
                共省 <Money fen={summary.saved_fen} />
              </>
            ),
          },
        ]}
      />
    </>
  )
}

const renderMoney = (fen: number | null) => <Money fen={fen} />
const createColumns = (onOpen: (member_id: string) => void): Columns<ReconciliationListItem> => [
  {
    title: '姓名',
    key: 'who',
    fixed: 'start',
    render: (_, one) => <TaxMemberCell person={one} onOpen={() => onOpen(one.member_id)} />,
  },
  { title: '月数', dataIndex: 'months', align: 'right', card: 'named' },
  { title: '工资收入', dataIndex: 'wages_fen', align: 'right', render: renderMoney },
  { title: '全年奖金', dataIndex: 'bonus_fen', align: 'right', render: (fen: number) => (fen === 0 ? '—' : renderMoney(fen)) },
  { title: '已预缴', dataIndex: 'withheld_fen', align: 'right', render: renderMoney },
  { title: '应纳税额', dataIndex: 'tax_fen', align: 'right', render: renderMoney },
  { title: '结果', key: 'due', align: 'right', card: 'side', render: (_, one) => <ReconciliationDue of={one} /> },
  { title: '奖金', key: 'way', className: 'ui-nowrap', card: 'line', render: (_, one) => formatBonusMethod(one) },
]
