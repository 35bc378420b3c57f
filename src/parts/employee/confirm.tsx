import { useState } from 'react'
import { confirmSlip } from '../../../server/contract/own/employee.ts'
import { formatFen } from '../../../server/contract/words/money.ts'
import { ApiError, askAnew, intent, NetworkError, useCall } from '../../api.ts'
import { toast } from '../../ui/over/toast.ts'
import { later } from './later.tsx'
import styles from './m.module.css'
import { Sheet } from './sheet.tsx'

/** Who writes by hand fetches the pen. */
const SignField = later(async () => (await import('./own/sign.tsx')).SignField)

type Asked = {
  slip_id: string
  version: number
  hash: string
  title: string
  net: { label: string; fen: number } | null
  hidden: boolean
}

/** Confirms exactly what is on the screen, never a newer version and nothing that would be shown otherwise by now. */
export function ConfirmSheet({ slip, onClose }: { slip: Asked; onClose: () => void }) {
  const [key] = useState(intent)
  const [lost, setLost] = useState(false)
  /** The handwriting, as far as it is written; null where it is confirmed by the button. */
  const [written, setWritten] = useState<string | null>(null)
  const { slip_id, version, hash } = slip
  const confirm = useCall(confirmSlip, {
    key,
    saysLost: true,
    onSuccess: () => {
      toast.done('已确认')
      onClose()
    },
    onSettled: (_, error) => {
      setLost(error instanceof NetworkError)
      if (!(error instanceof ApiError)) return
      // What is on the screen is not what counts any more: whatever it is now is fetched, and says what has changed.
      onClose()
      void askAnew()
    },
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
      {written === null ? (
        <button type="button" className={styles.link} onClick={() => setWritten('')}>
          改为手写签名确认
        </button>
      ) : (
        <SignField onWrite={setWritten} />
      )}
      {lost && (
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
          disabled={confirm.isPending || written === ''}
          onClick={() => confirm.mutate({ slip_id, version, hash, ...(written === null ? {} : { signature: written }) })}
        >
          {confirm.isPending ? '正在确认…' : written === '' ? '请先签名' : '确认工资条'}
        </button>
      </div>
    </Sheet>
  )
}
