import { type ChangeEvent, type FormEvent, useEffect, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { verifyReceipt } from '../../../../server/contract/people/verify.ts'
import { ApiError, NetworkError, send } from '../../../api-core.ts'
import styles from './verify.module.css'

type Verdict = OutputOf<typeof verifyReceipt>
type State = { asked: 'nothing' | 'waits' } | { verdict: Verdict } | { failed: string }

/** A file that holds a receipt is some kilobytes; nothing longer is read. */
const most_bytes = 60_000
const behindHash = () => decodeURIComponent(location.hash.slice(1))

/** Asks; what comes of it is told as a state. */
function check(receipt: string, tell: (state: State) => void): void {
  tell({ asked: 'waits' })
  void send(verifyReceipt, { receipt }).then(
    (verdict) => tell({ verdict }),
    (error: unknown) => tell({ failed: failureOf(error) }),
  )
}

export function VerifyReceipt() {
  const [state, setState] = useState<State>({ asked: behindHash() ? 'waits' : 'nothing' })
  // What a scanned code leads to is checked at once; another one may be opened in the same window.
  useEffect(() => {
    const arrive = () => {
      const receipt = behindHash()
      if (receipt) check(receipt, setState)
    }
    arrive()
    addEventListener('hashchange', arrive)
    return () => removeEventListener('hashchange', arrive)
  }, [])
  return (
    <main className={styles.root}>
      <h1>核验确认回执</h1>
      <p className={styles.hint}>核验员工确认工资条的回执是否由这家公司签发、有没有被改动。回执里没有金额。</p>
      <div aria-live="polite">
        {'asked' in state && state.asked === 'waits' && <p role="status">正在核验…</p>}
        {'failed' in state && (
          <p className={styles.wrong} role="alert">
            {state.failed}
          </p>
        )}
        {'verdict' in state && <Verdict {...state.verdict} />}
      </div>
      <Given onGive={(receipt) => check(receipt, setState)} again={'verdict' in state} />
    </main>
  )
}

const failureOf = (error: unknown): string =>
  error instanceof ApiError || error instanceof NetworkError ? error.message : '没有核验成功，请稍后再试'

function Verdict({ genuine, message, receipt }: Verdict) {
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
        <Line name="公司" value={receipt.company} />
        <Line name="员工" value={receipt.person} />
        {receipt.month && <Line name="工资条" value={`${monthOf(receipt.month)}，第 ${receipt.version} 版`} />}
        <Line
          name="确认方式"
          value={receipt.kind === 'auto' ? '到期自动确认' : receipt.handwritten ? '本人手写签名' : '本人点击确认'}
        />
        <Line name="确认时间" value={timeOf(receipt.confirmed_at)} />
        <Line name="现在" value={sinceWords[receipt.since]} />
        <Line name="签名钥匙" value={receipt.kid} />
      </dl>
    </section>
  )
}
/** As the server writes it, in Shanghai's time. The pages' own words for dates come with all of the routed app. */
const timeOf = (at: string): string => `${at.slice(0, 16).replace('T', ' ')}（北京时间）`
const monthOf = (month: string): string => `${month.slice(0, 4)} 年 ${Number(month.slice(5))} 月`
const sinceWords = {
  stands: '这一版仍然有效',
  corrected: '确认之后，公司又更正过这张工资条',
  withdrawn: '确认之后，公司撤回了这张工资条',
} as const

const Line = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

/** By a file or by text: for whoever has no camera at hand. */
function Given({ onGive, again }: { onGive: (receipt: string) => void; again: boolean }) {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState('')
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? []
    event.target.value = ''
    if (!file) return
    if (file.size > most_bytes) return setWrong('这个文件太大，不是回执文件')
    setWrong('')
    void file.text().then(onGive, () => setWrong('读不了这个文件，请重新选择'))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim()) onGive(text.trim())
  }
  return (
    <form className={styles.given} onSubmit={submit}>
      <h2>{again ? '再核验一份' : '出示回执'}</h2>
      <label className={styles.button}>
        选择回执文件
        <input type="file" accept=".json,application/json" className="sr-only" onChange={choose} />
      </label>
      {wrong && (
        <p className={styles.wrong} role="alert">
          {wrong}
        </p>
      )}
      <label htmlFor="receipt">或粘贴回执、回执网址</label>
      <textarea id="receipt" rows={4} value={text} onChange={(event) => setText(event.target.value)} />
      <button type="submit" className={`${styles.button} ${styles.main}`} disabled={text.trim() === ''}>
        核验
      </button>
      <p className={styles.hint}>也可以用手机相机扫描员工薪函里的二维码。</p>
    </form>
  )
}
