import { dayAndTime } from '../../../ui/dates.ts'
import { Icon } from '../../../ui/icon.tsx'

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
