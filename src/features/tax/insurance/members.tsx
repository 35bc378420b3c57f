import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getMemberInsurance, type MemberInsurance } from '../../../../server/contract/tax/insurance.ts'
import type { InsuranceState } from '../../../../server/contract/tax/kinds.ts'
import { callQuery } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { lazyDialog } from '../../../components/lazy.tsx'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { DataTable } from '../../../components/table/data-table.tsx'
import type { InsuranceSearch } from '../search.ts'
import { createInsuranceColumns } from './columns.tsx'

const MemberInsuranceDialog = lazyDialog(async () => (await import('./entry-dialog.tsx')).MemberInsuranceDialog)
const ImportInsuranceDialog = lazyDialog(async () => (await import('./import-dialog.tsx')).ImportInsuranceDialog)
const AdjustInsuranceDialog = lazyDialog(async () => (await import('./adjust-dialog.tsx')).AdjustInsuranceDialog)

function getStatistics({ missing, adjust, faulty }: CallOutput<typeof getMemberInsurance>['counts']) {
  return [
    { key: 'missing', label: '没有填写', value: missing, color: missing > 0 ? 'warn' : 'ink' },
    { key: 'adjust', label: '待年度调整', value: adjust, color: adjust > 0 ? 'warn' : 'ink' },
    { key: 'faulty', label: '不能计算', value: faulty, color: faulty > 0 ? 'danger' : 'ink' },
  ] as const
}

const BulkAdjustBar = ({ count, onAdjust, onClear }: { count: number; onAdjust: () => void; onClear: () => void }) => (
  <div className="ui-selection" role="region" aria-label="已选员工">
    <span>已选 {count} 人</span>
    <Button type="primary" onClick={onAdjust}>
      调整基数
    </Button>
    <Button type="link" onClick={onClear}>
      取消选择
    </Button>
  </div>
)

/** The contributions of this month by member; who is missing, and who is due for the annual adjustment. */
export function InsuranceMembers({ search, cities }: { search: InsuranceSearch; cities: readonly string[] }) {
  const navigate = useNavigate()
  const { name, state, page, pagesize } = search
  const [edited, setEdited] = useState<MemberInsurance | null>(null)
  const [selected, setSelected] = useState<readonly MemberInsurance[]>([])
  const [isAdjustOpen, setAdjustOpen] = useState(false)
  const [isImportOpen, setImportOpen] = useState(false)
  const members = useQuery({
    ...callQuery(getMemberInsurance, { name, state, page, pagesize }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const { data } = members
  const filter = (change: Partial<InsuranceSearch>) =>
    void navigate({ to: '/salaryTax/deduct/fiveRisks', search: { ...search, page: undefined, ...change } })
  const selectKeys = (keys: readonly React.Key[]) => {
    const byId = new Map([...selected, ...(data?.list ?? [])].map((member) => [member.member_id, member]))
    setSelected(keys.flatMap((key) => byId.get(String(key)) ?? []))
  }
  const finish = () => {
    setAdjustOpen(false)
    setSelected([])
  }
  return (
    <>
      <div className="ui-row">
        <SearchBox value={name} onSearch={(text) => filter({ name: text })} placeholder="姓名、拼音、手机号或工号" width={264} />
        <ActionButton
          icon={<Icon name="import" />}
          allowed={!data ? '正在读取' : cities.length === 0 ? '请先添加参保方案' : true}
          onClick={() => setImportOpen(true)}
        >
          导入基数
        </ActionButton>
      </div>
      {data && (
        <StatisticCards<InsuranceState>
          items={getStatistics(data.counts)}
          selected={state ?? null}
          onChoose={(next) => filter({ state: next ?? undefined })}
        />
      )}
      <section className="ui-card" aria-label="员工的五险一金">
        {selected.length > 0 && (
          <BulkAdjustBar count={selected.length} onAdjust={() => setAdjustOpen(true)} onClear={() => setSelected([])} />
        )}
        <DataTable<MemberInsurance>
          requested={members}
          columns={createInsuranceColumns(setEdited)}
          rowKey="member_id"
          unit="人"
          label="员工的五险一金"
          selected={{
            keys: selected.map(({ member_id }) => member_id),
            onChange: selectKeys,
            getLabel: (one) => `选择 ${one.name}`,
          }}
          empty={
            name || state
              ? {
                  illustration: 'search',
                  text: '没有符合条件的员工。',
                  action: (
                    <Button onClick={() => void navigate({ to: '/salaryTax/deduct/fiveRisks', search: {} })}>查看全部员工</Button>
                  ),
                }
              : { illustration: 'people', text: '还没有员工。先在「花名册」添加员工，再填写他们的缴费基数。' }
          }
        />
      </section>

      {edited && data && (
        <MemberInsuranceDialog
          key={edited.member_id}
          person={edited}
          cities={cities}
          month={data.month}
          onClose={() => setEdited(null)}
        />
      )}
      {isImportOpen && data && <ImportInsuranceDialog cities={cities} month={data.month} onClose={() => setImportOpen(false)} />}
      {isAdjustOpen && data && <AdjustInsuranceDialog people={selected} cities={cities} month={data.month} onClose={finish} />}
    </>
  )
}
