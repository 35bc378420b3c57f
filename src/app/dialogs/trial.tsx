import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { closeTrailServiceInfo, getTrialServiceInstruction } from '../../../server/contract/company/company.ts'
import { callQuery, useCallMutation } from '../../api.ts'
import { Modal } from '../../components/overlay/layers.tsx'
import { Money } from '../../components/value/money.tsx'
import styles from '../desktop/shell.module.css'

const activationSteps = ['联系我们，领取合同', '签订合同', '对公转账', '为您开通']

/** Shown while trail_status is 10: what the trial includes and costs afterwards. Closing it notifies the server (spec §4). */
export function TrialDialog({ days_left }: { days_left: number }) {
  const trialQuery = useQuery({ ...callQuery(getTrialServiceInstruction, {}), staleTime: Number.POSITIVE_INFINITY })
  const [open, setOpen] = useState(true)
  // Closes at once, whether or not the server has recorded it: at worst it appears once more.
  const dismiss = useCallMutation(closeTrailServiceInfo, { handles: () => true })
  const close = () => {
    setOpen(false)
    dismiss.mutate({})
  }
  if (!trialQuery.data) return null
  return (
    <Modal
      open={open}
      width={520}
      title="免费试用说明"
      onCancel={close}
      mask={{ closable: false }}
      footer={
        <Button type="primary" autoFocus onClick={close}>
          开始使用
        </Button>
      }
      centered
    >
      <div className={`ui-stack ${styles.trial}`}>
        <p>
          高级版免费试用 <strong>30 天</strong>，还剩 <strong>{days_left}</strong> 天。到期后自动转为免费版，已有的数据都会保留。
        </p>
        <table>
          <caption className="sr-only">各套餐每年的价格</caption>
          <thead>
            <tr>
              <th scope="col">套餐</th>
              <th scope="col">价格（每年）</th>
            </tr>
          </thead>
          <tbody>
            {trialQuery.data.service_list.map(({ DESC, PRICE }) => (
              <tr key={DESC}>
                <td>{DESC}</td>
                <td>
                  <Money fen={Math.round(PRICE * 100)} yen />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <div>
          <p className="ui-label">开通服务</p>
          <ol className={styles.trialSteps}>
            {activationSteps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      </div>
    </Modal>
  )
}
