import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getMemberInsurance, type MemberInsurance } from '../../../../server/contract/wage/insurance.ts'
import type { InsuranceState } from '../../../../server/contract/wage/kinds.ts'
import { query } from '../../../api.ts'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import type { InsuranceSearch } from '../search.ts'
import styles from '../tax.module.css'
import { insuranceColumns } from './columns.tsx'

const EntryDialog = lazy(async () => ({ default: (await import('./entry-dialog.tsx')).EntryDialog }))
const AdjustDialog = lazy(async () => ({ default: (await import('./adjust-dialog.tsx')).AdjustDialog }))

function figuresOf({ missing, adjust, faulty }: OutputOf<typeof getMemberInsurance>['counts']) {
  return [
    { key: 'missing', label: '没有填写', value: missing, tone: missing > 0 ? 'warn' : 'ink' },
    { key: 'adjust', label: '待年度调整', value: adjust, tone: adjust > 0 ? 'warn' : 'ink' },
    { key: 'faulty', label: '不能计算', value: faulty, tone: faulty > 0 ? 'danger' : 'ink' },
  ] as const
}

const ManyBar = ({ count, onAdjust, onClear }: { count: number; onAdjust: () => void; onClear: () => void }) => (
  <div className={styles.many} role="region" aria-label="已选员工">
    <span>已选 {count} 人</span>
    <Button type="primary" onClick={onAdjust}>
      调整基数
    </Button>
    <Button type="link" onClick={onClear}>
      取消选择
    </Button>
  </div>
)

/** Who pays what in this month; who is missing, or due for the year's adjustment. */
export function InsurancePeople({ search, cities }: { search: InsuranceSearch; cities: readonly string[] }) {
  const navigate = useNavigate()
  const { name, state, page, pagesize } = search
  const [editing, setEditing] = useState<MemberInsurance | null>(null)
  const [chosen, setChosen] = useState<readonly MemberInsurance[]>([])
  const [adjusting, setAdjusting] = useState(false)
  const asked = useQuery({
    ...query(getMemberInsurance, { name, state, page, pagesize }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const { data } = asked
  const filter = (change: Partial<InsuranceSearch>) =>
    void navigate({ to: '/salaryTax/deduct/fiveRisks', search: { ...search, page: undefined, ...change } })
  const choose = (keys: readonly React.Key[]) => {
    const known = new Map([...chosen, ...(data?.list ?? [])].map((one) => [one.member_id, one]))
    setChosen(keys.flatMap((key) => known.get(String(key)) ?? []))
  }
  const done = () => {
    setAdjusting(false)
    setChosen([])
  }
  return (
    <>
      <SearchBox value={name} onSearch={(text) => filter({ name: text })} placeholder="姓名、拼音、手机号或工号" width={264} />
      {data && (
        <Numbers<InsuranceState>
          items={figuresOf(data.counts)}
          chosen={state ?? null}
          onChoose={(next) => filter({ state: next ?? undefined })}
        />
      )}
      <section className="ui-card" aria-label="员工的五险一金">
        {chosen.length > 0 && <ManyBar count={chosen.length} onAdjust={() => setAdjusting(true)} onClear={() => setChosen([])} />}
        <DataTable<MemberInsurance>
          asked={asked}
          columns={insuranceColumns(setEditing)}
          rowKey="member_id"
          unit="人"
          label="员工的五险一金"
          chosen={{ keys: chosen.map(({ member_id }) => member_id), onChange: choose, nameOf: (one) => `选择 ${one.name}` }}
          empty={
            name || state
              ? {
                  drawing: 'search',
                  text: '没有符合条件的员工。',
                  action: (
                    <Button onClick={() => void navigate({ to: '/salaryTax/deduct/fiveRisks', search: {} })}>查看全部员工</Button>
                  ),
                }
              : { drawing: 'people', text: '还没有员工。先在「花名册」添加员工，再填写他们的缴费基数。' }
          }
        />
      </section>
      <Suspense fallback={null}>
        {editing && data && (
          <EntryDialog
            key={editing.member_id}
            person={editing}
            cities={cities}
            month={data.month}
            onClose={() => setEditing(null)}
          />
        )}
        {adjusting && data && <AdjustDialog people={chosen} cities={cities} month={data.month} onClose={done} />}
      </Suspense>
    </>
  )
}
