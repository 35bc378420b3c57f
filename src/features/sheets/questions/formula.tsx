import { Button, Select } from 'antd'
import { type HTMLAttributes, useState } from 'react'
import type { CellKind } from '../../../../server/contract/shared/schemas.ts'
import { isDeductionOrTax, isNet } from '../../../../server/contract/sheets/column-roles.ts'
import type { WageSheetInfo } from '../../../../server/contract/sheets/sheet.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { type FormulaMarks, signSymbols } from '../grid/grid-head.tsx'
import { getColumnName, hasMoneyColumns } from '../labels.ts'
import styles from './questions.module.css'

type SumTerms = { plus: string[]; minus: string[] }
export type FormulaDraft = SumTerms | null
const numericKinds: ReadonlySet<CellKind> = new Set(['money', 'number'])

export const createFormulaMarks = (totalKey: string, { plus, minus }: SumTerms): FormulaMarks =>
  new Map([
    ...plus.map((key) => [key, 'plus'] as const),
    ...minus.map((key) => [key, 'minus'] as const),
    [totalKey, 'equals'] as const,
  ])

/** The formula of the net pay, as derived from the rows or set by a user, with the subtotals below. */
export function FormulaPanel(props: {
  info: WageSheetInfo
  busy: boolean
  onSave: (formula: FormulaDraft) => void
  /** The columns of the highlighted formula; null if none is highlighted. */
  onPoint: (marks: FormulaMarks | null) => void
}) {
  const { info, busy, onSave, onPoint: onHighlight } = props
  const { formula, subtotals } = info
  const [draft, setDraft] = useState<SumTerms | null>(null)
  const names = new Map(info.columns.map((column) => [column.key, getColumnName(column)]))
  const net = formula?.net ?? info.columns.find(({ role }) => isNet(role))?.key
  if (net === undefined || (!formula && !hasMoneyColumns(info))) return null
  if (draft)
    return (
      <FormulaEditor
        info={info}
        net={net}
        draft={draft}
        busy={busy}
        onChange={(next) => {
          setDraft(next)
          onHighlight(createFormulaMarks(net, next))
        }}
        onClose={() => {
          setDraft(null)
          onHighlight(null)
        }}
        onSave={(next) => {
          setDraft(null)
          onHighlight(null)
          onSave(next)
        }}
      />
    )
  const getHighlightProps = (totalKey: string, sum: SumTerms) => ({
    onMouseEnter: () => onHighlight(createFormulaMarks(totalKey, sum)),
    onMouseLeave: () => onHighlight(null),
    onFocus: () => onHighlight(createFormulaMarks(totalKey, sum)),
    onBlur: () => onHighlight(null),
  })
  const edit = () => {
    const initialDraft = { plus: formula?.plus ?? [], minus: formula?.minus ?? [] }
    setDraft(initialDraft)
    onHighlight(createFormulaMarks(net, initialDraft))
  }
  return (
    <section className={styles.formula} aria-label="计算公式">
      {formula ? (
        <div className={styles.formulaLine} {...getHighlightProps(net, formula)}>
          <FormulaChips full={names.get(net) ?? ''} sum={formula} names={names} />
          <span className={styles.formulaEnd}>
            <FormulaMatchCount {...formula} />
            <Button type="link" size="small" disabled={busy} onClick={edit}>
              修改<span className="sr-only">计算公式</span>
            </Button>
          </span>
        </div>
      ) : (
        <div className={styles.formulaLine}>
          <span className="ui-label">未识别到「{names.get(net)}」的计算公式，暂未逐行核算</span>
          <Button type="link" size="small" disabled={busy} onClick={edit}>
            设置计算公式
          </Button>
        </div>
      )}
      {subtotals.length > 0 && <Subtotals sums={subtotals} names={names} getHighlightProps={getHighlightProps} />}
    </section>
  )
}

type GetHighlightProps = (value: string, sum: SumTerms) => HTMLAttributes<HTMLElement>
type SubtotalsProps = {
  sums: WageSheetInfo['subtotals']
  names: ReadonlyMap<string, string>
  getHighlightProps: GetHighlightProps
}
/** The subtotals of the formula. */
const Subtotals = ({ sums, names, getHighlightProps }: SubtotalsProps) => (
  <details>
    <summary>
      {formatCount(sums.length)} 项小计
      {sums.every(({ holds, of }) => holds === of) ? '核算一致' : '，有的行不符'}
    </summary>
    {sums.map((sum) => (
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- pointing at it with a keyboard marks its columns
      <div key={sum.key} className={styles.formulaLine} tabIndex={0} role="group" {...getHighlightProps(sum.key, sum)}>
        <FormulaChips full={names.get(sum.key) ?? ''} sum={sum} names={names} />
        <FormulaMatchCount {...sum} />
      </div>
    ))}
  </details>
)

