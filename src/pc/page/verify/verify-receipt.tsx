import { type ChangeEvent, useEffect, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { verifyReceipt } from '../../../../server/contract/payslips/verify-receipt.ts'
import { ApiError, NetworkError, sendRequest } from '../../../api-core.ts'
import { LightForm } from '../../../components/form/light-form.tsx'
import styles from './verify.module.css'

type VerificationResult = CallOutput<typeof verifyReceipt>
type VerifyState = { requested: 'nothing' | 'waits' } | { result: VerificationResult } | { failed: string }

/** A receipt file is a few kilobytes; longer files are not read. */
const maxReceiptBytes = 60_000
const getReceiptFromHash = () => decodeURIComponent(location.hash.slice(1))

/** Submits a receipt and stores the result as state. */
function submitReceipt(receipt: string, setState: (state: VerifyState) => void): void {
  setState({ requested: 'waits' })
  void sendRequest(verifyReceipt, { receipt }).then(
    (result) => setState({ result }),
    (error: unknown) => setState({ failed: getErrorMessage(error) }),
  )
}

export function VerifyReceipt() {
  const [state, setState] = useState<VerifyState>({ requested: getReceiptFromHash() ? 'waits' : 'nothing' })
  // The receipt of a scanned code is checked at once; another one may be opened in the same window.
  useEffect(() => {
    const verifyFromHash = () => {
      const receipt = getReceiptFromHash()
      if (receipt) submitReceipt(receipt, setState)
    }
    verifyFromHash()
    addEventListener('hashchange', verifyFromHash)
    return () => removeEventListener('hashchange', verifyFromHash)
  }, [])
  return (
    <main className={styles.root}>
      <h1>核验确认回执</h1>
      <p className={styles.hint}>核验员工确认工资条的回执是否由这家公司签发、有没有被改动。回执里没有金额。</p>
      <div aria-live="polite">
        {'requested' in state && state.requested === 'waits' && <p role="status">正在核验…</p>}
        {'failed' in state && (
          <p className={styles.wrong} role="alert">
            {state.failed}
          </p>
        )}
        {'result' in state && <VerificationResult {...state.result} />}
      </div>
      <ReceiptForm onGive={(receipt) => submitReceipt(receipt, setState)} again={'result' in state} />
    </main>
  )
}

const getErrorMessage = (error: unknown): string =>
  error instanceof ApiError || error instanceof NetworkError ? error.message : '没有核验成功，请稍后再试'

function VerificationResult({ genuine, message, receipt }: VerificationResult) {
  if (!genuine || !receipt)
    return (
      <section className={styles.verdict} data-genuine="false" aria-label="核验结果">
        <h2>不能证明是真的</h2>
        <p>{message}。</p>
        <p className={styles.hint}>请向出示的人要原来的回执文件，或重新扫描他薪函里的二维码。</p>
      </section>
    )
  return (
    <section className={styles.verdict} data-genuine="true" aria-label="核验结果">
      <h2>真实，没有被改动</h2>
      <dl>
        <DetailRow name="公司" value={receipt.company} />
        <DetailRow name="员工" value={receipt.member_name} />
        {receipt.month && <DetailRow name="工资条" value={`${formatMonth(receipt.month)}，第 ${receipt.version} 版`} />}
        <DetailRow
          name="确认方式"
          value={receipt.kind === 'auto' ? '到期自动确认' : receipt.handwritten ? '本人手写签名' : '本人点击确认'}
        />
        <DetailRow name="确认时间" value={formatBeijingTime(receipt.confirmed_at)} />
        <DetailRow name="现在" value={receiptStatusLabels[receipt.slip_status]} />
        <DetailRow name="签名钥匙" value={receipt.kid} />
      </dl>
    </section>
  )
}
/** Formats the server's time in Beijing time. The shared date formatters would pull in the whole routed app. */
const formatBeijingTime = (at: string): string => `${at.slice(0, 16).replace('T', ' ')}（北京时间）`
const formatMonth = (month: string): string => `${month.slice(0, 4)} 年 ${Number(month.slice(5))} 月`
const receiptStatusLabels = {
  stands: '这一版仍然有效',
  corrected: '确认之后，公司又更正过这张工资条',
  withdrawn: '确认之后，公司撤回了这张工资条',
} as const

const DetailRow = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

/** Accepts a receipt as a file or as text, for users without a camera. */
function ReceiptForm({ onGive: onSubmit, again: hasResult }: { onGive: (receipt: string) => void; again: boolean }) {
  const [text, setText] = useState('')
  const [errorMessage, setErrorMessage] = useState('')
  const selectFile = (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? []
    event.target.value = ''
    if (!file) return
    if (file.size > maxReceiptBytes) return setErrorMessage('这个文件太大，不是回执文件')
    setErrorMessage('')
    void file.text().then(onSubmit, () => setErrorMessage('读不了这个文件，请重新选择'))
  }
  const submit = () => {
    if (text.trim()) onSubmit(text.trim())
  }
  return (
    <LightForm className={styles.given} onSubmit={submit}>
      <h2>{hasResult ? '再核验一份' : '出示回执'}</h2>
      <label className={styles.button}>
        选择回执文件
        <input type="file" accept=".json,application/json" className="sr-only" onChange={selectFile} />
      </label>
      {errorMessage && (
        <p className={styles.wrong} role="alert">
          {errorMessage}
        </p>
      )}
      <label htmlFor="receipt">或粘贴回执、回执网址</label>
      <textarea id="receipt" rows={4} value={text} onChange={(event) => setText(event.target.value)} />
      <button type="submit" className={`${styles.button} ${styles.main}`} disabled={text.trim() === ''}>
        核验
      </button>
      <p className={styles.hint}>也可以用手机相机扫描员工薪函里的二维码。</p>
    </LightForm>
  )
}
