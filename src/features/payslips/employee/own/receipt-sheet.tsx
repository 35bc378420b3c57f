import { useQuery } from '@tanstack/react-query'
import { encode } from 'uqr'
import type { CallOutput } from '../../../../../server/contract/call.ts'
import { getReceipt } from '../../../../../server/contract/payslips/employee-data.ts'
import { callQuery } from '../../../../api.ts'
import { toast } from '../../../../components/overlay/toast.ts'
import { ErrorState } from '../../../../components/state/error-state.tsx'
import { Skeleton } from '../../../../components/state/skeleton.tsx'
import { formatDateTime } from '../../../../components/value/dates.ts'
import { BottomSheet } from '../bottom-sheet.tsx'
import styles from '../m.module.css'
import openStyles from '../open/open.module.css'
import { noCacheOptions } from '../queries.ts'
import { Handwriting } from './handwriting.tsx'

type StoredReceipt = CallOutput<typeof getReceipt>['list'][number]

/** The receipt that the employee can show or pass on: a code to scan, a file to save. */
export function ReceiptSheet({ slip_id, onClose }: { slip_id: string; onClose: () => void }) {
  const receipts = useQuery({ ...callQuery(getReceipt, { slip_id }), ...noCacheOptions })
  const [newest, ...previous] = receipts.data?.list ?? []
  return (
    <BottomSheet open title="确认回执" onClose={onClose}>
      {receipts.error && <ErrorState error={receipts.error} retry={() => void receipts.refetch()} />}
      {receipts.isPending && <Skeleton rows={4} />}
      {newest && (
        <>
          <p>扫码就能核验这张回执是真的：有公司名、您的姓名和确认时间，没有金额。</p>
          <QrCode text={newest.url} />
          {newest.handwriting && <Handwriting path={newest.handwriting} />}
          <div className={openStyles.receiptActs}>
            <button type="button" className={`ui-button ${styles.button} ${styles.primary}`} onClick={() => saveReceipt(newest)}>
              下载回执文件
            </button>
            <button type="button" className={`ui-button ${styles.button}`} onClick={() => void copyLink(newest.url)}>
              复制核验网址
            </button>
            <a className={`ui-button ${styles.button}`} href={newest.url} target="_blank" rel="noreferrer">
              打开核验页
            </a>
          </div>
          <p className="ui-label">文件不联网也能核验，多年以后仍然有效，请自己保存一份。</p>
        </>
      )}
      {previous.length > 0 && (
        <section aria-label="以前各版的回执">
          <h3>以前各版的回执</h3>
          <ul className={openStyles.receiptBefore}>
            {previous.map((receipt) => (
              <li key={receipt.version}>
                <span>
                  第 {receipt.version} 版 <small>{formatDateTime(receipt.confirmed_at)}</small>
                </span>
                <button type="button" className={styles.link} onClick={() => saveReceipt(receipt)}>
                  下载
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div className={styles.sheetActions}>
        <button type="button" className={`ui-button ${styles.button}`} onClick={onClose}>
          关闭
        </button>
      </div>
    </BottomSheet>
  )
}

async function copyLink(url: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(url)
    toast.success('已复制')
  } catch {
    toast.error('这里不能复制，请下载回执文件')
  }
}

/** Saves the receipt from memory, without another request. */
function saveReceipt({ file, file_name }: StoredReceipt): void {
  const href = URL.createObjectURL(new Blob([file], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = href
  link.download = file_name
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(href), 10_000)
}

/** The width of the quiet zone in light modules, which readers need to find the code (ISO/IEC 18004, 9.1). */
const quietZone = 4
/** Black on white in every color scheme; a run of dark modules in a row is one stroke. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: 'L', border: quietZone })
  const path = data
    .flatMap((row, y) =>
      [...row.map(Number).join('').matchAll(/1+/g)].map(({ 0: run, index: x }) => `M${x} ${y}h${run.length}v1h-${run.length}z`),
    )
    .join('')
  return (
    <svg
      className={openStyles.receiptCode}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label="回执二维码"
    >
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path d={path} />
    </svg>
  )
}
