import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { checkPeriod, lockPeriod } from '../../../../server/contract/tax/periods.ts'
import { callQuery, createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { CheckboxField } from '../../../components/form/fields.tsx'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { TaxChange } from '../tax-change.tsx'
import { type CheckedPeriod, type PeriodDetail, taxIssueTexts } from './labels.ts'
import styles from './period.module.css'

/** Names what is open with its numbers; with open issues, locking needs a second confirmation. Mounted only while open. */
export function LockPeriodDialog({ period, onClose }: { period: PeriodDetail; onClose: () => void }) {
  const { period_id, month, member_count } = period
  const [key] = useState(createIdempotencyKey)
  const [isAccepted, setAccepted] = useState(false)
  const issues = useQuery({ ...callQuery(checkPeriod, { period_id, page: 1, pagesize: 1 }), gcTime: 0, staleTime: 0 })
  const lock = useCallMutation(lockPeriod, {
    key,
    onSuccess: () => {
      toast.success(`${formatMonth(month)}已锁定`)
      onClose()
    },
  })
  const open = issues.data?.kinds.reduce((all, { count }) => all + count, 0) ?? 0
  return (
    <Dialog
      open
      title={`锁定${formatMonth(month)}？`}
      action={`锁定 ${member_count} 人`}
      danger={open > 0}
      allowed={!issues.data ? '正在核对' : open > 0 && !isAccepted ? '请先确认未处理的问题' : true}
      busy={lock.isPending}
      onClose={onClose}
      onConfirm={() =>
        lock.mutate(
          { period_id, accepted_issues: issues.data?.kinds.map(({ kind, count }) => ({ kind, count })) ?? [] },
          {
            // Something changed since the issues were shown: they are shown again, and confirmed again.
            onError: () => {
              setAccepted(false)
              void issues.refetch()
            },
          },
        )
      }
    >
      {issues.data ? (
        <div className="ui-stack">
          <LockTotals checked={issues.data} />
          {open > 0 && (
            <>
              <p>
                还有 {open} 处没有处理（
                <Link to="/salaryTax/add/check" search={{ id: period_id }} onClick={onClose}>
                  去核对
                </Link>
                ）：
              </p>
              <ul className={styles.open} aria-label="没有处理的问题">
                {issues.data.kinds.map(({ kind, level, count }) => (
                  <li key={kind}>
                    <StatusDot label={taxIssueTexts[kind].label} color={level === 'error' ? 'danger' : 'warn'} />
                    <b>{count}</b>
                  </li>
                ))}
              </ul>
            </>
          )}
          <p className="ui-label">
            锁定后收入和个税不能再改，下个月的累计数从这里接着算。发现有误时可以写明原因重新打开，原因会一直保留。
          </p>
          {open > 0 && (
            <CheckboxField checked={isAccepted} onChange={setAccepted}>
              我已核对以上 {open} 处，按现在的数字锁定
            </CheckboxField>
          )}
        </div>
      ) : issues.error ? (
        <ErrorState error={issues.error} retry={() => void issues.refetch()} />
      ) : (
        <Skeleton rows={5} />
      )}
    </Dialog>
  )
}

const LockTotals = ({ checked: { current, sheet_tax_fen } }: { checked: CheckedPeriod }) => (
  <dl className={styles.details}>
    <div>
      <dt>应扣个税</dt>
      <dd>
        <Money fen={current.tax_fen + current.bonus_tax_fen} strong />
      </dd>
    </div>
    <div>
      <dt>工资表已扣个税</dt>
      <dd>
        <Money fen={sheet_tax_fen} />
      </dd>
    </div>
    {sheet_tax_fen !== null && (
      <div>
        <dt>工资表比应扣</dt>
        <dd>
          <TaxChange value={sheet_tax_fen - current.tax_fen} isDifference />
        </dd>
      </div>
    )}
  </dl>
)
