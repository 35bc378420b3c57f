import { useQuery } from '@tanstack/react-query'
import { Checkbox } from 'antd'
import { formatFen } from '../../../../server/contract/money.ts'
import { getPreview, type LookReason } from '../../../../server/contract/sheet.ts'
import { query } from '../../../api.ts'
import type { Plan } from '../send-plan.tsx'

const reasons: Record<LookReason, string> = {
  first: '第一位',
  last: '最后一位',
  middle: '中间一位',
  unusual: '金额最特别的一位',
  gap: '空行之后的第一位',
  unproven: '和上月对不出是不是本人的金额',
}

/** People whose slips must be looked at before sending: as the roster knows them, beside what they would get. */
export function SendLooks(props: {
  batch_id: string
  looks: Plan['looks']
  looked: boolean
  onLooked: (looked: boolean) => void
}) {
  const { looks } = props
  return (
    <section className="ui-stack" aria-label="发送前看一看">
      <p>没有能对照的上月数据可以证明每一行的金额是本人的。请看一看这 {looks.length} 位：</p>
      {looks.map((look) => (
        <LookLine key={look.row} batch_id={props.batch_id} look={look} />
      ))}
      <Checkbox checked={props.looked} onChange={(event) => props.onLooked(event.target.checked)}>
        我看过了，姓名和金额都是本人的
      </Checkbox>
    </section>
  )
}

function LookLine({ batch_id, look }: { batch_id: string; look: Plan['looks'][number] }) {
  const { data } = useQuery(query(getPreview, { batch_id, row: look.row }))
  const cells = data?.groups.flatMap((group) => group.cells).filter(({ fen }) => fen !== null && fen !== 0)
  return (
    <div>
      <strong>
        {look.name}（{look.mobile_masked}）实发 {look.net_fen === null ? '—' : formatFen(look.net_fen)}
      </strong>
      <p className="ui-hint">
        {reasons[look.why]}
        {cells && `：${cells.map(({ label, fen }) => `${label} ${formatFen(fen ?? 0)}`).join('、')}`}
      </p>
    </div>
  )
}
