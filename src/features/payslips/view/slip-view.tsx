import { type ReactNode, useId, useState } from 'react'
import type { Payslip } from '../../../../server/contract/sheets/sheet.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatDate } from '../../../components/value/dates.ts'
import { AmountChange, Money } from '../../../components/value/money.tsx'
import employeeStyles from '../employee/m.module.css'
import { maskAmounts } from './mask-amounts.ts'
import styles from './slip.module.css'

type PayslipGroup = Payslip['groups'][number]
type PayslipCell = PayslipGroup['cells'][number]
/** What the employee's `getSlip` returns besides the payslip itself. */
export type PreviousPayslip = { month: string; net_fen: number | null }
export type PayslipCorrection = { at: string; reason: string; changes: readonly { label: string; from: string; to: string }[] }

/**
 * A payslip, the same for the employee, the layout preview (排版) and the drawer of a batch: a pure rendering of values,
 * without calls or libraries, and with no state but the collapsed groups. 360 px wide and up; one A4 page in print,
 * with all groups expanded.
 */
export function PayslipView(props: {
  slip: Payslip
  /** Shows amounts as ****. */
  hidden?: boolean
  /** Shows the visibility button next to the net pay. */
  onHide?: (hidden: boolean) => void
  last?: PreviousPayslip | null
  /** Called when the employee asks why the net pay differs from the previous one. */
  onWhy?: () => void
  corrected?: PayslipCorrection | null
  /** Text repeated across the payslip, for example the name and the end of the phone number. */
  watermark?: string | null
  /** The date of issue, `2026-11-05`. */
  issued?: string | null
  /** The status next to the title. */
  state?: ReactNode
}) {
  const {
    slip: payslip,
    hidden = false,
    onHide,
    onWhy: onExplainChange,
    last: previous = null,
    corrected: correction = null,
    watermark = null,
    issued: issuedOn = null,
  } = props
  const changedLabels = new Set(correction?.changes.map(({ label }) => label))
  return (
    <article className={styles.root} aria-label={`${payslip.name} ${payslip.title}`}>
      <header className={styles.head}>
        <h2>{payslip.title}</h2>
        <p>
          {payslip.corp_name}
          {payslip.corp_name && payslip.name && ' · '}
          {payslip.name}
        </p>
        {issuedOn && <p>{issuedOn} 发放</p>}
        {props.state}
        {/* On a payslip without net pay the items can be hidden as well. */}
        {!payslip.net && onHide && <ToggleAmountsButton hidden={hidden} onHide={onHide} />}
      </header>
      {payslip.net && (
        <section className={styles.net} data-many={Math.abs(payslip.net.fen) >= largeAmountFen || undefined}>
          <h3>{payslip.net.label}</h3>
          <p>
            <Money fen={payslip.net.fen} yen hidden={hidden} />
            {onHide && <ToggleAmountsButton hidden={hidden} onHide={onHide} />}
          </p>
          {payslip.totals && !hidden && <PayslipSums {...payslip.totals} net={payslip.net} />}
          {previous && !hidden && <NetPayChange slip={payslip} last={previous} onWhy={onExplainChange} />}
        </section>
      )}
      {correction && <CorrectionNote {...correction} hidden={hidden} />}
      {payslip.groups.map((group, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- two groups may bear one name; their order is fixed
        <PayslipSection key={`${index} ${group.name}`} group={group} hidden={hidden} changed={changedLabels} />
      ))}
      {payslip.hint && <p className={styles.hint}>{hidden ? maskAmounts(payslip.hint) : payslip.hint}</p>}
      {watermark && <Watermark text={watermark} />}
    </article>
  )
}

/** From one million on the amount is shown smaller, so that it stays within its card even with enlarged fonts. */
const largeAmountFen = 100_000_000

const ToggleAmountsButton = ({ hidden, onHide }: { hidden: boolean; onHide: (hidden: boolean) => void }) => (
  <button
    type="button"
    className={`${styles.eye} no-print`}
    aria-label={hidden ? '显示金额' : '隐藏金额'}
    onClick={() => onHide(!hidden)}
  >
    <Icon name={hidden ? 'eyeoff' : 'eye'} size={22} />
  </button>
)

