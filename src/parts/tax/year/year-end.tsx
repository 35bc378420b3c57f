import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Select } from 'antd'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getYearEndList, type YearEndKind } from '../../../../server/contract/wage/tax/tax-results.ts'
import { query } from '../../../api.ts'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { oneOf } from '../../../ui/search.ts'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'
import { monthName } from '../../../ui/value/dates.ts'
import { Money } from '../../../ui/value/money.tsx'
import styles from '../period/period.module.css'
import type { PeriodSearch } from '../period/search.ts'
import { WhoCell } from '../period/who-cell.tsx'
import { TaxTabs } from '../tabs.tsx'
import { Due, wayText, type YearEndLine } from './words.tsx'
import { YearPerson } from './year-person.tsx'

const kinds: readonly YearEndKind[] = ['owes', 'back', 'even', 'other_way']
const thisYear = () => new Date().getFullYear()

/** Who will owe and who gets back after the year, as its locked months have it. */
export function YearEnd({ search }: { search: PeriodSearch }) {
  const { page = 1, pagesize = 20, name, member } = search
  const year = search.year ?? thisYear()
  const kind = oneOf(search.kind, kinds)
  const navigate = useNavigate()
  const go = (change: Partial<PeriodSearch>) =>
    void navigate({ to: '/salaryTax/history/list', search: { ...search, ...change }, replace: 'member' in change })
  const asked = useQuery({
    ...query(getYearEndList, { year, page, pagesize, ...(kind ? { kind } : {}), ...(name ? { name } : {}) }),
    gcTime: 0,
    placeholderData: (before) => before,
  })
  const { data } = asked
  return (
    <div className={`ui-page ${styles.page}`}>
      <PageHead title="年度汇算">
        <TaxTabs at="year" />
        <Select
          aria-label="年份"
          style={{ width: 140 }}
          value={year}
          options={Array.from({ length: thisYear() - 2018 }, (_, at) => ({
            value: thisYear() - at,
            label: `${thisYear() - at} 年`,
          }))}
          onChange={(value) => go({ year: value, page: undefined, member: undefined })}
        />
      </PageHead>
      {data && data.locked.length > 0 && <Sums of={data} kind={kind} onChoose={(next) => go({ kind: next, page: undefined })} />}
      <section className="ui-card">
        {(data || asked.isFetched) && (
          <div className={`ui-row ${styles.tools}`}>
            <SearchBox value={name} placeholder="搜索姓名、工号" onSearch={(text) => go({ name: text, page: undefined })} />
          </div>
        )}
        <DataTable
          asked={asked}
          columns={columnsFor((member_id) => go({ member: member_id }))}
          rowKey="member_id"
          unit="人"
          label="年度汇算"
          empty={
            name || kind
              ? { drawing: 'search', text: '没有这样的人，换个条件试试。' }
              : { drawing: 'sheet', text: `${year} 年还没有锁定的税款期间；锁定以后，这里按人算出要补还是可退。` }
          }
        />
      </section>
      <YearPerson year={year} member_id={member} onClose={() => go({ member: undefined })} />
    </div>
  )
}

type SumsProps = {
  of: OutputOf<typeof getYearEndList>
  kind: YearEndKind | undefined
  onChoose: (kind: YearEndKind | undefined) => void
}
/** How many owe and how many get back; and which months that is of. */
function Sums({ of, kind, onChoose }: SumsProps) {
  return (
    <>
      {(of.open.length > 0 || of.locked.length < 12) && (
        <p className="ui-label" role="note">
          按已锁定的 {of.locked.length} 个月计算
          {of.open.length > 0 && `；${of.open.map(monthName).join('、')}还没有锁定，没有算在内`}
          。在别处的收入和大病医疗不在这里，点开一个人可以填写试算。
        </p>
      )}
      <Numbers<YearEndKind>
        chosen={kind ?? null}
        onChoose={(next) => onChoose(next ?? undefined)}
        items={[
          { key: 'owes', label: '要补税', value: `${of.counts.owes} 人`, note: <Money fen={of.owed_fen} /> },
          { key: 'back', label: '可退税', value: `${of.counts.back} 人`, note: <Money fen={of.back_fen} /> },
          { key: 'even', label: '不补不退', value: `${of.counts.even} 人`, note: '已预缴的正好' },
          {
            key: 'other_way',
            label: '奖金并入更省',
            value: `${of.counts.other_way} 人`,
            note: (
              <>
                共省 <Money fen={of.saved_fen} />
              </>
            ),
          },
        ]}
      />
    </>
  )
}

const money = (fen: number | null) => <Money fen={fen} />
const columnsFor = (open: (member_id: string) => void): Columns<YearEndLine> => [
  {
    title: '姓名',
    key: 'who',
    fixed: 'start',
    render: (_, one) => <WhoCell person={one} onOpen={() => open(one.member_id)} />,
  },
  { title: '月数', dataIndex: 'months', align: 'right', card: 'named' },
  { title: '工资收入', dataIndex: 'wages_fen', align: 'right', render: money },
  { title: '全年奖金', dataIndex: 'bonus_fen', align: 'right', render: (fen: number) => (fen === 0 ? '—' : money(fen)) },
  { title: '已预缴', dataIndex: 'withheld_fen', align: 'right', render: money },
  { title: '应纳税额', dataIndex: 'tax_fen', align: 'right', render: money },
  { title: '结果', key: 'due', align: 'right', card: 'side', render: (_, one) => <Due of={one} /> },
  { title: '奖金', key: 'way', className: 'ui-nowrap', card: 'line', render: (_, one) => wayText(one) },
]
