import { useState } from 'react'
import { confirmSlip } from '../../../server/contract/employee.ts'
import { formatFen } from '../../../server/contract/money.ts'
import { intent, useCall } from '../../api.ts'
import { dayAndTime } from '../../ui/dates.ts'
import { Icon } from '../../ui/icon.tsx'
import { toast } from '../../ui/toast.ts'
import { Sheet } from './sheet.tsx'

type Asked = { slip_id: string; version: number; title: string; net: { label: string; fen: number } | null; hidden: boolean }

/** Confirms the version that is on the screen, never a newer one. */
export function ConfirmSheet({ slip, onClose }: { slip: Asked; onClose: () => void }) {
  const [key] = useState(intent)
  const confirm = useCall(confirmSlip, {
    key,
    onSuccess: () => {
      toast.done('已确认')
      onClose()
    },
    onSettled: (_, error) => error && onClose(),
  })
  return (
    <Sheet open title="确认这张工资条？" onClose={onClose}>
      <p>
        {slip.title}
        {slip.net && !slip.hidden && (
          <>
            ，{slip.net.label} <strong>¥ {formatFen(slip.net.fen)}</strong>
          </>
        )}
        。
      </p>
      <p className="ui-label">确认后公司会看到您已核对无误，并生成一张回执。金额不对时请不要确认，先点「有疑问」。</p>
      <div className="sheet-actions">
        <button type="button" className="ui-button m-button" onClick={onClose}>
          再看看
        </button>
        <button
          type="button"
          className="ui-button m-button m-primary"
          disabled={confirm.isPending}
          onClick={() => confirm.mutate({ slip_id: slip.slip_id, version: slip.version })}
        >
          {confirm.isPending ? '正在确认…' : '确认工资条'}
        </button>
      </div>
    </Sheet>
  )
}

/** Proof that this version was confirmed, and whether by the person; tells no amounts. */
export function Receipt({ receipt, at, auto }: { receipt: string | null; at: string; auto: boolean }) {
  return (
    <section className="receipt" aria-label="确认回执">
      <h3>
        <Icon name="check" size={18} /> {auto ? '到期自动确认' : '已确认'}
      </h3>
      <dl>
        <div>
          <dt>确认时间</dt>
          <dd>{dayAndTime(at)}</dd>
        </div>
        {receipt && (
          <div>
            <dt>回执编号</dt>
            <dd>
              <code>{receipt}</code>
            </dd>
          </div>
        )}
      </dl>
      {auto && <p className="ui-hint">您在公司规定的天数内没有确认，也没有提出疑问，系统已按公司设置自动确认。</p>}
    </section>
  )
}
