import { useQueries } from '@tanstack/react-query'
import { Checkbox } from 'antd'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getPreview, type LookReason } from '../../../../server/contract/sheet/sheet.ts'
import { formatFen } from '../../../../server/contract/words/money.ts'
import { query } from '../../../api.ts'
import styles from '../asked/asked.module.css'
import type { Plan } from './send-plan.tsx'

const reasons: Record<Exclude<LookReason, 'everybody'>, string> = {
  first: '第一位',
  last: '最后一位',
  middle: '中间一位',
  unusual: '金额和做同样工作的人、或和其他人差得多',
  gap: '空行之后的第一位',
  unproven: '和上月对不出是不是本人的金额',
  name_only: '只凭姓名找到的，表里没有手机号、工号等可以核对',
  differs: '表里的部门、岗位或入职日期和花名册不同',
}

/** Why there is something to look at, in one sentence. */
function askOf({ looks, name_only }: Pick<Plan, 'looks' | 'name_only'>, all: boolean): string {
  const these = all ? `请对照您的工资表，逐一看一遍这 ${looks.length} 位的姓名和实发：` : `请看一看这 ${looks.length} 位：`
  if (name_only === 0)
    return `没有能对照的上月数据可以证明每一行的金额是本人的；两个做同样工作、收入相近的人互换了，从表里看不出来。${these}`
  const named = `有 ${name_only} 人只凭姓名对上花名册，没有别的信息证明是本人。`
  return `${named}${name_only > looks.length ? '同名、改名或还没进花名册的新人会发错。' : ''}${these}`
}

/** People whose slips must be looked at before sending: as the roster knows them, beside what they would get. */
export function SendLooks(props: { batch_id: string; plan: Plan; looked: boolean; onLooked: (looked: boolean) => void }) {
  const { looks } = props.plan
  const all = looks.some(({ why }) => why === 'everybody')
  const rows = all ? [] : looks.map(({ row }) => row)
  const slips = useQueries({ queries: rows.map((row) => query(getPreview, { batch_id: props.batch_id, row })) })
  // Nobody has seen what is not there yet; and what comes pushes the box down under the pointer.
  const isOpening = slips.some(({ isPending }) => isPending)
  return (
    <section className={`ui-stack ${styles.sheetLooks}`} aria-label="发送前看一看">
      <p>{askOf(props.plan, all)}</p>
      <ul>
        {looks.map((look, at) =>
          look.why === 'everybody' ? (
            <li key={look.row}>
              <Who look={look} beside={look.departments} />
            </li>
          ) : (
            <LookLine key={look.row} look={look} slip={slips[at]?.data} />
          ),
        )}
      </ul>
      <Checkbox checked={props.looked} disabled={isOpening} onChange={(event) => props.onLooked(event.target.checked)}>
        {all ? `我看过了，${looks.length} 位的姓名和实发都是本人的` : '我看过了，姓名和金额都是本人的'}
      </Checkbox>
    </section>
  )
}

const Who = ({ look: { name, net_fen }, beside }: { look: Plan['looks'][number]; beside?: string }) => (
  <span className="ui-row">
    <span className="ui-grow">
      <strong>{name}</strong> {beside && <small className="ui-hint">{beside}</small>}
    </span>
    <strong>实发 {net_fen === null ? '—' : formatFen(net_fen)}</strong>
  </span>
)

type Slip = OutputOf<typeof getPreview>
function LookLine({ look, slip }: { look: Plan['looks'][number]; slip: Slip | undefined }) {
  const amounts = (slip?.groups.flatMap((group) => group.cells) ?? []).flatMap(({ label, fen }) =>
    fen ? [`${label} ${formatFen(fen)}`] : [],
  )
  const who = [look.departments, look.mobile_masked].filter(Boolean).join(' · ')
  return (
    <li>
      <Who look={look} />
      <p className="ui-hint">{who}</p>
      <p className="ui-hint">
        {look.why !== 'everybody' && reasons[look.why]}
        {amounts.length > 0 && `：${amounts.join('、')}`}
      </p>
    </li>
  )
}
