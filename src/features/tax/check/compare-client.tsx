import { Button } from 'antd'
import { useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import {
  compareWithholding,
  type WithholdingComparison,
  type WithholdingDifference,
} from '../../../../server/contract/tax/comparison.ts'
import { useCallMutation } from '../../../api.ts'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { FileError, FilePicker, useFilePreview } from '../import/file-picker.tsx'
import { formatTaxRate, type PeriodDetail } from '../period/labels.ts'
import periodStyles from '../period/period.module.css'
import styles from '../tax.module.css'
import { TaxChange } from '../tax-change.tsx'

type ComparisonResult = CallOutput<typeof compareWithholding>
/** The number of rows shown until the user expands the list. */
const initialRows = 50
const differenceLabels = { fault: '无法比对', differs: '不一致', only_file: '只在扣缴端', only_here: '只在这里' } as const
const comparedFieldLabels: Readonly<Record<WithholdingDifference['field'], string>> = {
  income: '本期收入',
  exempt: '本期免税收入',
  pension: '本期基本养老保险',
  medical: '本期基本医疗保险',
  unemployment: '本期失业保险',
  housing_fund: '本期住房公积金',
  special: '本期社保公积金',
  cum_income: '累计收入',
  cum_exempt: '累计免税收入',
  cum_basic: '累计减除费用',
  cum_special: '累计专项扣除',
  cum_additional: '累计专项附加扣除',
  cum_other: '累计其他扣除',
  cum_donation: '累计捐赠',
  cum_taxable: '累计应纳税所得额',
  rate: '税率',
  quick: '速算扣除数',
  full_tax: '累计应纳税额',
  cum_reduction: '累计减免税额',
  cum_tax: '累计应扣缴税额',
  cum_withheld: '已缴税额',
  due: '应补(退)税额',
  bonus: '全年一次性奖金',
  bonus_tax: '奖金税额',
}

/** Compares the official client's result with ours. The file is read, compared and discarded. */
export function ClientComparison({ period }: { period: PeriodDetail }) {
  const compare = useCallMutation(compareWithholding, { handles: () => true })
  const {
    file,
    error,
    take: selectFile,
  } = useFilePreview((selectedFile) => {
    // The file is sent in addition to the fields of the contract.
    const request: { period_id: string; file: File } = { period_id: period.period_id, file: selectedFile }
    return compare.mutateAsync(request)
  })
  const result = file ? compare.data : undefined
  return (
    <section className="ui-card" aria-labelledby="period-compare">
      <div className={`ui-row ${styles.compareHead}`}>
        <h2 id="period-compare">与扣缴端比对</h2>
        <p className="ui-label">选择扣缴端「税款计算」导出的明细，逐人逐项比对；文件不保存。</p>
        <FilePicker
          file={file}
          buttonLabel="选择扣缴端文件"
          label="扣缴端的税款计算结果"
          busy={compare.isPending}
          onFile={selectFile}
        />
      </div>
      <FileError error={error} />
      {compare.isPending && <Skeleton rows={4} />}
      {result && <ComparisonView match={result} />}
    </section>
  )
}

function ComparisonView({ match: result }: { match: ComparisonResult }) {
  const { counts, ours_due_fen, theirs_due_fen, rows, other_items, other_sheets } = result
  const [selectedKind, setSelectedKind] = useState<WithholdingComparison['kind'] | null>(null)
  const [showsAll, setShowsAll] = useState(false)
  const missing = rows.filter(({ kind }) => kind === 'only_here')
  const visibleLines = rows.filter(({ kind }) => (selectedKind === null ? kind !== 'only_here' : kind === selectedKind))
  const kinds = (['fault', 'differs', 'only_file'] as const).filter((kind) => counts[kind] > 0)
  return (
    <div className={styles.compared}>
      <StatisticCards
        items={[
          { key: 'same', label: '一致', value: `${counts.same} 人` },
          { key: 'ours', label: '这里的应补(退)税额', value: <Money fen={ours_due_fen} /> },
          {
            key: 'theirs',
            label: '扣缴端的应补(退)税额',
            value: <Money fen={theirs_due_fen} />,
            note: (
              <>
                比这里 <TaxChange value={theirs_due_fen - ours_due_fen} isDifference />
              </>
            ),
          },
        ]}
      />
      {other_items > 0 && <p className="ui-hint">另有 {other_items} 行是其他所得项目，没有比对。</p>}
      {other_sheets.length > 0 && <p className="ui-hint">没有读取的工作表：{other_sheets.join('、')}</p>}
      {rows.length === 0 ? (
        <p>
          <StatusDot label="全部一致" color="ok" />
        </p>
      ) : (
        <>
          {kinds.length > 1 && (
            <div className={periodStyles.kinds} role="group" aria-label="按结果筛选">
              {kinds.map((kind) => (
                <button
                  key={kind}
                  type="button"
                  data-level="error"
                  aria-pressed={kind === selectedKind}
                  onClick={() => setSelectedKind(kind === selectedKind ? null : kind)}
                >
                  {differenceLabels[kind]} <b>{counts[kind]}</b>
                </button>
              ))}
            </div>
          )}
          {visibleLines.length > 0 && (
            <ul className={`${styles.importRows} ${styles.comparedRows}`} aria-label="比对结果">
              {(showsAll ? visibleLines : visibleLines.slice(0, initialRows)).map((comparison) => (
                <ComparisonRow key={`${comparison.sheet} ${comparison.row} ${comparison.member_id}`} line={comparison} />
              ))}
            </ul>
          )}
          {!showsAll && visibleLines.length > initialRows && (
            <Button onClick={() => setShowsAll(true)}>显示全部 {visibleLines.length} 条</Button>
          )}
          {missing.length > 0 && <MissingMembers names={missing.map(({ name }) => name)} count={counts.only_here} />}
        </>
      )}
    </div>
  )
}

/** Members whom the file lacks: usually because it is one department's, so their names are folded. */
const MissingMembers = ({ names, count }: { names: readonly string[]; count: number }) => (
  <details className={styles.missing}>
    <summary>
      只在这里 <b>{count} 人</b>：扣缴端没有，请确认是否漏报
    </summary>
    <p>{names.join('、')}</p>
  </details>
)

const renderFieldValue = (field: WithholdingDifference['field'], value: number) =>
  field === 'rate' ? formatTaxRate(value) : <Money fen={value} />
function ComparisonRow({ line: { name, row, kind, message: reason, fields } }: { line: WithholdingComparison }) {
  return (
    <li>
      <span className={styles.wrong}>{differenceLabels[kind]}</span>
      <strong>{name}</strong>
      {row !== null && <span className="ui-hint">第 {row} 行</span>}
      <span>{reason}</span>
      {fields.length > 0 && (
        <table className={periodStyles.months}>
          <thead>
            <tr>
              <th scope="col">项目</th>
              <th scope="col">这里</th>
              <th scope="col">扣缴端</th>
              <th scope="col">相差</th>
            </tr>
          </thead>
          <tbody>
            {fields.map(({ field, computed, declared }) => (
              <tr key={field}>
                <th scope="row">{comparedFieldLabels[field]}</th>
                <td>{renderFieldValue(field, computed)}</td>
                <td>{renderFieldValue(field, declared)}</td>
                <td>{field === 'rate' ? '' : <TaxChange value={declared - computed} isDifference />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </li>
  )
}
