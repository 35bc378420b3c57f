import { useQueries } from '@tanstack/react-query'
import { Checkbox } from 'antd'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { formatFen } from '../../../../server/contract/shared/money.ts'
import { getPreview, type SpotCheckReason } from '../../../../server/contract/sheets/sheet.ts'
import { callQuery } from '../../../api.ts'
import { formatCount } from '../../../components/value/counts.ts'
import styles from '../questions/questions.module.css'
import type { ConfirmedSendPlan } from './confirmed-plan.ts'

const spotCheckReasonLabels: Record<Exclude<SpotCheckReason, 'everybody'>, string> = {
  first: '第一位',
  last: '最后一位',
  middle: '中间一位',
  unusual: '金额与同岗或其他人差异较大',
  gap: '空行之后的第一位',
  unproven: '和上月对不出是不是本人的金额',
  name_only: '只凭姓名找到的，表里没有手机号、工号等可以核对',
  differs: '表里的部门、岗位或入职日期和花名册不同',
}

/** Formats the reason for the spot check in one sentence. */
function formatSpotCheckText(
  { spot_checks: spotChecks, matched_by_name_count }: Pick<ConfirmedSendPlan, 'spot_checks' | 'matched_by_name_count'>,
  isEveryone: boolean,
): string {
  const countText = isEveryone
    ? `请对照原表逐一核对这 ${formatCount(spotChecks.length)} 位的姓名和实发：`
    : `请核对这 ${formatCount(spotChecks.length)} 位：`
  if (matched_by_name_count === 0) return `没有可以对照的上月数据，系统无法发现同岗互换。${countText}`
  const nameOnlyText = `有 ${formatCount(matched_by_name_count)} 人只凭姓名对上花名册，没有别的信息证明是本人。`
  return `${nameOnlyText}${matched_by_name_count > spotChecks.length ? '同名、改名或还没进花名册的新人会发错。' : ''}${countText}`
}

/** Employees whose payslips must be checked before sending: their roster data with the amounts they would receive. */
export function SendSpotChecks(props: {
  batch_id: string
  plan: ConfirmedSendPlan
  looked: boolean
  onLooked: (looked: boolean) => void
}) {
  const { spot_checks: spotChecks } = props.plan
  const isEveryone = spotChecks.some(({ reason }) => reason === 'everybody')
  const rows = isEveryone ? [] : spotChecks.map(({ row }) => row)
  const slips = useQueries({ queries: rows.map((row) => callQuery(getPreview, { batch_id: props.batch_id, row })) })
  // Unloaded data cannot have been checked, and its arrival moves the checkbox under the pointer.
  const isLoading = slips.some(({ isPending }) => isPending)
  return (
    <section className={`ui-stack ${styles.sheetLooks}`} aria-label="发送前看一看">
      <p>{formatSpotCheckText(props.plan, isEveryone)}</p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a keyboard has to scroll it */}
      <ul tabIndex={0} aria-label="需要核对的人">
        {spotChecks.map((spotCheck, index) =>
          spotCheck.reason === 'everybody' ? (
            <li key={spotCheck.row}>
              <SpotCheckPerson view={spotCheck} comparison={spotCheck.departments} />
            </li>
          ) : (
            <SpotCheckRow key={spotCheck.row} view={spotCheck} slip={slips[index]?.data} />
          ),
        )}
      </ul>
      <Checkbox checked={props.looked} disabled={isLoading} onChange={(event) => props.onLooked(event.target.checked)}>
        {isEveryone ? `我看过了，${formatCount(spotChecks.length)} 位的姓名和实发都是本人的` : '我看过了，姓名和金额都是本人的'}
      </Checkbox>
    </section>
  )
}

const SpotCheckPerson = ({
  view: { name, net_fen },
  comparison: details,
}: {
  view: ConfirmedSendPlan['spot_checks'][number]
  comparison?: string
}) => (
  <span className="ui-row">
    <span className="ui-grow">
      <strong>{name}</strong> {details && <small className="ui-hint">{details}</small>}
    </span>
    <strong>实发 {net_fen === null ? '—' : formatFen(net_fen)}</strong>
  </span>
)

type PreviewPayslip = CallOutput<typeof getPreview>
function SpotCheckRow({
  view: spotCheck,
  slip,
}: {
  view: ConfirmedSendPlan['spot_checks'][number]
  slip: PreviewPayslip | undefined
}) {
  const amounts = (slip?.groups.flatMap((group) => group.cells) ?? []).flatMap(({ label, fen }) =>
    fen ? [`${label} ${formatFen(fen)}`] : [],
  )
  const identity = [spotCheck.departments, spotCheck.mobile_masked].filter(Boolean).join(' · ')
  return (
    <li>
      <SpotCheckPerson view={spotCheck} />
      <p className="ui-hint">{identity}</p>
      <p className="ui-hint">
        {spotCheck.reason !== 'everybody' && spotCheckReasonLabels[spotCheck.reason]}
        {amounts.length > 0 && `：${amounts.join('、')}`}
      </p>
    </li>
  )
}
