import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { confirmDeduction, getDeductionList, type MemberDeductions } from '../../../../server/contract/wage/deductions.ts'
import {
  type DeductionKind,
  type DeductionState,
  deductionKinds,
  deductionStates,
  deductionWords,
} from '../../../../server/contract/wage/kinds.ts'
import { holders } from '../../../../server/contract/who.ts'
import { query, useCall } from '../../../api.ts'
import { deductionColumns } from '../../../parts/tax/deduction/columns.tsx'
import { TaxTabs } from '../../../parts/tax/tabs.tsx'
import styles from '../../../parts/tax/tax.module.css'
import { begin, first } from '../../../routed/first.ts'
import { Dropdown, unchosen } from '../../../ui/form/select.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { PageHead } from '../../../ui/page/page-head.tsx'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { oneOf, type PageSearch, pageOf, textOf } from '../../../ui/search.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { monthName } from '../../../ui/value/dates.ts'

const DeductionDialog = lazy(async () => ({
  default: (await import('../../../parts/tax/deduction/edit-dialog.tsx')).DeductionDialog,
}))
const DeductionImport = lazy(async () => ({
  default: (await import('../../../parts/tax/deduction/import-dialog.tsx')).DeductionImport,
}))

type Search = PageSearch & {
  name?: string | undefined
  kind?: string | undefined
  state?: string | undefined
}
const searchOf = (raw: Record<string, unknown>): Search => ({
  ...pageOf(raw),
  name: textOf(raw.name)?.slice(0, 50),
  // Which there are the page knows: their words would travel with the first file of the desk.
  kind: textOf(raw.kind),
  state: textOf(raw.state),
})
/** What there is no such kind or state of is not asked for. */
const narrowed = (raw: Search) => ({ ...raw, kind: oneOf(raw.kind, deductionKinds), state: oneOf(raw.state, deductionStates) })
const deductionsQuery = (raw: Search) => ({ ...query(getDeductionList, narrowed(raw)), gcTime: 0 })

export const Route = createFileRoute('/_desk/salaryTax/deduct/added')({
  staticData: { title: '专项附加扣除', section: 'wage', who: holders('2') },
  validateSearch: searchOf,
  loader: ({ route, location }) => first(route, () => begin(deductionsQuery(searchOf(location.search)))),
  component: Deductions,
})

type Answer = OutputOf<typeof getDeductionList>
const kinds = deductionKinds.map((value) => ({ value, label: deductionWords[value] }))

function figuresOf({ counts, confirm_year }: Answer) {
  return [
    { key: 'expiring', label: '60 天内到期', value: counts.expiring, tone: counts.expiring > 0 ? 'warn' : 'ink' },
    {
      key: 'unconfirmed',
      label: `待确认 ${confirm_year} 年度`,
      value: counts.unconfirmed,
      tone: counts.unconfirmed > 0 ? 'warn' : 'ink',
    },
    { key: 'faulty', label: '不能扣除', value: counts.faulty, tone: counts.faulty > 0 ? 'danger' : 'ink' },
    { key: 'none', label: '没有填写', value: counts.none, tone: 'ink' },
  ] as const
}

function Deductions() {
  const raw = Route.useSearch()
  const search = narrowed(raw)
  const navigate = useNavigate()
  const [editing, setEditing] = useState<MemberDeductions | null>(null)
  const [importing, setImporting] = useState(false)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const asked = useQuery({ ...deductionsQuery(raw), placeholderData: keepPreviousData })
  const { data } = asked
  const filter = (change: Partial<Search>) =>
    void navigate({ to: '/salaryTax/deduct/added', search: { ...search, page: undefined, ...change } })
  const isFiltered = Boolean(search.name || search.kind || search.state)
  return (
    <div className="ui-page">
      <PageHead
        title="专项附加扣除"
        // As long before it is known as after: on a phone it has a line of its own, and what stands below stays where it is.
        note={data ? `${monthName(data.month)}，已填写 ${data.counts.entered} 人` : !asked.error && '正在统计本月已填写人数'}
        action={
          <Button type="primary" icon={<Icon name="import" />} onClick={() => setImporting(true)}>
            导入
          </Button>
        }
      >
        <TaxTabs at="added" />
        <SearchBox value={search.name} onSearch={(name) => filter({ name })} placeholder="姓名、拼音、手机号或工号" width={264} />
        <Dropdown<DeductionKind>
          label="扣除项目"
          all="全部项目"
          width={160}
          {...(search.kind ? { value: search.kind } : {})}
          options={kinds}
          onChange={(kind) => filter({ kind: kind === unchosen ? undefined : kind })}
        />
      </PageHead>
      {data && (
        <Numbers<DeductionState>
          items={figuresOf(data)}
          chosen={search.state ?? null}
          onChoose={(state) => filter({ state: state ?? undefined })}
        />
      )}
      <section className="ui-card" aria-label="员工的扣除">
        {data && chosen.length > 0 && <ConfirmBar year={data.confirm_year} member_ids={chosen} onDone={() => setChosen([])} />}
        <DataTable<MemberDeductions>
          asked={asked}
          columns={deductionColumns(data?.confirm_year ?? 0, setEditing)}
          rowKey="member_id"
          unit="人"
          label="员工的扣除"
          chosen={{
            keys: [...chosen],
            onChange: (keys) => setChosen(keys.map(String)),
            disabled: ({ items }) => items.length === 0,
            nameOf: ({ name }) => `选择 ${name}`,
          }}
          empty={
            isFiltered
              ? {
                  drawing: 'search',
                  text: '没有符合条件的员工。',
                  action: (
                    <Button onClick={() => void navigate({ to: '/salaryTax/deduct/added', search: {} })}>查看全部员工</Button>
                  ),
                }
              : { drawing: 'people', text: '还没有员工。先在「花名册」添加员工，再填写他们的专项附加扣除。' }
          }
        />
      </section>
      <Suspense fallback={null}>
        {editing && <DeductionDialog key={editing.member_id} person={editing} onClose={() => setEditing(null)} />}
        {importing && <DeductionImport onClose={() => setImporting(false)} />}
      </Suspense>
    </div>
  )
}

/** Each December: what these people may deduct holds for the next year as well. */
function ConfirmBar({ year, member_ids, onDone }: { year: number; member_ids: readonly string[]; onDone: () => void }) {
  const confirm = useCall(confirmDeduction, {
    onSuccess: ({ confirmed }) => {
      toast.done(confirmed > 0 ? `已为 ${confirmed} 人确认 ${year} 年度的扣除` : `所选员工都已确认 ${year} 年度`)
      onDone()
    },
  })
  return (
    <div className={styles.many} role="region" aria-label="已选员工">
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
