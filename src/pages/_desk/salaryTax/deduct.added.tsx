import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { confirmDeduction, getDeductionList, type MemberDeductions } from '../../../../server/contract/tax/deductions.ts'
import {
  type DeductionKind,
  type DeductionState,
  deductionKinds,
  deductionLabels,
  deductionStates,
} from '../../../../server/contract/tax/kinds.ts'
import { callQuery, useCallMutation } from '../../../api.ts'
import { Dropdown, noSelection } from '../../../components/form/select.tsx'
import { Icon } from '../../../components/icon.tsx'
import { lazyDialog } from '../../../components/lazy.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { SectionTabs } from '../../../components/page/section-tabs.tsx'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { type PageParams, parseEnum, parsePageParams, parseText } from '../../../components/search-params.ts'
import { DataTable } from '../../../components/table/data-table.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import { createDeductionColumns } from '../../../features/tax/deduction/columns.tsx'
import { TaxTabs } from '../../../features/tax/tabs.tsx'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

const DeductionDialog = lazyDialog(async () => (await import('../../../features/tax/deduction/edit-dialog.tsx')).DeductionDialog)
const ImportDeductionsDialog = lazyDialog(
  async () => (await import('../../../features/tax/deduction/import-dialog.tsx')).ImportDeductionsDialog,
)

type DeductionSearch = PageParams & {
  name?: string | undefined
  kind?: string | undefined
  state?: string | undefined
}
const parseSearch = (raw: Record<string, unknown>): DeductionSearch => ({
  ...parsePageParams(raw),
  name: parseText(raw.name)?.slice(0, 50),
  // The page itself validates the values: their labels would otherwise be part of the first desktop bundle.
  kind: parseText(raw.kind),
  state: parseText(raw.state),
})
/** Drops unknown kinds and states from the request. */
const toListRequest = (raw: DeductionSearch) => ({
  ...raw,
  kind: parseEnum(raw.kind, deductionKinds),
  state: parseEnum(raw.state, deductionStates),
})
const deductionsQuery = (raw: DeductionSearch) => ({ ...callQuery(getDeductionList, toListRequest(raw)), gcTime: 0 })

export const Route = createFileRoute('/_desk/salaryTax/deduct/added')({
  staticData: { title: '专项附加扣除', section: 'wage', who: requirePower('2') },
  validateSearch: parseSearch,
  loader: ({ route, location }) => prefetchPage(route, () => prefetchQuery(deductionsQuery(parseSearch(location.search)))),
  component: DeductionsPage,
})

type DeductionPage = CallOutput<typeof getDeductionList>
const kindOptions = deductionKinds.map((value) => ({ value, label: deductionLabels[value] }))

function getStatistics({ counts, confirm_year }: DeductionPage) {
  return [
    { key: 'expiring', label: '60 天内到期', value: counts.expiring, color: counts.expiring > 0 ? 'warn' : 'ink' },
    {
      key: 'unconfirmed',
      label: `待确认 ${confirm_year} 年度`,
      value: counts.unconfirmed,
      color: counts.unconfirmed > 0 ? 'warn' : 'ink',
    },
    { key: 'faulty', label: '不能扣除', value: counts.invalid, color: counts.invalid > 0 ? 'danger' : 'ink' },
    { key: 'none', label: '没有填写', value: counts.none, color: 'ink' },
  ] as const
}

function DeductionsPage() {
  const raw = Route.useSearch()
  const search = toListRequest(raw)
  const navigate = useNavigate()
  const [edited, setEdited] = useState<MemberDeductions | null>(null)
  const [isImportOpen, setImportOpen] = useState(false)
  const [selectedIds, setSelectedIds] = useState<readonly string[]>([])
  const deductions = useQuery({ ...deductionsQuery(raw), placeholderData: keepPreviousData })
  const { data } = deductions
  const filter = (change: Partial<DeductionSearch>) =>
    void navigate({ to: '/salaryTax/deduct/added', search: { ...search, page: undefined, ...change } })
  const isFiltered = Boolean(search.name || search.kind || search.state)
  return (
    <div className="ui-page">
      <SectionTabs section="wages" at="tax" />
      <PageHeader
        title="专项附加扣除"
        // The placeholder is as long as the final text: on a phone it takes a separate line, and content below must not
        // move.
        note={
          data ? `${formatMonth(data.month)}，已填写 ${data.counts.entered} 人` : !deductions.error && '正在统计本月已填写人数'
        }
        action={
          <Button type="primary" icon={<Icon name="import" />} onClick={() => setImportOpen(true)}>
            导入
          </Button>
        }
      >
        <TaxTabs at="added" />
        <SearchBox value={search.name} onSearch={(name) => filter({ name })} placeholder="姓名、拼音、手机号或工号" width={264} />
        <Dropdown<DeductionKind>
          label="扣除项目"
          allLabel="全部项目"
          width={160}
          {...(search.kind ? { value: search.kind } : {})}
          options={kindOptions}
          onChange={(kind) => filter({ kind: kind === noSelection ? undefined : kind })}
        />
      </PageHeader>
      {data && (
        <StatisticCards<DeductionState>
          items={getStatistics(data)}
          selected={search.state ?? null}
          onChoose={(state) => filter({ state: state ?? undefined })}
        />
      )}
      <section className="ui-card" aria-label="员工的扣除">
        {data && selectedIds.length > 0 && (
          <ConfirmBar year={data.confirm_year} member_ids={selectedIds} onDone={() => setSelectedIds([])} />
        )}
        <DataTable<MemberDeductions>
          requested={deductions}
          columns={createDeductionColumns(data?.confirm_year ?? 0, setEdited)}
          rowKey="member_id"
          unit="人"
          label="员工的扣除"
          selected={{
            keys: [...selectedIds],
            onChange: (keys) => setSelectedIds(keys.map(String)),
            disabled: ({ items }) => items.length === 0,
            getLabel: ({ name }) => `选择 ${name}`,
          }}
          empty={
            isFiltered
              ? {
                  illustration: 'search',
                  text: '没有符合条件的员工。',
                  action: (
                    <Button onClick={() => void navigate({ to: '/salaryTax/deduct/added', search: {} })}>查看全部员工</Button>
                  ),
                }
              : { illustration: 'people', text: '还没有员工。先在「花名册」添加员工，再填写他们的专项附加扣除。' }
          }
        />
      </section>

      {edited && <DeductionDialog key={edited.member_id} person={edited} onClose={() => setEdited(null)} />}
      {isImportOpen && <ImportDeductionsDialog onClose={() => setImportOpen(false)} />}
    </div>
  )
}

/** Every December: confirms that these members' deductions also apply to the next year. */
function ConfirmBar({ year, member_ids, onDone }: { year: number; member_ids: readonly string[]; onDone: () => void }) {
  const confirm = useCallMutation(confirmDeduction, {
    onSuccess: ({ confirmed }) => {
      toast.success(confirmed > 0 ? `已为 ${confirmed} 人确认 ${year} 年度的扣除` : `所选员工都已确认 ${year} 年度`)
      onDone()
    },
  })
  return (
    <div className="ui-selection" role="region" aria-label="已选员工">
      <span>已选 {member_ids.length} 人</span>
      <Button type="primary" loading={confirm.isPending} onClick={() => confirm.mutate({ year, member_ids: [...member_ids] })}>
        确认 {year} 年度继续有效
      </Button>
      <span className="ui-hint">请先向员工核实；没有确认的，{year} 年 1 月起不再扣除</span>
      <Button type="link" onClick={onDone}>
        取消选择
      </Button>
    </div>
  )
}
