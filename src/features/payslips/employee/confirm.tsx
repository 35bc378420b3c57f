import { useState } from 'react'
import { confirmSlip } from '../../../../server/contract/payslips/employee.ts'
import { formatFen } from '../../../../server/contract/shared/money.ts'
import { ApiError, createIdempotencyKey, NetworkError, refreshQueries, useCallMutation } from '../../../api.ts'
import { lazyComponent } from '../../../components/lazy.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { BottomSheet } from './bottom-sheet.tsx'
import styles from './m.module.css'

/** The signature field loads only for payslips that need a signature. */
const SignField = lazyComponent(async () => (await import('./own/sign.tsx')).SignatureField)

type ConfirmablePayslip = {
  slip_id: string
  version: number
  hash: string
  title: string
  net: { label: string; fen: number } | null
  hidden: boolean
}

/** Confirms exactly the payslip on the screen, never a newer version or one that would look different by now. */
export function ConfirmPayslipSheet({ slip: payslip, onClose }: { slip: ConfirmablePayslip; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const [isNetworkLost, setNetworkLost] = useState(false)
  /** The signature so far; null if the payslip is confirmed by the button. */
  const [signature, setSignature] = useState<string | null>(null)
  const { slip_id, version, hash } = payslip
  const confirm = useCallMutation(confirmSlip, {
    key,
    handlesNetworkError: true,
    onSuccess: () => {
      toast.success('已确认')
      onClose()
    },
    onSettled: (_, error) => {
      setNetworkLost(error instanceof NetworkError)
      if (!(error instanceof ApiError)) return
      // The payslip on the screen is no longer current: the current one is fetched, and the page shows what has
      // changed.
      onClose()
      void refreshQueries()
    },
  })
  return (
    <BottomSheet open title="确认这张工资条？" onClose={onClose}>
      <p>
        {payslip.title}
        {payslip.net && !payslip.hidden && (
          <>
            ，{payslip.net.label} <strong>¥ {formatFen(payslip.net.fen)}</strong>
          </>
        )}
        。
      </p>
      <p className="ui-label">确认后公司会看到您已核对无误，并生成一张回执。金额不对时请不要确认，先点「有疑问」。</p>
      {signature === null ? (
        <button type="button" className={styles.link} onClick={() => setSignature('')}>
          改为手写签名确认
        </button>
      ) : (
        <>
          <SignField onWrite={setSignature} />
          <button type="button" className={styles.link} onClick={() => setSignature(null)}>
            不签名，直接确认
          </button>
        </>
      )}
      {isNetworkLost && (
        <p className={styles.fieldError} role="alert">
          网络不通，还没有确认。工资条不受影响，网络恢复后再点一次。
        </p>
      )}
      <div className={styles.sheetActions}>
        <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
          再看看
        </button>
        <button
          type="button"
          className={`ui-button ${styles.button} ${styles.primary}`}
          disabled={confirm.isPending || signature === ''}
          onClick={() => confirm.mutate({ slip_id, version, hash, ...(signature === null ? {} : { signature }) })}
        >
          {confirm.isPending ? '正在确认…' : signature === '' ? '请先签名' : '确认工资条'}
        </button>
      </div>
    </BottomSheet>
  )
}
