import { useMutation, useQuery } from '@tanstack/react-query'
import { Button, QRCode } from 'antd'
import { useEffect } from 'react'
import { getPublicInfo } from '../../../server/contract/auth/sign-in.ts'
import { getPayStatus, type PayType } from '../../../server/contract/billing/orders.ts'
import { callQuery, refreshQueries } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/overlay/toast.ts'
import { copyText } from '../../components/value/copy-text.ts'
import { formatDateTime } from '../../components/value/dates.ts'
import { Money } from '../../components/value/money.tsx'
import { payTypeLabels } from './labels.ts'
import styles from './order.module.css'

type PayableOrder = {
  order_no: string
  name: string
  amount_fen: number
  pay_type: PayType
  expires_at: string
  code_url: string | null
  transfer_account: string | null
}
const pollIntervalMs = 1_500

/** The amount and the payment method. Polls every two seconds while it is visible. */
export function PayPanel({ order, onDone }: { order: PayableOrder; onDone: () => void }) {
  const { order_no, pay_type, code_url } = order
  const payStatus = useQuery({
    ...callQuery(getPayStatus, { order_no }),
    staleTime: 0,
    meta: { quiet: true },
    refetchInterval: ({ state }) => (pay_type === 'transfer' || state.data?.status !== 'waiting' ? false : pollIntervalMs),
  })
  const status = payStatus.data?.status ?? 'waiting'
  // Other parts of the page show the purchase.
  useEffect(() => {
    if (status === 'paid') void refreshQueries(({ queryKey }) => !String(queryKey[0]).startsWith('getPayStatus'))
  }, [status])
  if (status === 'paid')
    return (
      <div className={styles.payPanel} role="status">
        <Icon name="check" size={40} />
        <h3>支付成功</h3>
        <p>{order.name} 已到账。</p>
        <Button type="primary" onClick={onDone}>
          完成
        </Button>
      </div>
    )
  if (status !== 'waiting')
    return (
      <div className={styles.payPanel} role="status">
        <h3>订单已关闭</h3>
        <p>超过时间没有支付，请重新下单；已付的款会原路退回。</p>
        <Button onClick={onDone}>关闭</Button>
      </div>
    )
  return (
    <div className={styles.payPanel}>
      <p>
        {order.name} · <Money fen={order.amount_fen} yen strong />
      </p>
      {pay_type === 'transfer' ? (
        <TransferDetails account={order.transfer_account ?? ''} order_no={order_no} />
      ) : code_url ? (
        <>
          <div className={styles.payCode}>
            <QRCode
              value={code_url}
              size={200}
              color="#000000"
              bgColor="#ffffff"
              aria-label={`${payTypeLabels[pay_type]}二维码`}
            />
          </div>
          <p>请用{payTypeLabels[pay_type]}扫码，付款后这里会自动更新</p>
          <DemoPayButton order_no={order_no} />
        </>
      ) : (
        <p>支付渠道没有给出二维码，请关闭后重新下单，或换一种支付方式。</p>
      )}
      <p className="ui-hint">
        {pay_type === 'transfer'
          ? '到账并核对后自动开通，一般 1 个工作日'
          : `二维码在 ${formatDateTime(order.expires_at)} 前有效`}
        <br />
        订单号 <span className={styles.payNo}>{order_no}</span>
      </p>
      <Button onClick={onDone}>稍后支付</Button>
    </div>
  )
}

/** In a demo nobody can scan the code: one press pays at the simulated provider, which reports it like a real one. */
function DemoPayButton({ order_no }: { order_no: string }) {
  const isDemo = useQuery({ ...callQuery(getPublicInfo, {}), staleTime: Number.POSITIVE_INFINITY }).data?.demo
  const pay = useMutation({
    mutationFn: async () => {
      const response = await fetch(`/dev/pay/${order_no}`, { method: 'POST' }).catch(() => null)
      if (!response?.ok) toast.error('没有付成，请再试一次', '失败')
    },
  })
  if (!isDemo) return null
  return (
    <Button type="primary" loading={pay.isPending} onClick={() => pay.mutate()}>
      在演示中付款
    </Button>
  )
}

const accountLabels = ['户名', '开户行', '账号']

/** What the bank's form asks for, each on its own line. An account of another shape is shown as it was configured. */
function TransferDetails({ account, order_no }: { account: string; order_no: string }) {
  const values = account.split(/\s*[·｜|;；]\s*/)
  const lines =
    values.length === accountLabels.length ? values.map((text, at) => [accountLabels[at] ?? '', text]) : [['收款账户', account]]
  return (
    <dl className={styles.payTransfer}>
      {[...lines, ['转账附言（必填）', order_no]].map(([label = '', text = '']) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <span className={text === order_no ? styles.payNo : undefined}>{text}</span>
            <Button type="link" size="small" aria-label={`复制${label}`} onClick={() => copyText(label, text)}>
              复制
            </Button>
          </dd>
        </div>
      ))}
    </dl>
  )
}