const FormulaMatchCount = ({ holds, of }: { holds: number; of: number }) => (
  <span className={styles.formulaHolds} data-ok={holds === of || undefined}>
    <Icon name={holds === of ? 'check' : 'warn'} size={16} />
    {holds === of ? `${formatCount(of)} 行都相符` : `${formatCount(of)} 行里 ${formatCount(holds)} 行相符`}
  </span>
)

function FormulaChips({ full: totalName, sum, names }: { full: string; sum: SumTerms; names: ReadonlyMap<string, string> }) {
  const terms = [...sum.plus.map((key) => ['plus', key] as const), ...sum.minus.map((key) => ['minus', key] as const)]
  return (
    <span className={styles.formulaChips}>
      <b>{totalName}</b>
      {terms.map(([sign, key], index) => (
        <span key={key}>
          <i>{index === 0 ? signSymbols.equals : ''}</i>
          <i>{index === 0 && sign === 'plus' ? '' : signSymbols[sign]}</i>
          <span className={styles.formulaChip} data-sign={sign}>
            {names.get(key) ?? key}
          </span>
        </span>
      ))}
    </span>
  )
}

function FormulaEditor(props: {
  info: WageSheetInfo
  net: string
  draft: SumTerms
  busy: boolean
  onChange: (draft: SumTerms) => void
  onClose: () => void
  onSave: (formula: FormulaDraft) => void
}) {
  const { info, net, draft, busy, onChange } = props
  const getName = (key: string) => {
    const column = info.columns.find((term) => term.key === key)
    return column ? getColumnName(column) : key
  }
  const removeTerm = (key: string): SumTerms => ({
    plus: draft.plus.filter((term) => term !== key),
    minus: draft.minus.filter((term) => term !== key),
  })
  const add = (key: string) => {
    const column = info.columns.find((term) => term.key === key)
    const minus = isDeductionOrTax(column?.role)
    onChange(minus ? { ...draft, minus: [...draft.minus, key] } : { ...draft, plus: [...draft.plus, key] })
  }
  const flipSign = (key: string, sign: 'plus' | 'minus') => {
    const rest = removeTerm(key)
    onChange(sign === 'plus' ? { ...rest, minus: [...rest.minus, key] } : { ...rest, plus: [...rest.plus, key] })
  }
  const usedKeys = new Set([net, ...draft.plus, ...draft.minus])
  const available = info.columns.filter(({ key, kind }) => numericKinds.has(kind) && !usedKeys.has(key))
  const chips = [...draft.plus.map((key) => ['plus', key] as const), ...draft.minus.map((key) => ['minus', key] as const)]
  return (
    <section className={`${styles.formula} ui-card`} aria-label="修改计算公式">
      <div className={styles.formulaChips}>
        <b>{getName(net)} =</b>
        {chips.map(([sign, key]) => (
          <span key={key} className={`${styles.formulaChip} ${styles.formulaEdit}`} data-sign={sign}>
            <button
              type="button"
              aria-label={sign === 'plus' ? `「${getName(key)}」现在是加，改成减` : `「${getName(key)}」现在是减，改成加`}
              onClick={() => flipSign(key, sign)}
            >
              {signSymbols[sign]}
            </button>
            {getName(key)}
            <button type="button" aria-label={`移除「${getName(key)}」`} onClick={() => onChange(removeTerm(key))}>
              <Icon name="close" size={14} />
            </button>
          </span>
        ))}
        <Select
          aria-label="加一列"
          placeholder="加一列"
          value={null}
          size="small"
          style={{ width: 132 }}
          popupMatchSelectWidth={false}
          showSearch={{ optionFilterProp: 'label' }}
          options={available.map((column) => ({ value: column.key, label: `${column.col} ${getColumnName(column)}` }))}
          onChange={(key: string | null) => key && add(key)}
        />
      </div>
      <div className="ui-row">
        <Button disabled={busy || chips.length === 0} onClick={() => props.onSave(draft)}>
          按此公式核算
        </Button>
        <Button disabled={busy} onClick={() => props.onSave(null)}>
          不核对
        </Button>
        <Button type="text" onClick={props.onClose}>
          取消
        </Button>
      </div>
    </section>
  )
}