/** How the net pay is calculated; line breaks never split a part. */
const PayslipSums = ({
  gross_fen,
  deduction_fen,
  net,
}: NonNullable<Payslip['totals']> & { net: NonNullable<Payslip['net']> }) => (
  <p className={styles.sums}>
    <span>
      应发 <Money fen={gross_fen} />
    </span>{' '}
    <span>
      − 扣款 <Money fen={deduction_fen} />
    </span>{' '}
    <span>
      = {net.label} <Money fen={net.fen} />
    </span>
  </p>
)

/** 2026-10 after 2025-12 is not "last month": then the month is named. */
const isPreviousMonth = (earlier: string, month: string) => {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return earlier === (number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`)
}
const formatMonth = (month: string) => `${month.slice(0, 4)}年${Number(month.slice(5))}月`

function NetPayChange({
  slip: payslip,
  last: previous,
  onWhy: onExplainChange,
}: {
  slip: Payslip
  last: PreviousPayslip
  onWhy: (() => void) | undefined
}) {
  if (!payslip.net || previous.net_fen === null) return null
  return (
    <p className={styles.since}>
      {payslip.month && isPreviousMonth(previous.month, payslip.month) ? '比上月' : `比 ${formatMonth(previous.month)}`}{' '}
      <AmountChange value={payslip.net.fen - previous.net_fen} />
      {onExplainChange && payslip.net.fen !== previous.net_fen && (
        <button type="button" className={`${employeeStyles.link} no-print`} onClick={onExplainChange}>
          为什么
        </button>
      )}
    </p>
  )
}

/** Next to hidden amounts these numbers stay: they name the employee. */
const memberNumberLabel = /^(?:员工|职工|人员)?(?:工号|编号|号)$/

/** Formats amounts uniformly; all other values appear as in the wage sheet. */
function CellValue({ cell, hidden }: { cell: PayslipCell; hidden: boolean }) {
  if (cell.fen !== null && cell.kind === 'money') return <Money fen={cell.is_deduction ? -cell.fen : cell.fen} hidden={hidden} />
  if (cell.value === '') return <span className={styles.none}>—</span>
  if (!hidden || memberNumberLabel.test(cell.label)) return <>{cell.value}</>
  return <>{cell.kind === 'number' ? '****' : maskAmounts(cell.value)}</>
}

function PayslipSection(props: { group: PayslipGroup; hidden: boolean; changed: ReadonlySet<string> }) {
  const { group, hidden, changed: changedLabels } = props
  const [open, setOpen] = useState(true)
  const id = useId()
  return (
    <section className={styles.group} data-folded={!open || undefined}>
      {group.name && (
        <h3>
          <button type="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
            <span>
              {group.name} <Icon name="down" size={16} />
            </span>
            {group.total_fen !== null && <Money fen={group.total_fen} hidden={hidden} strong />}
          </button>
        </h3>
      )}
      <dl id={id}>
        {group.cells.map((cell) => (
          <div key={cell.key} data-long={(cell.kind === 'text' && cell.value.length > 14) || undefined}>
            <dt>
              {cell.label}
              {changedLabels.has(cell.label) && <em>已更正</em>}
              {cell.note && <small>{hidden ? maskAmounts(cell.note) : cell.note}</small>}
            </dt>
            <dd>
              <CellValue cell={cell} hidden={hidden} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function CorrectionNote({ reason, changes, at: correctedAt, hidden }: PayslipCorrection & { hidden: boolean }) {
  return (
    <section className={styles.corrected}>
      <h3>
        <Icon name="edit" size={16} /> 这张工资条已更正
      </h3>
      <p>
        {formatDate(correctedAt)} · {hidden ? maskAmounts(reason) : reason}
      </p>
      <ul>
        {changes.map((change) => (
          <li key={change.label}>
            {change.label}：{hidden ? '****' : change.from || '空'} → {hidden ? '****' : change.to || '空'}
          </li>
        ))}
      </ul>
    </section>
  )
}

/**
 * The watermark is an SVG and not a background image, because it also prints, and needs no permission in the content
 * security policy.
 */
function Watermark({ text }: { text: string }) {
  const id = useId()
  // Leaves room for long names, so that they do not overlap.
  const width = Math.max(180, [...text].length * 14 + 60)
  return (
    <svg className={styles.watermark} aria-hidden="true">
      <pattern id={id} width={width} height="120" patternUnits="userSpaceOnUse" patternTransform="rotate(-20)">
        <text x="0" y="60">
          {text}
        </text>
      </pattern>
      <rect width="100%" height="100%" fill={`url(#${id})`} />
    </svg>
  )
}
