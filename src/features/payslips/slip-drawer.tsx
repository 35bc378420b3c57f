import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { getSalary } from '../../../server/contract/payslips/send.ts'
import { callQuery } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { Drawer } from '../../components/overlay/layers.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { StatusDot } from '../../components/value/status-dot.tsx'
import batchStyles from './batch/batch.module.css'
import { ChatReadNote } from './chat-read.tsx'
import { Timeline } from './timeline.tsx'
import { PayslipView } from './view/slip-view.tsx'

/** One payslip as the employee sees it, its timeline, and the neighbours in the list. */
export function PayslipDrawer(props: {
  salary_id: string | undefined
  onClose: () => void
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
  footer?: ReactNode
}) {
  const { salary_id, onClose, onPrevious, onNext, footer } = props
  return (
    <Drawer
      open={salary_id !== undefined}
      title="工资条"
      size="min(520px, 100vw)"
      onClose={onClose}
      destroyOnHidden
      styles={{ body: { padding: 0 } }}
      extra={
        <div className="ui-row">
          <Button disabled={!onPrevious} onClick={onPrevious} icon={<Icon name="back" size={16} />}>
            上一位
          </Button>
          <Button disabled={!onNext} onClick={onNext} icon={<Icon name="arrow" size={16} />} iconPlacement="end">
            下一位
          </Button>
        </div>
      }
      footer={footer}
    >
      {salary_id && <PayslipWithTimeline salary_id={salary_id} />}
    </Drawer>
  )
}

export function PayslipWithTimeline({ salary_id, story: showsTimeline = true }: { salary_id: string; story?: boolean }) {
  const payslip = useQuery({ ...callQuery(getSalary, { salary_id }), gcTime: 0 })
  const { data } = payslip
  if (!data)
    return payslip.error ? <ErrorState error={payslip.error} retry={() => void payslip.refetch()} /> : <Skeleton rows={9} />
  return (
    <>
      <p className={batchStyles.slipState}>
        <StatusDot salary={data.status} />
        {data.version > 1 && <span className="ui-label">第 {data.version} 版（已更正）</span>}
        {showsTimeline && data.feedback_id && (
          <Link to="/memberFeedback" search={{ id: data.feedback_id }}>
            查看反馈
          </Link>
        )}
      </p>
      <PayslipView slip={data.slip} />
      {showsTimeline && <Timeline events={data.timeline} />}
      {showsTimeline && data.timeline.some(({ kind }) => kind === 'sent') && <ChatReadNote salary_id={salary_id} />}
    </>
  )
}
